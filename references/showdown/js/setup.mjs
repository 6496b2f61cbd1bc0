// Puts a battle into a situation before its first decision, by Showdown's own methods, so that one mechanic can be
// looked at alone.  The generator is set back to the battle's seed afterwards and draws are counted from there.
//
// A setup is a list of changes, made in order.  What decides which choices are offered (volatiles, items, abilities)
// cannot be set: a team and some turns bring it about.
import {RequestError} from './serve.mjs';
import {reseed} from './seeds.mjs';

const STATUSES = ['brn', 'par', 'slp', 'frz', 'psn', 'tox'];
const BOOSTS = ['atk', 'def', 'spa', 'spd', 'spe', 'accuracy', 'evasion'];
const integer = (value, low, high) => Number.isInteger(value) && value >= low && value <= high;

/** Changes by name; each gets the battle and its arguments and returns whether they make sense. */
const CHANGES = {
  // ["hp", side, member, value]
  hp({pokemon}, side, member, value) {
    const target = pokemon(side, member);
    return integer(value, 1, target.maxhp) && target.sethp(value) !== false;
  },
  // ["status", side, member, id]
  status({pokemon}, side, member, id) {
    return STATUSES.includes(id) && pokemon(side, member).setStatus(id, null, null, true);
  },
  // ["boosts", side, [7 numbers]]: of the active Pokémon
  boosts({active}, side, values) {
    if (values?.length !== BOOSTS.length || !values.every(value => integer(value, -6, 6))) return false;
    active(side).setBoost(Object.fromEntries(BOOSTS.map((stat, i) => [stat, values[i]])));
    return true;
  },
  // ["pp", side, member, slot, value]
  pp({pokemon}, side, member, slot, value) {
    const move = pokemon(side, member).baseMoveSlots[slot];
    if (!move || !integer(value, 1, move.maxpp)) return false;
    move.pp = value;
    return true;
  },
  // ["side_condition", side, id]: once per layer; set by the other side's active Pokémon
  side_condition({battle, active, effect}, side, id) {
    return effect(id).onSideStart && battle.sides[side].addSideCondition(id, active(1 - side));
  },
  // ["weather", id], ["terrain", id], ["pseudo_weather", id]: set by the first side's active Pokémon
  weather({battle, active, effect}, id) {
    return effect(id).effectType === 'Weather' && battle.field.setWeather(id, active(0));
  },
  terrain({battle, active, effect}, id) {
    return effect(id).effectType === 'Terrain' && battle.field.setTerrain(id, active(0));
  },
  pseudo_weather({battle, active, effect}, id) {
    const fits = effect(id).effectType === 'Condition' && effect(id).onFieldStart;
    return fits && battle.field.addPseudoWeather(id, active(0));
  },
};

/** Makes the changes; throws a RequestError at the first that makes no sense or that Showdown refuses. */
export function arrange(play, setup) {
  const {battle, numbers} = play;
  const find = wanted => [...numbers].find(([, number]) => number === wanted)?.[0];
  const tools = {
    battle,
    effect: id => battle.dex.conditions.get(id),
    active: side => battle.sides[side].active[0],
    pokemon: (side, member) => find(6 * side + member),
  };
  for (const change of setup) {
    const [name, ...given] = Array.isArray(change) ? change : [];
    const known = Object.hasOwn(CHANGES, name ?? '');
    const needsSide = known && !['weather', 'terrain', 'pseudo_weather'].includes(name);
    const placed = !needsSide || integer(given[0], 0, 1);
    const needsMember = ['hp', 'status', 'pp'].includes(name);
    const exists = !needsMember || (placed && integer(given[1], 0, 5) && tools.pokemon(...given));
    if (!known || !placed || !exists || !CHANGES[name](tools, ...given)) {
      throw new RequestError(`setup ${JSON.stringify(change)}, expected one of ${Object.keys(CHANGES).join(', ')} as ` +
        'js/setup.mjs describes them, and possible in this battle');
    }
  }
  battle.updateSpeed();
  reseed(battle.prng, play.seed);
  play.counter.draws = 0;
  play.counter.log?.splice(0);
}
