// Writes the data of the installed package as JSON: node export_data.mjs PACKAGE PART [FIRST COUNT] > FILE
//
//   tables               species, moves, abilities, items, natures, types, conditions and sets as columns of integers
//   titles               how Showdown writes the ids of species, moves, abilities and items
//   teams FIRST COUNT    teams of Showdown's generator, by episode number, as columns of integers
//   callbacks            every callback of the effects that the format can produce, classified
//   events FIRST COUNT   handlers by event in their order, possible ties, and what COUNT battles per policy showed
//   usage FIRST COUNT    how often each forme, move, ability and item occurs in COUNT teams
//
// `python -m references.showdown.export` runs all of them and packs the results.
import {name, version} from './js/package.mjs';
import {FORMAT} from './js/play.mjs';
import {POLICIES} from './js/policy.mjs';
import {scope as readScope} from './export/scope.mjs';
import * as dex from './export/dex.mjs';
import {classify} from './export/callbacks.mjs';
import {handlersByEvent, measured} from './export/events.mjs';
import {setsTable, teamsTable, usage} from './export/teams.mjs';

const [part, first, count] = process.argv.slice(3);
const scope = readScope();
const source = {name, version, format: FORMAT};

function tables() {
  const numbering = dex.numbering(scope);
  const made = [
    dex.speciesTable, dex.movesTable, dex.abilitiesTable, dex.itemsTable, dex.naturesTable, dex.typesTable,
    dex.conditionsTable, setsTable,
  ].map(make => make(numbering));
  const names = Object.fromEntries(Object.entries(numbering.numbers).map(([kind, {names: list}]) => [kind, list]));
  return {source, names, tables: Object.fromEntries(made.map(({name: table, columns}) => [table, columns]))};
}

function teams() {
  const {columns, ids} = teamsTable(dex.numbering(scope), first, Number(count));
  return {source, first: ids[0], tables: {teams: columns}};
}

const parts = {
  tables,
  titles: () => dex.titles(dex.numbering(scope)),
  teams,
  callbacks: () => ({source, callbacks: classify(scope)}),
  events: () => ({
    source,
    events: handlersByEvent(scope),
    measured: {first, battles: Number(count), policies: Object.fromEntries(
      POLICIES.map(policy => [policy, measured(first, Number(count), policy)]))},
  }),
  usage: () => ({source, scope, first, teams: Number(count), usage: usage(first, Number(count))}),
};
if (!Object.hasOwn(parts, part)) {
  process.stderr.write(`export_data.mjs: part ${part}, expected one of ${Object.keys(parts).join(', ')}\n`);
  process.exit(2);
}
process.stdout.write(JSON.stringify(parts[part]()) + '\n');
