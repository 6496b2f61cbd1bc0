// A battle's state in canonical form, in two tiers.
//
// `core` is what a player of the cartridge would call the state, the generator included; `aux` is the bookkeeping that
// decides later behaviour without being seen.  Both are plain JSON: keys in the order written here, maps sorted by key,
// Pokémon in the order of the original team.  "#n" is a Pokémon: 6 * side + place in the original team.
import {requestKind} from './legal.mjs';
import {RequestError} from './serve.mjs';
import {generatorWords} from './seeds.mjs';

const STATS = ['atk', 'def', 'spa', 'spd', 'spe'];
const BOOSTS = [...STATS, 'accuracy', 'evasion'];
// of an effect's state: its own name, and what is stated elsewhere
const LEFT_OUT = new Set(['id', 'name', 'fullname', 'effectOrder', 'target']);
const RULES = ['Rule', 'Ruleset', 'Format', 'ValidatorRule'];
const isScalar = value => ['number', 'string', 'boolean'].includes(typeof value);

/** Numbers of a battle's Pokémon, which stay when they change places. */
export function numberPokemon(battle) {
  return new Map(battle.sides.flatMap(side => side.pokemon.map((pokemon, index) => [pokemon, side.n * 6 + index])));
}

/** Constants of a team that another simulator needs: what stays the same for a whole battle. */
export function constants(side) {
  return side.pokemon.map(pokemon => ({
    species: pokemon.baseSpecies.id,
    level: pokemon.level,
    gender: pokemon.gender || 'N',
    nature: pokemon.set.nature || '',
    ability: pokemon.baseAbility,
    item: pokemon.item,
    maxhp: pokemon.maxhp,
    stats: STATS.map(stat => pokemon.storedStats[stat]),
    moves: pokemon.baseMoveSlots.map(slot => [slot.id, slot.maxpp]),
    tera: pokemon.teraType || '',
    weight: pokemon.weighthg,
    evs: [pokemon.set.evs.hp, ...STATS.map(stat => pokemon.set.evs[stat])],
    ivs: [pokemon.set.ivs.hp, ...STATS.map(stat => pokemon.set.ivs[stat])],
  }));
}

/** The same once the battle has begun: who holds a rusted sword or shield has become another species. */
export function crowned(described, side) {
  const now = constants(side);
  const isCrowned = (before, n) => now[n].species === `${before.species}crowned`;
  return described.map((before, n) => (isCrowned(before, n) ? {...now[n], item: before.item} : before));
}

function plain(value, numbers) {
  if (isScalar(value)) return value;
  if (numbers.has(value)) return `#${numbers.get(value)}`;
  if (Array.isArray(value)) {
    return value.map(item => (isScalar(item) ? item : numbers.has(item) ? `#${numbers.get(item)}` : item?.id ?? null));
  }
  if (typeof value.id === 'string' && value.id) return value.id; // a move or an effect
  const scalars = Object.keys(value).sort().filter(key => isScalar(value[key]));
  return scalars.length ? Object.fromEntries(scalars.map(key => [key, value[key]])) : undefined;
}

/** Every scalar that an effect's state carries, ids of effects and moves, numbers of Pokémon. */
function effectState(state, numbers) {
  const out = {};
  for (const key of Object.keys(state).sort()) {
    const value = state[key];
    if (LEFT_OUT.has(key) || value === undefined || value === null || typeof value === 'function') continue;
    const kept = plain(value, numbers);
    if (kept !== undefined) out[key] = kept;
  }
  return out;
}

function effects(map, numbers, keep = () => true) {
  const ids = Object.keys(map).filter(keep).sort();
  return Object.fromEntries(ids.map(id => [id, effectState(map[id], numbers)]));
}

const inTeamOrder = (side, numbers) => [...side.pokemon].sort((a, b) => numbers.get(a) - numbers.get(b));

/** How far a battle is; `counter` is that of counting.mjs, `winner` 1, 2, 0 for a tie, null before the end. */
export function summary({battle, counter}) {
  const won = battle.sides.findIndex(side => side.name === battle.winner); // which is a name, empty for a tie
  return {
    turn: battle.turn,
    generator: generatorWords(battle.prng),
    draws: counter.draws,
    ended: battle.ended,
    winner: battle.ended ? won + 1 : null,
  };
}

/** First tier. */
export function core({battle, numbers, counter}) {
  const {field} = battle;
  const isEffect = id => !RULES.includes(battle.dex.conditions.getByID(id).effectType);
  return {
    ...summary({battle, counter}),
    request: battle.requestState,
    weather: field.weather ? [field.weather, field.weatherState.duration || 0] : null,
    terrain: field.terrain ? [field.terrain, field.terrainState.duration || 0] : null,
    pseudo_weather: effects(field.pseudoWeather, numbers, isEffect),
    sides: battle.sides.map(side => ({
      request: battle.ended ? 'none' : requestKind(side),
      left: side.pokemonLeft,
      order: side.pokemon.map(pokemon => numbers.get(pokemon) % 6),
      conditions: effects(side.sideConditions, numbers),
      slot_conditions: effects(side.slotConditions[0] || {}, numbers),
      pokemon: inTeamOrder(side, numbers).map(pokemon => ({
        species: pokemon.species.id,
        hp: pokemon.hp,
        maxhp: pokemon.maxhp,
        status: pokemon.status,
        status_state: pokemon.status ? effectState(pokemon.statusState, numbers) : {},
        fainted: pokemon.fainted,
        active: pokemon.isActive,
        item: pokemon.item,
        ability: pokemon.ability,
        types: pokemon.getTypes(),
        terastallized: pokemon.terastallized || '',
        can_terastallize: !!pokemon.canTerastallize,
        boosts: BOOSTS.map(boost => pokemon.boosts[boost]),
        stats: STATS.map(stat => pokemon.storedStats[stat]),
        moves: pokemon.moveSlots.map(slot => [slot.id, slot.pp]),
        volatiles: effects(pokemon.volatiles, numbers),
      })),
    })),
  };
}

const id = effect => (effect ? effect.id : '');
const number = (pokemon, numbers) => (pokemon ? numbers.get(pokemon) : -1);
const result = value => (value === undefined ? 'undefined' : value);

/** The second tier of a Pokémon, by key. */
const BOOKKEEPING = {
  base_species: pokemon => pokemon.baseSpecies.id,
  base_ability: pokemon => pokemon.baseAbility,
  base_moves: pokemon => pokemon.baseMoveSlots.map(slot => [slot.id, slot.pp]),
  volatile_list: pokemon => Object.keys(pokemon.volatiles), // in order of insertion, which breaks ties
  speed: pokemon => pokemon.speed,
  last_move: pokemon => id(pokemon.lastMove),
  last_move_used: pokemon => id(pokemon.lastMoveUsed),
  this_turn_result: pokemon => result(pokemon.moveThisTurnResult),
  last_turn_result: pokemon => result(pokemon.moveLastTurnResult),
  last_item: pokemon => pokemon.lastItem,
  ate_berry: pokemon => pokemon.ateBerry,
  used_item: pokemon => pokemon.usedItemThisTurn,
  stats_raised: pokemon => pokemon.statsRaisedThisTurn,
  stats_lowered: pokemon => pokemon.statsLoweredThisTurn,
  hurt_this_turn: pokemon => pokemon.hurtThisTurn,
  times_attacked: pokemon => pokemon.timesAttacked,
  active_turns: pokemon => pokemon.activeTurns,
  active_move_actions: pokemon => pokemon.activeMoveActions,
  newly_switched: pokemon => pokemon.newlySwitched,
  illusion: (pokemon, numbers) => number(pokemon.illusion, numbers),
  transformed: pokemon => pokemon.transformed,
  trapped: pokemon => pokemon.trapped,
  maybe_trapped: pokemon => pokemon.maybeTrapped,
  disabled: pokemon => pokemon.moveSlots.map(slot => (slot.disabled ? 1 : 0)),
  added_type: pokemon => pokemon.addedType,
  ability_state: (pokemon, numbers) => effectState(pokemon.abilityState, numbers),
  ability_order: pokemon => pokemon.abilityState.effectOrder,
  item_state: (pokemon, numbers) => effectState(pokemon.itemState, numbers),
  item_order: pokemon => pokemon.itemState.effectOrder,
  stellar_types: pokemon => pokemon.stellarBoostedTypes || [],
  attacked_by: (pokemon, numbers) =>
    pokemon.attackedBy.map(by => [number(by.source, numbers), by.damage, by.move, by.thisTurn]),
  weight: pokemon => pokemon.weighthg,
};

/** Second tier; with `keys` only these of each Pokémon, and nothing else: what another simulator carries. */
export function aux({battle, numbers}, keys) {
  const unknown = keys?.find(key => !Object.hasOwn(BOOKKEEPING, key));
  if (unknown) throw new RequestError(`aux_keys: ${unknown}, expected some of ${Object.keys(BOOKKEEPING).join(', ')}`);
  const described = (keys ?? Object.keys(BOOKKEEPING)).map(key => [key, BOOKKEEPING[key]]);
  const ofPokemon = side => inTeamOrder(side, numbers).map(pokemon =>
    Object.fromEntries(described.map(([key, found]) => [key, found(pokemon, numbers)])));
  if (keys) return {sides: battle.sides.map(side => ({pokemon: ofPokemon(side)}))};
  const orders = map => Object.fromEntries(Object.keys(map).sort().map(key => [key, map[key].effectOrder]));
  return {
    effect_order: battle.effectOrder,
    speed_order: [...battle.speedOrder],
    last_move: id(battle.lastMove),
    last_damage: battle.lastDamage,
    last_success: battle.lastSuccessfulMoveThisTurn || '',
    queue: battle.queue.list.map(action => [
      action.choice, number(action.pokemon, numbers), action.order, action.priority || 0, action.speed, id(action.move),
    ]),
    field_orders: orders(battle.field.pseudoWeather),
    sides: battle.sides.map(side => ({
      fainted_this_turn: number(side.faintedThisTurn, numbers),
      fainted_last_turn: number(side.faintedLastTurn, numbers),
      total_fainted: side.totalFainted,
      condition_list: Object.keys(side.sideConditions),
      pokemon: ofPokemon(side),
    })),
  };
}
