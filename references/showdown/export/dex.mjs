// Species, moves, abilities, items, natures and types of the installed package as tables of integers.
//
// Row 0 of every table is "none".  Then come the entries that a generated team can hold, then those that only a battle
// brings, then the rest of the generation; each part is sorted by id.  Column `scope` says which: 1, 2, 0.
import {toID} from '../js/package.mjs';
import {Numbers, Table} from './columns.mjs';
import {dex, isStandard} from './scope.mjs';

export const STATS = ['hp', 'atk', 'def', 'spa', 'spd', 'spe'];
export const BOOSTS = ['atk', 'def', 'spa', 'spd', 'spe', 'accuracy', 'evasion'];
export const STATUSES = ['brn', 'par', 'slp', 'frz', 'psn', 'tox'];
export const CATEGORIES = ['Physical', 'Special', 'Status'];
export const GENDERS = ['M', 'F', 'N'];
export const SELF_SWITCHES = ['true', 'copyvolatile', 'shedtail'];
export const MAX_SECONDARIES = 2;

const boosts = table => BOOSTS.map(stat => table?.[stat] ?? 0);
const fraction = pair => pair ?? [0, 1];
const or = (value, otherwise) => (value === undefined || value === null ? otherwise : value);

/** Ids of a kind in the order of the table, and the scope of each. */
function ordered(scope, all) {
  const inside = new Set([...scope.team, ...scope.battle]);
  const rest = all.filter(id => !inside.has(id)).sort();
  const kinds = [...scope.team.map(() => 1), ...scope.battle.map(() => 2), ...rest.map(() => 0)];
  return {ids: [...scope.team, ...scope.battle, ...rest], kinds: [0, ...kinds]};
}

const standard = list => list.filter(isStandard).map(entry => entry.id);

export function numbering(scope) {
  const of = {
    species: ordered(scope.formes, standard(dex.species.all())),
    move: ordered(scope.moves, standard(dex.moves.all())),
    ability: ordered(scope.abilities, standard(dex.abilities.all())),
    item: ordered(scope.items, standard(dex.items.all())),
    condition: ordered(scope.conditions, allConditions()),
  };
  const numbers = Object.fromEntries(Object.entries(of).map(([kind, {ids}]) => [kind, new Numbers(kind, ids)]));
  numbers.type = new Numbers('type', dex.types.names());
  numbers.nature = new Numbers('nature', dex.natures.all().map(nature => nature.id));
  numbers.category = new Numbers('category', CATEGORIES);
  numbers.gender = new Numbers('gender', GENDERS);
  numbers.status = new Numbers('status', STATUSES);
  numbers.stat = new Numbers('stat', STATS);
  numbers.condition_kind = new Numbers('condition_kind', CONDITION_KINDS);
  numbers.self_switch = new Numbers('self_switch', SELF_SWITCHES);
  const moves = of.move.ids.map(id => dex.moves.get(id));
  numbers.target = new Numbers('target', [...new Set(moves.map(move => move.target))].sort());
  numbers.move_flag = new Numbers('move_flag', [...new Set(moves.flatMap(move => Object.keys(move.flags)))].sort());
  const abilities = of.ability.ids.map(id => dex.abilities.get(id));
  numbers.ability_flag = new Numbers('ability_flag', [...new Set(abilities.flatMap(a => Object.keys(a.flags)))].sort());
  return {numbers, scopes: Object.fromEntries(Object.entries(of).map(([kind, {kinds}]) => [kind, kinds]))};
}

/** How Showdown writes the ids of species, moves, abilities and items. */
export function titles({numbers}) {
  const of = {species: dex.species, move: dex.moves, ability: dex.abilities, item: dex.items};
  return Object.fromEntries(Object.entries(of).map(([kind, entries]) => {
    const ids = numbers[kind].names.slice(1); // the first is none
    return [kind, Object.fromEntries(ids.map(id => [id, entries.get(id).name]))];
  }));
}

/** Conditions that standard moves, abilities and items bring, and those that stand by themselves. */
function allConditions() {
  const effects = [...dex.moves.all(), ...dex.abilities.all(), ...dex.items.all()].filter(isStandard);
  const own = effects.filter(effect => effect.condition).map(effect => effect.id);
  const named = effects.flatMap(effect => [
    effect.volatileStatus, effect.sideCondition, effect.slotCondition, effect.pseudoWeather, effect.weather,
    effect.terrain, effect.self?.volatileStatus, ...(effect.secondaries ?? []).map(hit => hit.volatileStatus),
    ...(effect.secondaries ?? []).map(hit => hit.self?.volatileStatus),
  ]);
  return [...new Set([...own, ...Object.keys(dex.data.Conditions), ...named.filter(Boolean).map(toID)])];
}

export function speciesTable({numbers, scopes}) {
  const ids = numbers.species.names;
  const all = ids.map(id => (id ? dex.species.get(id) : EMPTY_SPECIES));
  const table = new Table('species', ids, {
    read: [
      'num', 'types', 'baseStats', 'abilities', 'weightkg', 'gender', 'genderRatio', 'baseSpecies', 'battleOnly',
      'changesFrom', 'requiredItem', 'requiredItems', 'requiredTeraType', 'maxHP', 'evos',
      'tags',
    ],
    unread: [
      'name', 'heightm', 'color', 'prevo', 'evoLevel', 'eggGroups', 'otherFormes', 'formeOrder', 'canGigantamax',
      'evoType', 'evoItem', 'forme', 'evoRegion', 'evoCondition', 'canHatch', 'evoMove', 'mother', 'baseForme',
      'cosmeticFormes', 'isCosmeticForme', 'gen', 'requiredMove', 'cannotDynamax', 'requiredAbility',
    ],
  });
  ids.slice(1).forEach(id => table.check(id, dex.data.Pokedex[id] ?? {})); // a cosmetic forme has no entry
  const add = (name, dtype, read) => table.add(name, dtype, all.map(read));
  const named = (kind, name) => numbers[kind].of(name ? toID(name) : '');
  const first = value => [value].flat()[0];
  table.add('scope', 'uint8', scopes.species);
  add('num', 'uint16', s => s.num);
  add('types', 'uint8', s => [0, 1].map(k => numbers.type.of(s.types[k])));
  add('base_stats', 'uint8', s => STATS.map(stat => s.baseStats[stat] ?? 0));
  add('weight_hg', 'uint16', s => s.weighthg);
  add('abilities', 'uint16', s =>
    ['0', '1', 'H', 'S'].map(slot => named('ability', known(s.abilities[slot], numbers.ability))));
  add('gender', 'uint8', s => numbers.gender.of(s.gender));
  add('male_of_1000', 'uint16', s => Math.round(s.genderRatio.M * 1000));
  add('base_species', 'uint16', s => named('species', s.baseSpecies));
  add('battle_only_from', 'uint16', s => named('species', first(s.battleOnly)));
  add('changes_from', 'uint16', s => named('species', first(s.changesFrom)));
  add('required_item', 'uint16', s => named('item', known(s.requiredItems?.[0], numbers.item)));
  add('required_tera_type', 'uint8', s => numbers.type.of(s.requiredTeraType));
  add('can_evolve', 'bool', s => s.nfe);
  add('fixed_max_hp', 'uint8', s => s.maxHP ?? 0);
  add('paradox', 'bool', s => s.tags.includes('Paradox')); // not all whose abilities say so
  return table;
}

/** A name, unless it is of another generation: then it has no number. */
const known = (name, numbers) => (name && numbers.index.has(toID(name)) ? name : '');

const EMPTY_SPECIES = {
  num: 0, types: [], baseStats: {}, weighthg: 0, abilities: {}, gender: '', genderRatio: {M: 0}, baseSpecies: '',
  nfe: false, tags: [],
};

const MOVE_KEYS = {
  read: [
    'num', 'accuracy', 'basePower', 'category', 'pp', 'priority', 'flags', 'drain', 'target', 'type', 'volatileStatus',
    'status', 'secondary', 'secondaries', 'boosts', 'recoil', 'self', 'selfBoost', 'sideCondition', 'slotCondition',
    'pseudoWeather', 'weather', 'terrain', 'selfSwitch', 'overrideDefensiveStat', 'overrideOffensiveStat',
    'overrideOffensivePokemon', 'critRatio', 'willCrit', 'multihit', 'multiaccuracy', 'ignoreImmunity', 'thawsTarget',
    'stallingMove', 'forceSwitch', 'selfdestruct', 'heal', 'hasCrashDamage', 'sleepUsable', 'callsMove',
    'nonGhostTarget', 'damage', 'ignoreEvasion', 'ignoreDefensive', 'ignoreAbility', 'breaksProtect', 'smartTarget',
    'noPPBoosts', 'ohko', 'mindBlownRecoil', 'chloroblastRecoil', 'struggleRecoil', 'hasSheerForceBoost',
    'tracksTarget', 'condition',
  ],
  unread: ['name', 'contestType', 'zMove', 'maxMove'],
};
const EFFECT_KEYS = ['chance', 'status', 'volatileStatus', 'boosts', 'self', 'onHit'];

function checkEffect(id, effect) {
  const unknown = Object.keys(effect ?? {}).filter(key => !EFFECT_KEYS.includes(key));
  if (unknown.length) throw new Error(`move ${id}: nothing reads ${unknown} of an effect`);
}

export function movesTable({numbers, scopes}) {
  const ids = numbers.move.names;
  const all = ids.map(id => (id ? dex.moves.get(id) : EMPTY_MOVE));
  const table = new Table('moves', ids, MOVE_KEYS);
  ids.slice(1).forEach(id => table.check(id, dex.data.Moves[id]));
  const add = (name, dtype, read) => table.add(name, dtype, all.map(read));
  const condition = name => numbers.condition.of(name ? toID(name) : '');
  table.add('scope', 'uint8', scopes.move);
  add('num', 'uint16', m => Math.max(m.num, 0));
  add('type', 'uint8', m => numbers.type.of(m.type));
  add('category', 'uint8', m => numbers.category.of(m.category));
  add('base_power', 'uint8', m => m.basePower);
  add('accuracy', 'uint8', m => (m.accuracy === true ? 0 : m.accuracy)); // 0: never misses
  add('pp', 'uint8', m => m.pp);
  add('max_pp', 'uint8', m => (m.noPPBoosts ? m.pp : Math.floor(m.pp * 8 / 5)));
  add('priority', 'int8', m => m.priority);
  add('target', 'uint8', m => numbers.target.of(m.target));
  add('non_ghost_target', 'uint8', m => numbers.target.of(m.nonGhostTarget));
  add('flags', 'uint32', m => flagWords(Object.keys(m.flags), numbers.move_flag));
  add('crit_ratio', 'uint8', m => m.critRatio);
  add('will_crit', 'bool', m => m.willCrit ?? false);
  add('multihit', 'uint8', m => (Array.isArray(m.multihit) ? m.multihit : [or(m.multihit, 1), or(m.multihit, 1)]));
  add('multiaccuracy', 'bool', m => m.multiaccuracy ?? false);
  add('drain', 'uint8', m => fraction(m.drain));
  add('recoil', 'uint8', m => fraction(m.recoil));
  add('heal', 'uint8', m => fraction(m.heal));
  add('status', 'uint8', m => numbers.status.of(m.status));
  add('volatile', 'uint8', m => condition(m.volatileStatus));
  add('side_condition', 'uint8', m => condition(m.sideCondition));
  add('slot_condition', 'uint8', m => condition(m.slotCondition));
  add('pseudo_weather', 'uint8', m => condition(m.pseudoWeather));
  add('weather', 'uint8', m => condition(m.weather));
  add('terrain', 'uint8', m => condition(m.terrain));
  add('own_condition', 'uint8', m => condition(m.condition ? m.id : ''));
  add('boosts', 'int8', m => boosts(m.boosts));
  add('self_boost', 'int8', m => boosts(m.selfBoost?.boosts)); // once per move
  add('self_boosts', 'int8', m => boosts(m.self?.boosts)); // once per hit, after a draw
  add('self_chance', 'uint8', m => m.self?.chance ?? 0); // 0: none given
  add('self_volatile', 'uint8', m => condition(m.self?.volatileStatus));
  add('has_self', 'bool', m => Boolean(m.self));
  add('self_switch', 'uint8', m => numbers.self_switch.of(m.selfSwitch ? String(m.selfSwitch) : ''));
  add('force_switch', 'bool', m => m.forceSwitch ?? false);
  add('selfdestruct', 'uint8', m => ({always: 1, ifHit: 2})[m.selfdestruct] ?? 0);
  add('ohko', 'uint8', m => (m.ohko === true ? 1 : m.ohko === 'Ice' ? 2 : 0));
  add('fixed_damage', 'uint8', m => (m.damage === 'level' ? 255 : m.damage ?? 0)); // 255: the user's level
  add('ignore_immunity', 'bool', m => ignoresImmunity(m));
  add('ignore_ability', 'bool', m => m.ignoreAbility ?? false);
  add('ignore_defensive', 'bool', m => m.ignoreDefensive ?? false);
  add('ignore_evasion', 'bool', m => m.ignoreEvasion ?? false);
  add('defensive_stat', 'uint8', m => numbers.stat.of(m.overrideDefensiveStat)); // 0: by category
  add('offensive_stat', 'uint8', m => numbers.stat.of(m.overrideOffensiveStat));
  add('offense_of_target', 'bool', m => m.overrideOffensivePokemon === 'target');
  for (const [name, key] of FLAGS_OF_MOVES) add(name, 'bool', m => m[key] ?? false);
  addSecondaries(add, numbers, condition);
  return table;
}

const FLAGS_OF_MOVES = [
  ['crash_damage', 'hasCrashDamage'], ['mind_blown_recoil', 'mindBlownRecoil'],
  ['chloroblast_recoil', 'chloroblastRecoil'],
  ['struggle_recoil', 'struggleRecoil'], ['sheer_force', 'hasSheerForceBoost'], ['thaws_target', 'thawsTarget'],
  ['stalling', 'stallingMove'], ['sleep_usable', 'sleepUsable'], ['calls_move', 'callsMove'],
  ['breaks_protect', 'breaksProtect'], ['smart_target', 'smartTarget'], ['tracks_target', 'tracksTarget'],
];

function addSecondaries(add, numbers, condition) {
  const listed = m => m.secondaries ?? [];
  const each = read => m => {
    listed(m).forEach(hit => [hit, hit.self].forEach(effect => checkEffect(m.id, effect)));
    if (listed(m).length > MAX_SECONDARIES) throw new Error(`move ${m.id} has ${listed(m).length} secondary effects`);
    return Array.from({length: MAX_SECONDARIES}, (_, k) => read(listed(m)[k] ?? {}));
  };
  add('secondaries', 'uint8', m => listed(m).length);
  add('secondary_chance', 'uint8', each(hit => hit.chance ?? 0));
  add('secondary_status', 'uint8', each(hit => numbers.status.of(hit.status)));
  add('secondary_volatile', 'uint8', each(hit => condition(hit.volatileStatus)));
  add('secondary_boosts', 'int8', each(hit => boosts(hit.boosts)));
  add('secondary_self_boosts', 'int8', each(hit => boosts(hit.self?.boosts)));
  add('secondary_self_volatile', 'uint8', each(hit => condition(hit.self?.volatileStatus)));
  add('secondary_calls', 'bool', each(hit => Boolean(hit.onHit || hit.self?.onHit))); // has a callback
}

/** Status moves ignore type immunity unless they say otherwise, as Showdown's loader has it. */
function ignoresImmunity(move) {
  const value = move.ignoreImmunity;
  const plain = value === undefined || typeof value === 'boolean';
  if (!plain) throw new Error(`move ${move.id} ignores some immunities only`);
  return value ?? false;
}

/** Two words; flag number n is bit n - 1. */
function flagWords(names, numbers) {
  const words = [0, 0];
  for (const name of names) {
    const bit = numbers.of(name) - 1;
    words[bit >> 5] += 2 ** (bit & 31);
  }
  return words;
}

const EMPTY_MOVE = {
  id: '', num: 0, type: '', category: '', basePower: 0, accuracy: 0, pp: 0, priority: 0, target: '', flags: {},
  critRatio: 0,
};

export function abilitiesTable({numbers, scopes}) {
  const ids = numbers.ability.names;
  const all = ids.map(id => (id ? dex.abilities.get(id) : {flags: {}}));
  const table = new Table('abilities', ids, {
    read: ['num', 'flags', 'suppressWeather', 'condition'], unread: ['name', 'rating'],
  });
  ids.slice(1).forEach(id => table.check(id, dex.data.Abilities[id]));
  const add = (name, dtype, read) => table.add(name, dtype, all.map(read));
  table.add('scope', 'uint8', scopes.ability);
  add('num', 'uint16', ability => ability.num ?? 0);
  add('flags', 'uint32', ability => flagWords(Object.keys(ability.flags), numbers.ability_flag)[0]);
  add('suppress_weather', 'bool', ability => ability.suppressWeather ?? false);
  add('own_condition', 'uint8', ability => numbers.condition.of(ability.condition ? ability.id : ''));
  return table;
}

export function itemsTable({numbers, scopes}) {
  const ids = numbers.item.names;
  const all = ids.map(id => (id ? dex.items.get(id) : {}));
  const table = new Table('items', ids, {
    read: ['num', 'fling', 'isBerry', 'isChoice', 'isGem', 'ignoreKlutz', 'forcedForme', 'boosts',
      'naturalGift', 'condition'],
    unread: ['name', 'gen', 'spritenum', 'isPokeball', 'itemUser'], // a user counts for Z and Mega items only
  });
  ids.slice(1).forEach(id => table.check(id, dex.data.Items[id]));
  const add = (name, dtype, read) => table.add(name, dtype, all.map(read));
  const species = name => numbers.species.of(name ? toID(name) : '');
  table.add('scope', 'uint8', scopes.item);
  add('num', 'uint16', item => Math.max(item.num ?? 0, 0));
  add('berry', 'bool', item => item.isBerry ?? false);
  add('choice', 'bool', item => item.isChoice ?? false);
  add('gem', 'bool', item => item.isGem ?? false);
  add('ignore_klutz', 'bool', item => item.ignoreKlutz ?? false);
  add('fling_power', 'uint8', item => item.fling?.basePower ?? 0);
  add('fling_status', 'uint8', item => numbers.status.of(item.fling?.status));
  add('fling_volatile', 'uint8', item => numbers.condition.of(item.fling?.volatileStatus));
  add('plate_type', 'uint8', item => numbers.type.of(item.onPlate));
  add('forced_forme', 'uint16', item => species(item.forcedForme));
  add('boosts', 'int8', item => boosts(item.boosts)); // what it raises when it is used
  add('natural_gift', 'uint8', item => [item.naturalGift?.basePower ?? 0, numbers.type.of(item.naturalGift?.type)]);
  add('own_condition', 'uint8', item => numbers.condition.of(item.condition ? item.id : ''));
  return table;
}

export function naturesTable({numbers}) {
  const all = numbers.nature.names.map(id => dex.natures.get(id));
  const table = new Table('natures', numbers.nature.names, {read: ['plus', 'minus'], unread: ['name']});
  table.add('plus', 'uint8', all.map(nature => numbers.stat.of(nature.plus)));
  table.add('minus', 'uint8', all.map(nature => numbers.stat.of(nature.minus)));
  return table;
}

/** Row: defending type.  Columns: by attacking type, and by status. */
export function typesTable({numbers}) {
  const names = numbers.type.names;
  const table = new Table('types', names, {read: ['damageTaken'], unread: ['HPivs', 'HPdvs']});
  names.slice(1).forEach(name => table.check(name, dex.data.TypeChart[toID(name)]));
  const taken = names.map(name => (name ? dex.types.get(name).damageTaken : {}));
  const others = new Set(taken.flatMap(Object.keys).filter(key => !names.includes(key)));
  const immunities = [...others].sort();
  numbers.immunity = new Numbers('immunity', immunities);
  // exponent of two of the factor: 1 weak, -1 resistant; immune stands apart
  table.add('effectiveness', 'int8', taken.map(row => names.map(name => [0, 1, -1, 0][row[name] ?? 0])));
  table.add('immune', 'bool', taken.map(row => names.map(name => row[name] === 3)));
  table.add('immune_to', 'bool', taken.map(row => numbers.immunity.names.map(key => key !== '' && row[key] === 3)));
  return table;
}

export const CONDITION_KINDS = ['Status', 'Weather', 'Terrain', 'Condition'];

export function conditionsTable({numbers, scopes}) {
  const ids = numbers.condition.names;
  const all = ids.map(id => (id ? dex.conditions.get(id) : {}));
  const table = new Table('conditions', ids, {
    read: ['duration', 'noCopy', 'effectType', 'counterMax', 'affectsFainted'], unread: ['name'],
  });
  ids.slice(1).forEach(id => table.check(id, rawCondition(id)));
  const add = (name, dtype, read) => table.add(name, dtype, all.map(read));
  table.add('scope', 'uint8', scopes.condition);
  add('kind', 'uint8', c => (c.id ? numbers.condition_kind.of(kindOf(c)) : 0));
  add('duration', 'uint8', c => c.duration ?? 0); // 0: none, or a callback's
  add('no_copy', 'bool', c => c.noCopy ?? false);
  add('counter_max', 'uint16', c => c.counterMax ?? 0);
  add('affects_fainted', 'bool', c => c.affectsFainted ?? false);
  return table;
}

const kindOf = c => (CONDITION_KINDS.includes(c.effectType) ? c.effectType : 'Condition');

/** The data of a condition, which may belong to a move, an ability or an item. */
export function rawCondition(id) {
  const {Conditions, Moves, Abilities, Items} = dex.data;
  return Conditions[id] ?? Moves[id]?.condition ?? Abilities[id]?.condition ?? Items[id]?.condition ?? {};
}
