// Plays every modifier callback of the listing in made-up situations: node modifiers.mjs PACKAGE LISTING; prints, as
// JSON, where a row says something else than the callback.
//
// A situation is a handful of facts.  The callback sees them through objects that look like Showdown's; the rows are
// read by `holds`, which asks the facts alone.
import {readFileSync} from 'node:fs';
import {PRNG, load} from '../js/package.mjs';
import {dex} from '../export/scope.mjs';
import {rawCondition} from '../export/dex.mjs';

const SITUATIONS = 400;
const SPECIES = [
  'pikachu', 'pikachuworld', 'latias', 'dialga', 'palkia', 'giratina', 'mew', 'ivysaur', 'ogerponwellspring',
  'ogerponhearthflametera', 'ogerponcornerstone',
];
const listing = JSON.parse(readFileSync(process.argv[3], 'utf8')).callbacks.filter(entry => entry.class === 'modifier');
const prng = new PRNG('gen5,0123456789abcdef');
const pick = list => list[prng.random(list.length)];
const coin = () => prng.random(2) === 1;
const {toID} = load('sim/dex.js');

/** Arguments of atoms, so that facts are often those that a callback asks for. */
const asked = {};
const collect = ([word, ...parts]) => {
  for (const part of parts) Array.isArray(part) ? collect(part) : (asked[word] ??= new Set()).add(part);
};
listing.forEach(entry => entry.rows.forEach(row => collect(row.when)));
const values = (...words) => words.flatMap(word => [...(asked[word] ?? [])])
  .flatMap(text => text.split('|')).filter(text => text !== 'user' && text !== 'target');

function pokemonFacts(wanted) {
  const maxhp = 90 + prng.random(200);
  const species = dex.species.get(pick(SPECIES));
  return {
    maxhp, hp: pick([maxhp, Math.floor(maxhp / 3), Math.floor(maxhp / 3) + 1, Math.floor(maxhp / 2), 1]),
    status: pick(['', 'slp', 'psn', 'tox', 'brn']), item: pick(['', 'leftovers']), gender: pick(['M', 'F', 'N', '']),
    types: [pick(['Rock', 'Ice', 'Normal'])], ability: pick(['', ...values('has_ability')]),
    volatiles: coin() ? values('has_volatile') : [], ignoring: coin(), grounded: coin(), hidden: coin(),
    lowered: coin(), turns: prng.random(2), species, weather: pick(['', ...wanted.weathers]),
  };
}

function situation(entry) {
  const mine = JSON.stringify(entry.rows);
  const own = words => words.filter(word => mine.includes(word)); // half of the time, what this callback asks for
  const choose = (...words) => {
    const all = values(...words);
    return pick([...(coin() && own(all).length ? own(all) : all), '']);
  };
  const weathers = values(
    'weather_for', 'weather_not_for', 'weather_one_of_for', 'field_weather', 'field_weather_one_of');
  const wanted = {weathers: coin() && own(weathers).length ? own(weathers) : weathers};
  return {
    user: pokemonFacts(wanted), target: pokemonFacts(wanted),
    type: choose('move_type'), flags: coin() ? values('move_flag') : [], id: choose('move_id'),
    category: pick(['Physical', 'Special', 'Status']), has: coin() ? values('move_has') : [], changed: coin(),
    crit: coin(), typeMod: prng.random(3) - 1, weather: pick(['', ...wanted.weathers]),
    terrain: choose('field_terrain'), rooms: coin() ? values('pseudo_weather') : [],
    success: choose('last_success_this_turn'), best: choose('best_stat_is_not'), counter: prng.random(2),
    accuracy: coin() ? 90 : true, another: coin(),
  };
}

function pokemon(facts) {
  return {
    hp: facts.hp, maxhp: facts.maxhp, status: facts.status, item: facts.item, gender: facts.gender,
    activeTurns: facts.turns, statsLoweredThisTurn: facts.lowered, baseSpecies: facts.species, species: facts.species,
    volatiles: Object.fromEntries(facts.volatiles.map(id => [id, {}])),
    hasType: type => facts.types.includes(type), hasAbility: name => toID(facts.ability) === toID(name),
    ignoringAbility: () => facts.ignoring, isGrounded: () => facts.grounded, isSemiInvulnerable: () => facts.hidden,
    effectiveWeather: () => facts.weather,
  };
}

/** What the callback does: [op, by] or null. */
function play(entry, callback, facts) {
  const user = pokemon(facts.user), target = pokemon(facts.target);
  target.getMoveHitData = () => ({typeMod: facts.typeMod, crit: facts.crit});
  target.runEffectiveness = () => facts.typeMod;
  const effect = {};
  const move = {
    type: facts.type, category: facts.category, id: facts.id,
    flags: Object.fromEntries(facts.flags.map(flag => [flag, 1])),
    typeChangerBoosted: facts.changed ? effect : null, ...Object.fromEntries(facts.has.map(key => [key, true])),
  };
  let did = null;
  const number = ([a, b]) => Math.trunc(a * 4096 / b);
  const battle = {
    effect, effectState: {bestStat: facts.best, counter: facts.counter, target: facts.another ? {} : user},
    lastSuccessfulMoveThisTurn: facts.success, debug() {}, getCategory: asked => asked.category,
    field: {
      isWeather: names => [names].flat().includes(facts.weather), isTerrain: name => facts.terrain === name,
      getPseudoWeather: name => facts.rooms.includes(name),
    },
    chainModify: by => { did = ['chain', number([by].flat().length > 1 ? by : [by, 1])]; },
    modify: (value, by) => { did = ['modify', number([by, 1])]; },
  };
  const defenderFirst = /ModifyDef|ModifySpD|ModifyAccuracy/.test(entry.callback);
  const relay = /Accuracy/.test(entry.callback) ? facts.accuracy : 100;
  callback.call(battle, relay, ...(defenderFirst ? [target, user] : [user, target]), move);
  return did;
}

/** Whether a condition of a row holds, from the facts. */
function holds([word, ...parts], facts) {
  const who = facts[parts[0]];
  switch (word) {
    case 'and': return parts.every(part => holds(part, facts));
    case 'or': return parts.some(part => holds(part, facts));
    case 'not': return !holds(parts[0], facts);
    case 'always': return true;
    case 'move_type': return facts.type === parts[0];
    case 'move_flag': return facts.flags.includes(parts[0]);
    case 'move_category': return facts.category === parts[0];
    case 'move_id': return facts.id === parts[0];
    case 'move_has': return facts.has.includes(parts[0]);
    case 'type_changed_by_this': return facts.changed;
    case 'critical': return facts.crit;
    case 'super_effective': return facts.typeMod > 0;
    case 'not_very_effective': return facts.typeMod < 0;
    case 'hp_at_most_third': return 3 * who.hp <= who.maxhp;
    case 'hp_at_most_half': return 2 * who.hp <= who.maxhp;
    case 'hp_full': return who.hp === who.maxhp;
    case 'has_status': return who.status !== '';
    case 'status_is': return who.status === parts[1];
    case 'status_is_not': return who.status !== parts[1];
    case 'has_item': return who.item !== '';
    case 'has_type': return who.types.includes(parts[1]);
    case 'has_ability': return who.ability === parts[1];
    case 'has_volatile': return who.volatiles.includes(parts[1]);
    case 'ignores_own_ability': return who.ignoring;
    case 'grounded': return who.grounded;
    case 'semi_invulnerable': return who.hidden;
    case 'stats_lowered_this_turn': return who.lowered;
    case 'can_evolve': return who.species.evos.length > 0;
    case 'species_number': return who.species.num === Number(parts[1]);
    case 'species_begins': return who.species.name.indexOf(parts[1]) === 0;
    case 'base_species': return who.species.baseSpecies === parts[1];
    case 'weather_for': return who.weather === parts[1];
    case 'weather_not_for': return who.weather !== parts[1];
    case 'weather_one_of_for': return parts[0].split('|').includes(facts[parts[1]].weather);
    case 'field_weather': return facts.weather === parts[0];
    case 'field_weather_one_of': return parts[0].split('|').includes(facts.weather);
    case 'field_terrain': return facts.terrain === parts[0];
    case 'pseudo_weather': return facts.rooms.includes(parts[0]);
    case 'last_success_this_turn': return facts.success === parts[0];
    case 'best_stat_is_not': return facts.best !== parts[0];
    case 'own_counter': return facts.counter > 0;
    case 'turns_active': return who.turns > 0;
    case 'accuracy_is_number': return facts.accuracy !== true;
    case 'accuracy_is_no_number': return facts.accuracy === true;
    case 'acting_for_another': return facts.another;
    default: throw new Error(`no meaning for ${word}`);
  }
}

const raw = {move: id => dex.data.Moves[id], ability: id => dex.data.Abilities[id], item: id => dex.data.Items[id],
  condition: rawCondition};
const report = {callbacks: listing.length, situations: 0, never: [], always: [], wrong: []};
for (const entry of listing) {
  const callback = entry.callback.split('.').reduce((part, key) => part[key], raw[entry.kind](entry.id));
  const name = `${entry.kind} ${entry.id} ${entry.callback}`;
  let fired = 0;
  for (let i = 0; i < SITUATIONS; i++) {
    const facts = situation(entry);
    const row = entry.rows.find(({when}) => holds(when, facts));
    const did = play(entry, callback, facts);
    report.situations++;
    fired += did !== null;
    if (JSON.stringify(did) !== JSON.stringify(row ? [row.op, row.by] : null)) {
      report.wrong.push(name);
      break;
    }
  }
  if (fired === 0) report.never.push(name);
  if (fired === SITUATIONS && JSON.stringify(entry.rows[0].when) !== '["always"]') report.always.push(name);
}
process.stdout.write(JSON.stringify(report) + '\n');
