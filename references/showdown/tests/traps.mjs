// What a player learns by trying to switch where an ability traps in secret: node traps.mjs PACKAGE FIRST LAST TEAM;
// prints counts as JSON.  Copies of battles are asked.
import {Battle} from '../js/package.mjs';
import {playEpisode} from '../js/episode.mjs';

const [first, last, team] = process.argv.slice(3);
const seen = {hidden: 0, maybe: 0, refused: 0, told_trapped: 0, told_others: 0, changed: 0, goes_on: 0};
// everything but the choice itself, the request, and the flag that a new request sets
const course = battle => JSON.stringify([battle.prng.getSeed(), battle.log, battle.turn, battle.sides.map(side =>
  side.pokemon.map(pokemon => [pokemon.hp, pokemon.status, pokemon.moveSlots, pokemon.trapped]))]);

for (let episode = BigInt(first); episode < BigInt(last); episode++) {
  playEpisode({episode: String(episode), teams: [team, team]}, {}, (play, choices) => {
    play.legal().forEach(({requested, accepted}, n) => {
      const refused = requested.filter(choice => !accepted.includes(choice));
      if (!choices || !refused.length) return;
      const copy = Battle.fromJSON(JSON.stringify(play.battle.toJSON()));
      const [side, other] = [copy.sides[n], copy.sides[1 - n]];
      const before = [course(copy), JSON.stringify(other.activeRequest)];
      const sent = [];
      copy.send = (type, data) => sent.push([type, String(data)]);
      seen.hidden++;
      seen.maybe += Boolean(side.activeRequest.active[0].maybeTrapped);
      seen.refused += !side.choose(refused[0]) && side.choice.error.includes('is trapped');
      seen.told_trapped += Boolean(side.activeRequest.active[0].trapped && !side.activeRequest.active[0].maybeTrapped);
      seen.told_others += sent.filter(([type, data]) => type !== 'sideupdate' || !data.startsWith(side.id)).length;
      seen.changed += before[0] !== course(copy) || before[1] !== JSON.stringify(other.activeRequest);
      side.clearChoice();
      seen.goes_on += side.choose(accepted[0]);
    });
  });
}
process.stdout.write(JSON.stringify(seen) + '\n');
