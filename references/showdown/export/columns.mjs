// A table is a list of ids and columns of integers of one type; a column may have several numbers per row.
//
// Every key of the source's raw entries must be read by a column or stand in a list of keys that battles do not read,
// so that a new version of the source cannot bring data that is silently lost.
export class Table {
  constructor(name, ids, {read, unread = []}) {
    Object.assign(this, {name, ids, columns: {}});
    this.known = new Set([...read, ...unread]);
  }

  /** Fails on a data key that no column reads; functions belong to the classification of callbacks. */
  check(id, raw) {
    for (const [key, value] of Object.entries(raw)) {
      const isHandler = typeof value === 'function' || /^on[A-Z]/.test(key);
      if (!isHandler && !this.known.has(key)) throw new Error(`${this.name} ${id}: nothing reads its ${key}`);
    }
  }

  /** Adds a column; `values` has one number, boolean or list of these per id. */
  add(name, dtype, values) {
    if (values.length !== this.ids.length) throw new Error(`${this.name}.${name}: ${values.length} rows`);
    const [low, high] = RANGES[dtype];
    const checked = value => {
      if (Array.isArray(value)) return value.map(checked);
      const number = Number(value);
      if (!Number.isInteger(number) || number < low || number > high) throw new Error(`${this.name}.${name}: ${value}`);
      return number;
    };
    const numbers = values.map(checked);
    this.columns[name] = {dtype, values: numbers};
  }
}

const RANGES = {
  bool: [0, 1],
  int8: [-128, 127],
  uint8: [0, 255],
  int16: [-32768, 32767],
  uint16: [0, 65535],
  uint32: [0, 2 ** 32 - 1],
};

/** Numbers of names: 0 is none, the rest in the order given. */
export class Numbers {
  constructor(kind, names) {
    this.kind = kind;
    this.names = ['', ...names];
    this.index = new Map(this.names.map((name, i) => [name, i]));
  }

  of(name) {
    const found = this.index.get(name || '');
    if (found === undefined) throw new Error(`${this.kind} ${name} has no number`);
    return found;
  }
}
