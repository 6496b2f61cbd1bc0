// Every entry of the data by its id, value by value: node export_entries.mjs PACKAGE < {kind: [id, …]}
//
// Functions are given by their text, so that a changed rule is a changed value.  An id that the package does not have
// is null.  `sets` is what the format's teams are made of, by species.
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {Dex, directory, toID} from './js/package.mjs';
import {FORMAT} from './js/play.mjs';

const SETS = path.join(directory, 'dist', 'data', 'random-battles', 'gen9', 'sets.json');
const TEXTS = ['desc', 'shortDesc', 'fullname', 'tier', 'doublesTier', 'natDexTier']; // nothing that a battle reads
const dex = Dex.forFormat(FORMAT);
const lists = {
  species: dex.species, move: dex.moves, ability: dex.abilities, item: dex.items, nature: dex.natures, type: dex.types,
  condition: dex.conditions,
};

const spelled = (_, value) => (typeof value === 'function' ? String(value) : value);

function entry(list, id) {
  const found = list.get(id);
  if (!found.exists) return null;
  const keys = Object.keys(found).filter(key => !TEXTS.includes(key)).sort();
  return Object.fromEntries(keys.map(key => [key, JSON.stringify(found[key], spelled) ?? '']));
}

const wanted = JSON.parse(readFileSync(0, 'utf8'));
const out = {sets: {}};
for (const [kind, ids] of Object.entries(wanted)) {
  out[kind] = Object.fromEntries(ids.map(id => [id, entry(lists[kind], toID(id))]));
}
for (const [id, {level, sets}] of Object.entries(JSON.parse(readFileSync(SETS, 'utf8')))) {
  out.sets[id] = {level: JSON.stringify(level), sets: JSON.stringify(sets)};
}
process.stdout.write(JSON.stringify(out) + '\n');
