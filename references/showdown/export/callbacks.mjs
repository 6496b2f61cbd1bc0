// Every callback of every effect that the format can produce, and how it is to be played:
//
//   constant   a value in place of a function
//   message    only writes to the log
//   modifier   multiplies a number under conditions that have names: rows (modifiers.mjs)
//   shared     the same text, up to its names and numbers, in several effects: one function with parameters
//   custom     a rule of its own
import {createHash} from 'node:crypto';
import {dex} from './scope.mjs';
import {rawCondition} from './dex.mjs';
import {modifierRows} from './modifiers.mjs';

const PARTS = ['self', 'secondary', 'secondaries', 'selfBoost']; // of a move; a condition is an effect of its own
const NO_CALLBACK = /(?:Priority|Order)$/;
const LOGS = /^\{(?:\s*this\.(?:add|hint|debug|attrLastMove)\((?:[^;"`]|"[^"]*"|`[^`]*`)*\);)*\s*\}$/;

/** Effects of the format as `{kind, id, data, effect}`; `effect` is Showdown's object, `data` the raw entry. */
export function effectsOf(scope) {
  const {Moves, Abilities, Items, Rulesets} = dex.data;
  const both = part => [...part.team, ...part.battle];
  const list = (kind, ids, data, get) => ids.map(id => ({kind, id, data: data(id), effect: get(id)}));
  return [
    ...list('move', both(scope.moves), id => Moves[id], id => dex.moves.get(id)),
    ...list('ability', both(scope.abilities), id => Abilities[id], id => dex.abilities.get(id)),
    ...list('item', both(scope.items), id => Items[id], id => dex.items.get(id)),
    ...list('condition', both(scope.conditions), rawCondition, id => dex.conditions.getByID(id)),
    ...list('rule', scope.rules, id => Rulesets[id] ?? {}, id => dex.formats.get(id)),
  ];
}

export function classify(scope) {
  const found = effectsOf(scope).flatMap(({kind, id, data}) => walk(data).map(entry => ({kind, id, ...entry})));
  const groups = new Map();
  for (const entry of found.filter(({value}) => typeof value === 'function')) {
    const key = skeleton(entry.value);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return found.map(({kind, id, path, value}) => {
    const base = {kind, id, callback: path};
    if (typeof value !== 'function') return {...base, class: 'constant', value};
    const source = createHash('sha256').update(String(value)).digest('hex').slice(0, 8);
    const rows = modifierRows(path.split('.').at(-1), value);
    if (rows) return {...base, class: 'modifier', source, rows};
    if (LOGS.test(bodyOf(value))) return {...base, class: 'message', source};
    const group = groups.get(skeleton(value));
    if (new Set(group.map(entry => entry.id)).size > 1) {
      return {...base, class: 'shared', source, like: `${group[0].kind} ${group[0].id} ${group[0].path}`};
    }
    return {...base, class: 'custom', source};
  });
}

/** Callbacks of an entry and of the parts of a move. */
function walk(data, prefix = '') {
  return Object.entries(data).flatMap(([key, value]) => {
    const path = prefix + key;
    if (PARTS.includes(key) && value) {
      return [value].flat().flatMap((part, i) => walk(part, Array.isArray(value) ? `${path}.${i}.` : `${path}.`));
    }
    const isCallback = typeof value === 'function' || (/^on[A-Z]/.test(key) && !NO_CALLBACK.test(key)) ||
      key === 'onFractionalPriority';
    return isCallback ? [{path, value}] : [];
  });
}

const bodyOf = callback => String(callback).replace(/\s+/g, ' ').replace(/^[^{]*\) (?=\{)/, '');

/** A function's text without its names and numbers. */
function skeleton(callback) {
  return String(callback).replace(/\s+/g, ' ').replace(/"[^"]*"/g, '""').replace(/\b\d+(?:\.\d+)?\b/g, '0');
}
