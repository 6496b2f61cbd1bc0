// How fast one Node process plays: node bench.mjs PACKAGE --seeds A:B [--policy uniform|attack] [--warm-up N]
//
// Plays episodes A to B - 1 as trace.mjs does, with lists of legal choices but without looking at the state, and prints
// one JSON object: decisions, turns, draws, seconds of play, and apart from them the seconds for generating teams.
import {parseArgs} from 'node:util';
import {name, version} from './js/package.mjs';
import {derive} from './js/seeds.mjs';
import {Play, generateTeam} from './js/play.mjs';
import {Policy} from './js/policy.mjs';

const {values: given} = parseArgs({
  args: process.argv.slice(3),
  options: {
    seeds: {type: 'string'},
    policy: {type: 'string', default: 'uniform'},
    'warm-up': {type: 'string', default: '20'}, // episodes from A on that are not counted, until the code is compiled
  },
});
const range = /^(\d+):(\d+)$/.exec(given.seeds ?? '');
if (!range) {
  process.stderr.write('bench.mjs: --seeds A:B, two integers, is needed\n');
  process.exit(2);
}

function run(from, to) {
  const total = {battles: 0, decisions: 0, turns: 0, draws: 0, seconds: 0, team_seconds: 0};
  for (let episode = from; episode < to; episode++) {
    const seeds = derive(String(episode));
    const started = process.hrtime.bigint();
    const teams = seeds.teams.map(seed => generateTeam(seed));
    const ready = process.hrtime.bigint();
    const play = new Play({seed: seeds.battle, teams});
    const policy = new Policy(given.policy, seeds.policy);
    while (!play.ended) play.commit(policy.choose(play));
    total.seconds += Number(process.hrtime.bigint() - ready) / 1e9;
    total.team_seconds += Number(ready - started) / 1e9;
    total.battles++;
    total.decisions += play.decisions;
    total.turns += play.battle.turn;
    total.draws += play.counter.draws;
  }
  return total;
}

const [from, to] = [BigInt(range[1]), BigInt(range[2])];
run(from, from + BigInt(given['warm-up']));
const result = {reference: `${name}@${version}`, node: process.version, policy: given.policy, ...run(from, to)};
process.stdout.write(JSON.stringify(result) + '\n');
