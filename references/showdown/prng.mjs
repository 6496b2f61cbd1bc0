// Draws from Showdown's own Gen 5 generator: node prng.mjs PACKAGE, then JSON lines.
//
//   hello                                                 the handshake
//   words     {seeds, count}                              `count` numbers of 32 bits from each seed, and states after
//   draw      {seed, calls: [["random", 16], …]}          results of any methods of PRNG, one after the other
//   speed_sort {seed, handlers: [{order, priority, …}]}   Battle.speedSort: where each entry of the result came from
//   episodes  {episodes: [{seed, actions: [n, …]}]}       canonical steps: action n is random(n)
//
// A call is ["next"], ["random"], ["random", n], ["random", m, n], ["randomChance", a, b], ["sample", n] (of 0..n-1) or
// ["shuffle", n], ["shuffle", n, start, end] (of 0..n-1).  Seeds and states are sixteen hexadecimal digits.
import {Battle, PRNG} from './js/package.mjs';
import {RequestError, serve} from './js/serve.mjs';
import {generatorWords, notation} from './js/seeds.mjs';
import {watch} from './js/counting.mjs';

const CALLS = ['next', 'random', 'randomChance', 'sample', 'shuffle'];
const upTo = n => Array.from({length: n}, (_, i) => i);

function call(prng, [method, ...given]) {
  if (!CALLS.includes(method) || !given.every(Number.isFinite)) {
    const got = JSON.stringify([method, ...given]);
    throw new RequestError(`call ${got}, expected one of ${CALLS.join(', ')} and numbers`);
  }
  if (method === 'next') return prng.rng.next();
  if (method === 'sample') return prng.sample(upTo(given[0]));
  if (method === 'shuffle') {
    const items = upTo(given[0]);
    prng.shuffle(items, ...given.slice(1));
    return items;
  }
  return prng[method](...given);
}

function draw({seed, calls}) {
  const prng = new PRNG(notation(seed));
  const counter = watch(prng);
  const results = calls.map(one => call(prng, one));
  return {results, generator: generatorWords(prng), draws: counter.draws};
}

function words({seeds, count}) {
  const generators = seeds.map(seed => new PRNG(notation(seed)));
  return {
    words: generators.map(prng => upTo(count).map(() => prng.rng.next())),
    generators: generators.map(generatorWords),
  };
}

function speedSort({seed, handlers}) {
  const prng = new PRNG(notation(seed));
  const counter = watch(prng);
  const list = handlers.map((handler, index) => ({...handler, index}));
  Battle.prototype.speedSort.call({prng}, list, Battle.prototype.comparePriority);
  return {order: list.map(handler => handler.index), generator: generatorWords(prng), draws: counter.draws};
}

function episodes({episodes: wanted}) {
  const steps = wanted.flatMap(({seed, actions}, episode) => {
    const prng = new PRNG(notation(seed));
    const at = () => '0x' + generatorWords(prng);
    const rest = {reward: 0, truncated: false};
    const first = {episode, t: -1, rng: at()};
    return [first, ...actions.map((action, t) => {
      const drawn = prng.random(action);
      return {episode, t, action, rng: at(), state: {drawn}, ...rest, terminated: t === actions.length - 1};
    })];
  });
  return {dtypes: {'state.drawn': 'uint32', rng: 'uint64', reward: 'float32', action: 'int64'}, steps};
}

serve({words, draw, speed_sort: speedSort, episodes});
