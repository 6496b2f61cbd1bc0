// Teams of Showdown's own generator: as rows of numbers, and counted.
import {Teams, toID} from '../js/package.mjs';
import {derive, notation} from '../js/seeds.mjs';
import {FORMAT} from '../js/play.mjs';
import {Numbers, Table} from './columns.mjs';
import {dex, sets} from './scope.mjs';
import {STATS} from './dex.mjs';

const MOST = {move: 10, ability: 3};

/** The team of player 1 of an episode. */
export const teamOf = episode => Teams.generate(FORMAT, {seed: notation(derive(String(episode)).teams[0])});

/** [teams, 6] Pokémon: everything a battle reads of them. */
export function teamsTable({numbers}, first, count) {
  const episodes = Array.from({length: count}, (_, i) => BigInt(first) + BigInt(i));
  const teams = episodes.map(teamOf);
  const table = new Table('teams', episodes.map(String), {read: []});
  const each = read => teams.map(team => team.map(read));
  table.add('species', 'uint16', each(set => numbers.species.of(toID(set.species))));
  table.add('level', 'uint8', each(set => set.level));
  table.add('gender', 'uint8', each(set => numbers.gender.of(set.gender)));
  table.add('ability', 'uint16', each(set => numbers.ability.of(toID(set.ability))));
  table.add('item', 'uint16', each(set => numbers.item.of(toID(set.item))));
  table.add('moves', 'uint16', each(set => [0, 1, 2, 3].map(i => numbers.move.of(set.moves[i]))));
  table.add('tera_type', 'uint8', each(set => numbers.type.of(set.teraType)));
  table.add('evs', 'uint8', each(set => STATS.map(stat => set.evs[stat])));
  table.add('ivs', 'uint8', each(set => STATS.map(stat => set.ivs[stat])));
  return table;
}

/** How often each thing occurs in generated teams, by kind and id. */
export function usage(first, count) {
  const counts = {formes: {}, moves: {}, abilities: {}, items: {}};
  const add = (kind, id) => { counts[kind][id] = (counts[kind][id] ?? 0) + 1; };
  for (let i = 0; i < count; i++) {
    for (const set of teamOf(BigInt(first) + BigInt(i))) {
      add('formes', toID(set.species));
      add('abilities', toID(set.ability));
      add('items', toID(set.item));
      set.moves.forEach(move => add('moves', toID(move)));
    }
  }
  return counts;
}

/** The sets from which the generator builds: one row per species and role. */
export function setsTable({numbers}) {
  const rows = Object.entries(sets).flatMap(([id, {level, sets: list}]) => list.map(set => ({id, level, ...set})));
  numbers.role = new Numbers('role', [...new Set(rows.map(row => row.role))].sort());
  const table = new Table('sets', rows.map(row => row.id), {read: Object.keys(rows[0])});
  rows.forEach(row => table.check(row.id, row));
  const padded = (list, kind) => {
    if (list.length > MOST[kind]) throw new Error(`a set has ${list.length} of ${kind}`);
    return Array.from({length: MOST[kind]}, (_, i) => numbers[kind].of(list[i] ? toID(list[i]) : ''));
  };
  const types = list => list.reduce((mask, type) => mask + 2 ** numbers.type.of(type), 0);
  table.add('species', 'uint16', rows.map(row => numbers.species.of(setSpecies(row.id))));
  table.add('level', 'uint8', rows.map(row => row.level));
  table.add('role', 'uint8', rows.map(row => numbers.role.of(row.role)));
  table.add('movepool', 'uint16', rows.map(row => padded(row.movepool, 'move')));
  table.add('abilities', 'uint16', rows.map(row => padded(row.abilities, 'ability')));
  table.add('tera_types', 'uint32', rows.map(row => types(row.teraTypes))); // bit n: type number n
  return table;
}

const setSpecies = id => dex.species.get(id).id;
