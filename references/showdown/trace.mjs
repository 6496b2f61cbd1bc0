// Records battles: node trace.mjs PACKAGE --seeds A:B [--out FILE] [--policy uniform|attack] [--mode full|hash]
//                                  [--teams FILE] [--max-decisions N] [--draw-log] [--messages]
//
// Episodes A up to, not including, B; everything random follows from the episode's number (js/seeds.mjs).  --teams: one
// {"teams": [packed, packed]} per line, used in turn.  --mode hash writes digests of state and choices in their place.
//
// Output, one JSON object per line, the same bytes every time:
//   {"kind": "trace", "schema", "reference", "format", "policy", "mode"}      first line
//   {"kind": "battle", "episode", "seed", "teams", "constants"}               begins a battle
//   {"kind": "decision", "decision", …, "choices": [a, b]}                    before the choices, then the choices
//   {"kind": "end", "decision", …, "capped"}                                  last state; capped: stopped by the limit
import {createWriteStream, readFileSync} from 'node:fs';
import {finished} from 'node:stream/promises';
import {parseArgs} from 'node:util';
import {name, version} from './js/package.mjs';
import {FORMAT} from './js/play.mjs';
import {header, playEpisode} from './js/episode.mjs';

const SCHEMA = 1;
const {values: given} = parseArgs({
  args: process.argv.slice(3),
  options: {
    seeds: {type: 'string'},
    out: {type: 'string'},
    policy: {type: 'string', default: 'uniform'},
    mode: {type: 'string', default: 'full'},
    teams: {type: 'string'},
    'max-decisions': {type: 'string', default: '3000'},
    'draw-log': {type: 'boolean', default: false},
    messages: {type: 'boolean', default: false},
  },
});

function fail(message) {
  process.stderr.write(`trace.mjs: ${message}\n`);
  process.exit(2);
}

const range = /^(\d+):(\d+)$/.exec(given.seeds ?? '') ?? fail('--seeds A:B, two integers, is needed');
const modes = {full: ['core', 'aux', 'legal'], hash: ['hash']};
const include = modes[given.mode] ?? fail(`--mode ${given.mode}: full or hash`);
const pairs = given.teams && readFileSync(given.teams, 'utf8').trim().split('\n').map(line => JSON.parse(line).teams);

const out = given.out ? createWriteStream(given.out) : process.stdout;
const write = line => out.write(JSON.stringify(line) + '\n');
const {policy, mode} = given;
write({kind: 'trace', schema: SCHEMA, reference: `${name}@${version}`, format: FORMAT, policy, mode});

const total = {battles: 0, decisions: 0, draws: 0, p1: 0, p2: 0, ties: 0, capped: 0};
for (let episode = BigInt(range[1]); episode < BigInt(range[2]); episode++) {
  const spec = {episode: String(episode), policy, max_decisions: Number(given['max-decisions'])};
  if (pairs) spec.teams = pairs[Number(episode % BigInt(pairs.length))];
  const options = {drawLog: given['draw-log'], messages: given.messages};
  const lines = [];
  const play = playEpisode(spec, options, (at, choices) => {
    const view = at.view(include);
    lines.push(choices ? {kind: 'decision', ...view, choices} : {kind: 'end', ...view, capped: !at.ended});
  });
  write({kind: 'battle', episode: String(episode), ...header(play)});
  lines.forEach(write);
  const {draws, ended, winner} = lines.at(-1);
  total.battles++;
  total.decisions += play.decisions;
  total.draws += draws;
  total[!ended ? 'capped' : ['ties', 'p1', 'p2'][winner]]++;
  if (out.writableNeedDrain) await new Promise(resolve => out.once('drain', resolve));
}
if (given.out) {
  out.end();
  await finished(out);
}
process.stderr.write(JSON.stringify(total) + '\n');
