// Plays battles on request: node driver.mjs PACKAGE, then JSON lines.
//
//   hello                                        the handshake
//   teams    {seeds, format?}                    packed teams from Showdown's own generator, one per seed
//   open     {battles: [{seed, teams, setup?, format?}], include?, draw_log?, messages?, aux_keys?}
//                                                starts battles; each gets a number, `battle`, and a view; `setup`
//                                                changes the situation first (js/setup.mjs); {json, draws?} goes on
//                                                with a serialised battle
//   step     {steps: [{battle, choices: [a, b]}], include?}
//                                                resolves one decision of each; views
//   refusal  {battle, side, choice}              what Showdown says to a choice in its own words, null where it takes it;
//                                                nothing changes; moves may be named here, as "move thunderbolt"
//   rolls    {attacks: [{battle, side, slot, critical}]}
//                                                damages of the active Pokémon's move by draw (js/rolls.mjs)
//   forks    {battles: [n, …]}                   plays every pair of choices of each in copies (js/forks.mjs); how many
//   close    {battles: [n, …]}                   forgets them
//   play     {episodes: [{episode, policy, …} | {seed, teams, choices}], include?, draw_log?, messages?, aux_keys?, input_log?}
//                                                whole episodes (js/episode.mjs), by a policy of js/policy.mjs where no choices are
//                                                given: header, choices and views of each, and Showdown's input log
//   logs     {texts, include?, draw_log?, messages?, aux_keys?, official?}
//                                                battles from nothing but Showdown's input logs (js/logs.mjs): constants and
//                                                views of each, and with `official` the log that spectators get
//   random   {decisions, begin?: {teams, seed}}  random legal play, one battle after the other (js/random.mjs); battles
//                                                that have ended since the last request with `begin`
//   episodes {episodes: as for play}             the same as canonical steps: digests of state and legal choices
//
// A view (js/play.mjs) has the decision's number, turn, generator, draws, request kinds, and by `include` "core",
// "aux", "legal" (what the request shows, what Showdown accepts), "hash" (digests of the three), "moves" (ids of the
// moves that the request lists, so that "move 1" is the first), "json" (Battle.toJSON()).  With aux_keys "aux" is
// these keys of each Pokémon.
// With draw_log it lists the draws since the last one, each with its call site.  Seeds: js/seeds.mjs.
// A choice is "move i", "move i terastallize" or "switch i", as Showdown numbers them at that moment, "switch #i" for
// the i-th of the original team, or "" for a side that is not asked.
import {RequestError, serve} from './js/serve.mjs';
import {FORMAT, Play, generateTeam} from './js/play.mjs';
import {header, playEpisode} from './js/episode.mjs';
import {playLog} from './js/logs.mjs';
import {damageRolls} from './js/rolls.mjs';
import {RandomPlay} from './js/random.mjs';
import {forks} from './js/forks.mjs';

const battles = new Map();
let opened = 0;

const options = ({draw_log: drawLog, messages, aux_keys: auxKeys}) => ({drawLog, messages, auxKeys});

function find(number) {
  const play = battles.get(number);
  if (!play) throw new RequestError(`battle ${number}, which is not open`);
  return play;
}

function open(request) {
  const started = request.battles.map(setting => new Play(setting, options(request)));
  return started.map(play => {
    const battle = opened++;
    battles.set(battle, play);
    return {battle, ...header(play), ...play.view(request.include)};
  });
}

function step({steps, include}) {
  if (new Set(steps.map(({battle}) => battle)).size < steps.length) throw new RequestError('a battle is named twice');
  // all are checked before the first is changed
  const ready = steps.map(({battle, choices}) => {
    const play = find(battle);
    return {battle, play, choices: play.checked(choices)};
  });
  return ready.map(({battle, play, choices}) => {
    play.commit(choices);
    return {battle, ...play.view(include)};
  });
}

const refusal = ({battle, side, choice}) => find(battle).refusal(side, choice);

const rolls = ({attacks}) =>
  attacks.map(({battle, side, slot, critical}) => damageRolls(find(battle), side, slot, critical));

const fork = ({battles: numbers}) => numbers.map(number => forks(find(number)));

function close({battles: numbers}) {
  numbers.forEach(number => {
    find(number);
    battles.delete(number);
  });
  return null;
}

function play(request) {
  return request.episodes.map(spec => {
    const choices = [], views = [];
    const played = playEpisode(spec, options(request), (at, chosen) => {
      views.push(at.view(request.include));
      if (chosen) choices.push(chosen);
    });
    const log = request.input_log ? {input_log: played.battle.inputLog.join('\n')} : {};
    return {...header(played), choices, views, ...log};
  });
}

function logs(request) {
  return request.texts.map(text => {
    const views = [];
    const played = playLog(text, options(request), at => views.push(at.view(request.include)));
    return {constants: played.constants, views, ...(request.official ? {official: played.spectators()} : {})};
  });
}

/** A digest of sixteen digits as two numbers of 32 bits, the first digits first. */
const twoWords = digest => [digest.slice(0, 8), digest.slice(8)].map(half => parseInt(half, 16));

/** A choice as a number: 0 none, 1-4 moves, 5-8 with Terastallization, 9-14 switch to position 1-6. */
function choiceNumber(choice) {
  const [word, index, tera] = choice.split(' ');
  return {'': 0, move: tera ? 4 : 0, switch: 8}[word] + Number(index ?? 0);
}

function episodes({episodes: wanted}) {
  const steps = wanted.flatMap((spec, episode) => {
    const rows = [];
    let action = null;
    playEpisode(spec, {}, (at, chosen) => {
      const view = at.view(['hash']);
      const reward = !view.ended || view.winner === 0 ? 0 : view.winner === 1 ? 1 : -1;
      const state = {turn: view.turn, draws: view.draws};
      for (const name of ['core', 'aux', 'legal']) state[name] = twoWords(view[`${name}_hash`]);
      const row = {episode, t: rows.length - 1, rng: '0x' + view.generator, state};
      rows.push(action ? {...row, action, reward: [reward, -reward], terminated: view.ended, truncated: false} : row);
      action = chosen?.map(choiceNumber);
    });
    return rows;
  });
  const dtypes = {rng: 'uint64', action: 'int64', reward: 'float32'};
  for (const name of ['core', 'aux', 'legal']) dtypes[`state.${name}`] = 'uint32';
  return {dtypes, steps};
}

let randomPlay = null;

function random({begin, decisions}) {
  if (begin) randomPlay = new RandomPlay(begin);
  if (!randomPlay) throw new RequestError('random: the first request has to have `begin`');
  return randomPlay.advance(decisions);
}

const teams = ({seeds, format = FORMAT}) => seeds.map(seed => generateTeam(seed, format));

serve({teams, open, step, refusal, rolls, forks: fork, close, play, logs, random, episodes});
