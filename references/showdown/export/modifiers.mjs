// Callbacks that only multiply a number, read as rows: when this holds, multiply by that many 4096ths.
//
// A condition is a tree: ["and", …], ["or", …], ["not", c] or an atom such as ["move_type", "Fire"] or
// ["hp_full", "target"].
// A callback whose text has anything else in it is no modifier (null): nothing is guessed.
const DEFENDER_FIRST = /ModifyDef|ModifySpD|ModifyAccuracy/;
const WHO = '(user|target)';
const RETURNS_PRODUCT =
  /^return this\.(?:(chain)Modify\(|modify\(relay, )(?:(\d+(?:\.\d+)?)|\[(\d+), (\d+)\])\);/;

const ATOMS = Object.entries({
  move_type: 'move\\.type === "(\\w+)"',
  move_flag: 'move\\.flags\\["(\\w+)"\\]',
  move_category: '(?:move\\.category|this\\.getCategory\\(move\\)) === "(\\w+)"',
  move_id: 'move\\.id === "(\\w+)"',
  move_has: 'move\\.(recoil|hasCrashDamage|hasSheerForce|hasSheerForceBoost|infiltrates)',
  type_changed_by_this: 'move\\.typeChangerBoosted === this\\.effect',
  critical: 'target\\.getMoveHitData\\(move\\)\\.crit',
  super_effective: 'target\\.(?:getMoveHitData\\(move\\)\\.typeMod|runEffectiveness\\(move\\)) > 0',
  not_very_effective: 'target\\.getMoveHitData\\(move\\)\\.typeMod < 0',
  hp_at_most_third: `${WHO}\\.hp <= \\1\\.maxhp / 3`,
  hp_at_most_half: `${WHO}\\.hp <= \\1\\.maxhp / 2`,
  hp_full: `${WHO}\\.hp >= \\1\\.maxhp`,
  has_status: `${WHO}\\.status`,
  status_is: `${WHO}\\.status === "(\\w+)"`,
  status_is_not: `${WHO}\\.status !== "(\\w+)"`,
  has_item: `${WHO}\\.item`,
  has_type: `${WHO}\\.hasType\\("(\\w+)"\\)`,
  has_ability: `${WHO}\\.hasAbility\\("([\\w ]+)"\\)`,
  has_volatile: `${WHO}\\.volatiles\\["(\\w+)"\\]`,
  ignores_own_ability: `${WHO}\\.ignoringAbility\\(\\)`,
  grounded: `${WHO}\\.isGrounded\\(\\)`,
  semi_invulnerable: `${WHO}\\.isSemiInvulnerable\\(\\)`,
  stats_lowered_this_turn: `${WHO}\\.statsLoweredThisTurn`,
  can_evolve: `${WHO}\\.baseSpecies\\.nfe`,
  species_number: `${WHO}\\.baseSpecies\\.num === (\\d+)`,
  species_begins: `${WHO}\\.baseSpecies\\.name\\.startsWith\\("([\\w-]+)"\\)`,
  base_species: `${WHO}\\.baseSpecies\\.baseSpecies === "(\\w+)"`,
  gender: `${WHO}\\.gender`,
  same_gender: 'user\\.gender === target\\.gender',
  weather_for: `${WHO}\\.effectiveWeather\\(\\) === "(\\w+)"`,
  weather_not_for: `${WHO}\\.effectiveWeather\\(\\) !== "(\\w+)"`,
  weather_one_of_for: `\\[([\\w", ]+)\\]\\.includes\\(${WHO}\\.effectiveWeather\\(\\)\\)`,
  field_weather: 'this\\.field\\.isWeather\\("(\\w+)"\\)',
  field_weather_one_of: 'this\\.field\\.isWeather\\(\\[([\\w", ]+)\\]\\)',
  field_terrain: 'this\\.field\\.isTerrain\\("(\\w+)"\\)',
  pseudo_weather: 'this\\.field\\.getPseudoWeather\\("(\\w+)"\\)',
  last_success_this_turn: 'this\\.lastSuccessfulMoveThisTurn === "(\\w+)"',
  best_stat_is_not: 'this\\.effectState\\.bestStat !== "(\\w+)"',
  accuracy_is_number: 'typeof accuracy === "number"',
  accuracy_is_no_number: 'typeof accuracy !== "number"',
  own_counter: 'this\\.effectState\\.counter',
  turns_active: `${WHO}\\.activeTurns`,
  acting_for_another: 'user !== this\\.effectState\\.target',
}).map(([name, pattern]) => [name, new RegExp(`^${pattern}$`)]);

/** Rows `{when, op, by}` of a callback, or null. `op` is "chain" (chainModify) or "modify"; `by` is in 4096ths. */
export function modifierRows(name, callback) {
  const text = String(callback).replace(/\s+/g, ' ').trim();
  const match = /^\w+\(([^)]*)\) \{(.*)\}$/.exec(text);
  if (!match) return null;
  let body = match[2].replace(/this\.debug\((?:"[^"]*"|`[^`]*`)\);/g, '');
  const parameters = match[1].split(',').map(parameter => parameter.trim());
  const roles = DEFENDER_FIRST.test(name) ? ['target', 'user'] : ['user', 'target'];
  // All at once, because the source calls by one role's name what is the other here.
  const meaning = new Map([[parameters[0], name.includes('Accuracy') ? 'accuracy' : 'relay']]);
  roles.forEach((role, i) => parameters[i + 1] && meaning.set(parameters[i + 1], role));
  if (parameters[3]) meaning.set(parameters[3], 'move');
  body = body.replace(/(?<![.\w"])[A-Za-z_]\w*/g, word => meaning.get(word) ?? word);
  const rows = [];
  return statements(body.trim(), ['and'], rows) && rows.length ? rows : null;
}

/** Reads statements under a condition; false where the text is something else. */
function statements(text, given, rows) {
  while (text) {
    let match;
    if ((match = /^if \(/.exec(text))) {
      const close = closing(text, 3);
      const condition = parse(text.slice(4, close));
      if (!condition) return false;
      let rest = text.slice(close + 1).trim();
      let then;
      if (rest.startsWith('{')) {
        const end = closing(rest, 0);
        then = rest.slice(1, end).trim();
        rest = rest.slice(end + 1).trim();
      } else {
        const end = rest.indexOf(';');
        then = rest.slice(0, end + 1);
        rest = rest.slice(end + 1).trim();
      }
      if (rest.startsWith('else') || !statements(then, [...given, condition], rows)) return false;
      given = [...given, ['not', condition]]; // every branch returns
      if (!/return/.test(then)) return false;
      text = rest;
    } else if ((match = /^return;/.exec(text))) {
      return text === 'return;';
    } else if ((match = RETURNS_PRODUCT.exec(text))) {
      const [whole, chain, decimal, numerator, denominator] = match;
      const by = Math.trunc((decimal ? Number(decimal) : numerator / denominator) * 4096);
      rows.push({when: simplified(given), op: chain ? 'chain' : 'modify', by});
      return text === whole;
    } else {
      return false;
    }
  }
  return true;
}

const simplified = condition => (condition.length > 2 ? condition : condition[1] ?? ['always']);

/** A condition as a tree, or null. */
function parse(text) {
  text = text.trim();
  for (const [operator, word] of [['||', 'or'], ['&&', 'and']]) {
    // `move &&` asks whether there is a move: there always is
    const parts = split(text, operator).filter(part => !(word === 'and' && part.trim() === 'move'));
    if (parts.length > 1) {
      const trees = parts.map(parse);
      return trees.includes(null) ? null : [word, ...trees];
    }
    if (parts.length === 1) text = parts[0].trim();
  }
  if (text.startsWith('(') && closing(text, 0) === text.length - 1) return parse(text.slice(1, -1));
  if (text.startsWith('!')) {
    const inner = parse(text.slice(1));
    return inner && ['not', inner];
  }
  for (const [name, pattern] of ATOMS) {
    const match = pattern.exec(text);
    if (match) return [name, ...match.slice(1).map(value => value.replaceAll('"', '').replaceAll(', ', '|'))];
  }
  return null;
}

/** Where the bracket at `start` closes. */
function closing(text, start) {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if ('([{'.includes(text[i])) depth++;
    if (')]}'.includes(text[i]) && --depth === 0) return i;
  }
  throw new Error(`no closing bracket: ${text}`);
}

function split(text, operator) {
  const parts = [];
  let depth = 0, from = 0;
  for (let i = 0; i < text.length; i++) {
    if ('([{'.includes(text[i])) depth++;
    if (')]}'.includes(text[i])) depth--;
    if (depth === 0 && text.startsWith(operator, i)) {
      parts.push(text.slice(from, i));
      from = i + operator.length;
    }
  }
  return [...parts, text.slice(from)];
}
