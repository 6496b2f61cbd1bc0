// What the format can produce, read from its sets and its own generator; nothing is sampled.
import {Dex, Teams, load, toID} from '../js/package.mjs';
import {FORMAT} from '../js/play.mjs';

const SETS = 'data/random-battles/gen9/sets.json';
// What the simulator itself calls without naming it in an effect.
const ALWAYS_CONDITIONS = [
  'brn', 'par', 'slp', 'frz', 'psn', 'tox', 'confusion', 'flinch', 'trapped', 'trapper', 'choicelock', 'futuremove',
  'stall', 'mustrecharge', 'lockedmove', 'twoturnmove', 'partiallytrapped', 'healreplacement',
];
const DOUBLES_ONLY = new Set(['clearamulet']); // asked for together with isDoubles
const GIVERS = [
  'addVolatile', 'removeVolatile', 'addSideCondition', 'addSlotCondition', 'addPseudoWeather', 'setWeather',
  'setTerrain', '[sS]etStatus',
];
const GIVES_CONDITION = new RegExp(`(?:${GIVERS.join('|')})\\(\\s*"([A-Za-z ]+)"`, 'g');

export const dex = Dex.forFormat(FORMAT);
export const sets = load(SETS);
export const isStandard = entry => entry.exists && !entry.isNonstandard;

/** Formes that the generator makes of its sets' species: every branch of its choice. */
function generated() {
  const found = new Set();
  for (const id of Object.keys(sets)) {
    const species = dex.species.get(id);
    for (let branch = 0, branches = 1; branch < branches; branch++) {
      const generator = Teams.getGenerator(FORMAT, 'gen5,0000000000000000');
      generator.sample = list => {
        branches = Math.max(branches, list.length);
        return list[branch % list.length];
      };
      found.add(dex.species.get(generator.getForme(species)).id);
    }
  }
  return found;
}

/** Formes that those may take during a battle. */
function reachable(formes) {
  const found = new Set();
  for (const id of formes) {
    const base = dex.species.get(dex.species.get(id).baseSpecies);
    for (const name of base.otherFormes ?? []) {
      const forme = dex.species.get(name);
      const from = [forme.battleOnly].flat().filter(Boolean).map(toID);
      const byItem = forme.requiredItems?.length && sets[forme.id]; // Zacian with its sword, Arceus with a plate
      if (isStandard(forme) && !formes.has(forme.id) && (from.length || byItem)) found.add(forme.id);
    }
  }
  return found;
}

/** Items named in the generator's own choice of an item, and those that formes require. */
function items(formes, abilities) {
  const found = new Set();
  const {prototype} = Teams.getGenerator(FORMAT, 'gen5,0000000000000000').constructor;
  const sources = [prototype.getPriorityItem, prototype.getItem, prototype.randomSet].map(String).join('\n');
  for (const [, text] of sources.matchAll(/"([^"\n]+)"/g)) {
    const item = dex.items.get(text);
    if (isStandard(item) && item.name === text && !DOUBLES_ONLY.has(item.id)) found.add(item.id);
  }
  // Gluttony's berries are named in parts; a set with it would need them listed here.
  if (abilities.has('gluttony')) throw new Error('a set has Gluttony, whose berries are not listed');
  for (const id of [...formes, ...Object.keys(sets)]) {
    const required = (dex.species.get(id).requiredItems ?? []).map(name => dex.items.get(name));
    for (const item of required.filter(isStandard)) found.add(item.id);
  }
  return found;
}

function conditions(effects) {
  const found = new Set(ALWAYS_CONDITIONS);
  const add = value => value && found.add(toID(value));
  for (const effect of effects) {
    for (const hit of hitsOf(effect)) {
      for (const key of ['volatileStatus', 'status', 'sideCondition', 'slotCondition', 'pseudoWeather']) add(hit[key]);
      for (const key of ['weather', 'terrain']) add(hit[key]);
    }
    if (effect.condition) found.add(effect.id);
    for (const [, name] of texts(effect).join('\n').matchAll(GIVES_CONDITION)) add(name);
  }
  return found;
}

/** An effect and, of a move, the parts that may give boosts, statuses and conditions. */
export function hitsOf(effect) {
  const secondaries = effect.secondaries ?? [];
  return [effect, effect.self, ...secondaries, ...secondaries.map(hit => hit.self)].filter(Boolean);
}

/** The text of every function in a value. */
export function texts(value) {
  if (typeof value === 'function') return [String(value)];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(texts) : [];
}

const sorted = set => [...set].sort();

/** Ids by kind; what a player's team may hold before what only a battle may bring. */
export function scope() {
  const formes = generated();
  const later = reachable(formes);
  const all = Object.values(sets).flatMap(entry => entry.sets);
  const moves = new Set(all.flatMap(set => set.movepool).map(toID));
  const abilities = new Set(all.flatMap(set => set.abilities).map(toID));
  const held = items(formes, abilities);
  const battleMoves = new Set(['struggle'].filter(id => !moves.has(id)));
  const battleAbilities = new Set([...later].flatMap(id => Object.values(dex.species.get(id).abilities).map(toID))
    .filter(id => !abilities.has(id)));
  const effects = [
    ...[...moves, ...battleMoves].map(id => dex.moves.get(id)),
    ...[...abilities, ...battleAbilities].map(id => dex.abilities.get(id)),
    ...[...held].map(id => dex.items.get(id)),
  ];
  let reached = conditions(effects);
  for (;;) { // conditions bring conditions
    const more = conditions([...effects, ...[...reached].map(id => dex.conditions.get(id))]);
    if (more.size === reached.size) break;
    reached = more;
  }
  // the first turn of these is a volatile with the move's name
  const charging = [...moves].filter(id => dex.moves.get(id).flags.charge);
  const known = [...[...reached].filter(id => dex.conditions.get(id).exists), ...charging];
  const base = new Set([...formes, ...later].map(id => toID(dex.species.get(id).baseSpecies)));
  const ofSpecies = [...formes, ...later, ...base].filter(id => id in dex.data.Conditions);
  return {
    formes: {team: sorted(formes), battle: sorted(later)},
    moves: {team: sorted(moves), battle: sorted(battleMoves)},
    abilities: {team: sorted(abilities), battle: sorted(battleAbilities)},
    items: {team: sorted(held), battle: []},
    conditions: {team: [], battle: sorted(new Set([...known, ...ofSpecies]))},
    rules: [...dex.formats.getRuleTable(dex.formats.get(FORMAT)).keys()].filter(rule => /^[a-z]/.test(rule)).sort(),
  };
}
