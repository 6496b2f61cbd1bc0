// Gives the source data that no column reads and prints what the export says: node unread.mjs PACKAGE
import {dex, scope} from '../export/scope.mjs';
import * as tables from '../export/dex.mjs';

const numbering = tables.numbering(scope());
const added = {
  speciesTable: dex.data.Pokedex.mew, movesTable: dex.data.Moves.tackle, abilitiesTable: dex.data.Abilities.guts,
  itemsTable: dex.data.Items.leftovers, conditionsTable: dex.data.Conditions.par, typesTable: dex.data.TypeChart.fire,
};
const said = Object.entries(added).map(([make, entry]) => {
  entry.brandNew = 1;
  try {
    tables[make](numbering);
    return '';
  } catch (error) {
    return error.message;
  } finally {
    delete entry.brandNew;
  }
});
process.stdout.write(JSON.stringify(said) + '\n');
