// Which callbacks of the format's abilities, items and moves ask who somebody is: node species.mjs PACKAGE
//
// Prints {"ability disguise": ["onDamage", …], …}: effects whose callbacks name a species, a forme or a gender.
import {dex, scope} from './export/scope.mjs';

const ASKS = /species|forme|gender/i;
const listed = scope();
const KINDS = [['ability', listed.abilities, dex.abilities], ['item', listed.items, dex.items], ['move', listed.moves, dex.moves]];

/** Paths of an entry's functions that ask, those of its condition and its secondary effects included. */
function asking(entry, path = '') {
  return Object.keys(entry ?? {}).flatMap(key => {
    const value = entry[key];
    if (typeof value === 'function') return ASKS.test(value.toString()) ? [path + key] : [];
    return value && typeof value === 'object' ? asking(value, `${path}${key}.`) : [];
  });
}

const found = {};
for (const [kind, {team, battle}, entries] of KINDS) {
  for (const id of [...team, ...battle].sort()) {
    const asked = asking({...entries.get(id)});
    if (asked.length) found[`${kind} ${id}`] = asked;
  }
}
process.stdout.write(JSON.stringify(found) + '\n');
