// For each event: which effects of the format handle it, in which order, and which of them can tie.
//
// Order, priority and subOrder come from Battle.resolvePriority itself.  Handlers that are equal in all three (and in
// the holder's cached speed) are shuffled, which costs draws; so the groups of equals are what an engine has to know.
import {Battle, load} from '../js/package.mjs';
import {FORMAT} from '../js/play.mjs';
import {playEpisode} from '../js/episode.mjs';
import {dex, hitsOf, texts} from './scope.mjs';
import {effectsOf} from './callbacks.mjs';

// Battle.runEvent: sorted by order, priority and place, without draws
const LEFT_TO_RIGHT = new Set(['Invulnerability', 'TryHit', 'DamagingHit', 'EntryHazard']);
// Battle.fieldEvent: handlers of sides and of the field are gathered once for each active Pokémon, with its speed
const PER_POKEMON = new Set(['Residual', 'SwitchIn']);
// Battle.findEventHandlers gives these an effectOrder, which no two handlers share: they never tie
const NEVER_TIES = new Set(['SwitchIn', 'RedirectTarget']);
const PREFIXES = ['Ally', 'Any', 'Foe', 'Source', ''];
const PLACES = ['Field', 'Side', ''];
const STATS = ['Atk', 'Def', 'SpA', 'SpD', 'Spe'];

/** Names of events by how their handlers are sorted, read from the simulator's own calls. */
function dispatch() {
  const {BattleActions} = load('sim/battle-actions.js');
  const {Pokemon} = load('sim/pokemon.js');
  const {Side} = load('sim/side.js');
  const {Field} = load('sim/field.js');
  const {BattleQueue} = load('sim/battle-queue.js');
  const classes = [Battle, BattleActions, Pokemon, Side, Field, BattleQueue].map(String);
  const {Moves, Abilities, Items, Conditions, Rulesets} = dex.data;
  const callbacks = texts([Moves, Abilities, Items, Conditions, Rulesets]);
  const source = [...classes, ...callbacks].join('\n');
  const called = how => new Set([...source.matchAll(new RegExp(`\\b${how}\\("(\\w+)"`, 'g'))].map(match => match[1]));
  const sorted = new Set([...called('runEvent'), ...called('eachEvent'), ...called('fieldEvent')]);
  sorted.delete('Modify'); // the name is put together: Modify and a stat
  STATS.forEach(stat => sorted.add(`Modify${stat}`));
  return {sorted, byPriority: called('priorityEvent')};
}

/** Where each condition of the format is kept: on a Pokémon, a slot, a side or the field. */
function holders(effects) {
  const found = new Map();
  const note = (id, holder) => id && found.set(id, (found.get(id) ?? new Set()).add(holder));
  const id = name => dex.toID(name);
  const keys = {
    volatileStatus: 'volatile', status: 'status', sideCondition: 'side', slotCondition: 'slot', pseudoWeather: 'field',
    weather: 'field', terrain: 'field',
  };
  const calls = {
    addVolatile: 'volatile', addSideCondition: 'side', addSlotCondition: 'slot', addPseudoWeather: 'field',
    setWeather: 'field', setTerrain: 'field',
  };
  for (const {kind, effect, data} of effects) {
    for (const part of kind === 'rule' ? [] : hitsOf(effect)) {
      for (const [key, holder] of Object.entries(keys)) {
        if (typeof part[key] === 'string') note(id(part[key]), holder);
      }
    }
    const source = texts(data).join('\n');
    for (const [call, holder] of Object.entries(calls)) {
      for (const [, name] of source.matchAll(new RegExp(`${call}\\(\\s*"([\\w ]+)"`, 'g'))) note(id(name), holder);
    }
  }
  note('futuremove', 'slot');
  const statuses = ['brn', 'par', 'slp', 'frz', 'psn', 'tox'];
  statuses.forEach(status => found.set(status, new Set(['status'])));
  return found;
}

const expires = data =>
  data.duration || data.durationCallback || texts(data).some(source => /\.duration = /.test(source));

/** What of an effect's state resolvePriority looks at. */
function stateOf(battle, holder) {
  const [side] = battle.sides;
  const target = {side, slot: side, field: battle.field}[holder] ?? side.pokemon[0];
  return {target, isSlotCondition: holder === 'slot'};
}

export function handlersByEvent(scope) {
  const {sorted, byPriority} = dispatch();
  const effects = effectsOf(scope);
  const places = holders(effects);
  const battle = new Battle({formatid: FORMAT, seed: 'gen5,0000000000000000'});
  const team = [{species: 'Mew', ability: 'Synchronize', moves: ['tackle']}];
  for (const name of ['p1', 'p2']) battle.setPlayer(name, {name, team});
  const known = new Set([...sorted, ...byPriority, ...LEFT_TO_RIGHT]);
  const events = new Map();
  for (const {kind, id, data, effect} of effects) {
    const slots = kind === 'condition' ? [...(places.get(id) ?? ['volatile'])] : [kind === 'rule' ? 'field' : kind];
    const add = (slot, event, callback, resolved) => {
      const state = stateOf(battle, slot);
      const {order, priority, subOrder} = battle.resolvePriority(
        {effect, callback: data[callback], state, end: null, effectHolder: state.target}, resolved);
      const each = PER_POKEMON.has(event) && ['side', 'field'].includes(slot) && !/Field|Side/.test(resolved);
      const keys = {order: order || null, priority, sub_order: subOrder};
      const handler = {kind, id, slot: each ? `${slot}, per Pokémon` : slot, callback, ...keys};
      events.set(event, [...(events.get(event) ?? []), handler]);
    };
    for (const key of Object.keys(data)) {
      const name = eventOf(key, known, kind, data);
      if (name) slots.forEach(slot => add(slot, name.event, key, name.callback));
    }
    for (const slot of slots.filter(() => kind === 'condition' && expires(data))) { // its turns are counted in Residual
      const callback = {side: 'onSideResidual', field: 'onFieldResidual'}[slot] ?? 'onResidual';
      if (!(callback in data)) add(slot, 'Residual', 'duration', callback);
    }
  }
  return [...events].sort(([a], [b]) => (a < b ? -1 : 1)).map(([event, handlers]) => {
    const sort = LEFT_TO_RIGHT.has(event) ? 'left to right' : byPriority.has(event) ? 'priority' : 'speed';
    const canTie = sort === 'speed' && !NEVER_TIES.has(event);
    return {event, sort, groups: groupsOf(handlers).map(group => ({...group, ties: canTie ? group.ties : []}))};
  });
}

/** The event that a callback serves, if its handlers are gathered and sorted; others are called one at a time. */
function eventOf(key, known, kind, data) {
  const namesKey = /(?:Priority|Order)$/.test(key) && !/^on\w*(?:Fractional|Modify)Priority$/.test(key);
  if (namesKey) return null;
  // Battle.getCallback: abilities and items that have no SwitchIn get their Start called as one
  const replaces = key === 'onStart' && !data.onSwitchIn && !data.onAnySwitchIn;
  if (replaces && ['ability', 'item'].includes(kind)) return {event: 'SwitchIn', callback: 'onSwitchIn'};
  for (const prefix of PREFIXES) {
    for (const place of PLACES) {
      const head = `on${prefix}${place}`;
      const event = key.slice(head.length);
      if (key.startsWith(head) && known.has(event)) return {event, callback: key};
    }
  }
  return null;
}

/** Handlers in the order in which they run; those that are equal but for speed stand together. */
function groupsOf(handlers) {
  const groups = new Map();
  for (const handler of handlers) {
    const {order, priority, sub_order: subOrder} = handler;
    const key = JSON.stringify([order ?? 2 ** 32, -priority, subOrder]);
    groups.set(key, [...(groups.get(key) ?? []), handler]);
  }
  const keys = [...groups.keys()].map(key => JSON.parse(key)).sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  return keys.map(key => {
    const members = groups.get(JSON.stringify(key));
    const {order, priority, sub_order} = members[0];
    const effects = members.map(({kind, id, slot, callback}) => ({kind, id, slot, callback}));
    return {order, priority, sub_order, ties: ties(members), effects};
  });
}

/**
 * How equals can meet: "one Pokémon" (two volatiles, or a status, an ability, an item or the move and another of them),
 * "sides or field" (these have no speed), "two Pokémon" (if their cached speeds are equal).
 */
function ties(members) {
  const slots = members.map(member => member.slot);
  const own = slots.filter(slot => !['side', 'slot', 'field'].includes(slot));
  const kinds = new Set(own);
  const volatiles = new Set(members.filter(member => member.slot === 'volatile').map(member => member.id));
  const found = [];
  if (kinds.size > 1 || volatiles.size > 1) found.push('one Pokémon');
  if (own.length) found.push('two Pokémon');
  const sides = members.filter(member => ['side', 'slot'].includes(member.slot));
  const fields = new Set(members.filter(member => member.slot === 'field').map(member => member.id));
  if (sides.length || fields.size > 1) found.push('sides or field');
  return found;
}

/** What battles showed: per event how often its handlers were sorted, how many at most, and what tied. */
export function measured(first, count, policy) {
  const seen = new Map();
  for (let i = 0; i < count; i++) {
    playEpisode({episode: String(BigInt(first) + BigInt(i)), policy}, {}, play => watchSorting(play.battle, seen));
  }
  return [...seen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([event, {sorts, most, tied}]) => {
    const list = [...tied].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return {event, sorts, most, ties: list.map(([members, times]) => ({members, times}))};
  });
}

function watchSorting(battle, seen) {
  if (battle.sortingWatched) return;
  battle.sortingWatched = true;
  const running = [];
  for (const method of ['runEvent', 'eachEvent', 'fieldEvent']) {
    const original = battle[method].bind(battle);
    battle[method] = (event, ...rest) => {
      running.push(event);
      try {
        return original(event, ...rest);
      } finally {
        running.pop();
      }
    };
  }
  const {shuffle} = battle.prng;
  const original = battle.speedSort.bind(battle);
  battle.speedSort = (list, ...rest) => {
    if (list.length < 2) return original(list, ...rest);
    const event = running.at(-1) ?? 'queue';
    const entry = seen.get(event) ?? {sorts: 0, most: 0, tied: new Map()};
    seen.set(event, entry);
    entry.sorts++;
    entry.most = Math.max(entry.most, list.length);
    battle.prng.shuffle = (items, start, end) => {
      const names = items.slice(start, end).map(item => item.effect?.id ?? item.choice ?? 'pokemon');
      const members = names.sort().join(' + ');
      entry.tied.set(members, (entry.tied.get(members) ?? 0) + 1);
      return shuffle.call(battle.prng, items, start, end);
    };
    try {
      return original(list, ...rest);
    } finally {
      delete battle.prng.shuffle;
    }
  };
}
