// What the live Dex says of everything, as it says it: node dex_facts.mjs PACKAGE; one JSON object.
import {Dex} from '../js/package.mjs';
import {FORMAT} from '../js/play.mjs';

const dex = Dex.forFormat(FORMAT);
const standard = list => list.filter(entry => entry.exists && !entry.isNonstandard);
const byId = list => Object.fromEntries(standard(list).map(entry => [entry.id, entry]));
// cosmetic formes are no entries of their own
const formes = standard(dex.species.all()).flatMap(species => [species.name, ...(species.cosmeticFormes ?? [])]);
const types = dex.types.names();
const pairs = [...types.map(type => [type]), ...types.flatMap((a, i) => types.slice(i + 1).map(b => [a, b]))];
const chart = pairs.map(pair => ({
  defending: pair,
  attacking: types.map(type => [dex.getImmunity(type, pair), dex.getEffectiveness(type, pair)]),
  others: ['brn', 'par', 'psn', 'tox', 'frz', 'sandstorm', 'trapped', 'powder', 'prankster']
    .map(effect => [effect, dex.getImmunity(effect, pair)]),
}));
const conditions = {};
for (const id of process.argv.slice(3)) {
  const {duration, noCopy, effectType, counterMax, affectsFainted} = dex.conditions.get(id);
  conditions[id] = {duration, noCopy, effectType, counterMax, affectsFainted};
}
process.stdout.write(JSON.stringify({
  types, chart, conditions,
  moves: byId(dex.moves.all()), abilities: byId(dex.abilities.all()), items: byId(dex.items.all()),
  species: byId(formes.map(name => dex.species.get(name))), natures: byId(dex.natures.all()),
}, (key, value) => (typeof value === 'function' ? 'callback' : value)) + '\n');
