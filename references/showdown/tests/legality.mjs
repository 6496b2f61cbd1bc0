// Tries every choice on copies of battles: node legality.mjs PACKAGE FIRST LAST POLICY [TEAM]; prints what was seen as
// JSON.  With a packed TEAM both sides use it.
import {Battle} from '../js/package.mjs';
import {playEpisode} from '../js/episode.mjs';

const [first, last, policy, team] = process.argv.slice(3);
const CANDIDATES = [1, 2, 3, 4].flatMap(i => [`move ${i}`, `move ${i} terastallize`])
  .concat([1, 2, 3, 4, 5, 6].map(i => `switch ${i}`));
const seen = {sides: 0, tried: 0, refused: 0, hidden: 0, wrong: []};

for (let episode = BigInt(first); episode < BigInt(last); episode++) {
  const spec = {episode: String(episode), policy, ...(team && {teams: [team, team]})};
  playEpisode(spec, {}, (play, choices) => {
    if (!choices) return;
    const legal = play.legal();
    const frozen = JSON.stringify(play.battle.toJSON());
    legal.forEach(({requested, accepted}, n) => {
      if (!requested.length) return;
      seen.sides++;
      if (accepted.length < requested.length) seen.hidden++;
      for (const choice of CANDIDATES) {
        const copy = Battle.fromJSON(frozen);
        const taken = copy.sides[n].choose(choice);
        seen.tried++;
        if (!taken) seen.refused++;
        // A side that is locked in, or has to struggle, may say anything; only "move 1" is offered.
        const shown = play.battle.sides[n].activeRequest.active?.[0].moves;
        const locked = shown?.length === 1 && shown[0].pp === undefined;
        const expected = requested.includes(choice) ? accepted.includes(choice) : locked && choice.startsWith('move 1');
        if (taken !== expected) seen.wrong.push([String(episode), play.decisions, n, choice, taken]);
      }
    });
  });
}
process.stdout.write(JSON.stringify(seen) + '\n');
