// Showdown's generator, watched: how often it advanced and, if wanted, who asked.
import {directory} from './package.mjs';

const HIDDEN = /[/\\]sim[/\\]prng\.js$/;
const KEPT_FRAMES = 5;

/**
 * Counts the advances of a generator, whose results stay as they are.
 *
 * With `log`, an array, each advance is recorded there: `{n, value, range, event, effect, frames}` with the number of
 * the draw, its 32 bits, the arguments of `random`, the battle's event and effect at that moment, and the innermost
 * frames outside the generator as "file:line function".
 */
export function watch(prng, {log = null, battle = null} = {}) {
  const counter = {draws: 0, log};
  const {rng} = prng;
  const next = rng.next.bind(rng);
  let range = [];
  rng.next = () => {
    const value = next();
    counter.draws++;
    if (counter.log) {
      const event = battle?.event?.id ?? '';
      const effect = battle?.effect?.id ?? '';
      counter.log.push({n: counter.draws, value, range, event, effect, frames: frames()});
    }
    return value;
  };
  if (!log) return counter;
  const random = prng.random.bind(prng);
  prng.random = (...given) => {
    range = given.filter(value => value !== undefined);
    return random(...given);
  };
  return counter;
}

function frames() {
  const {prepareStackTrace, stackTraceLimit} = Error;
  Error.stackTraceLimit = 30;
  Error.prepareStackTrace = (_, sites) => sites;
  const sites = new Error().stack;
  Object.assign(Error, {prepareStackTrace, stackTraceLimit});
  return sites
    .filter(site => site.getFileName()?.startsWith(directory) && !HIDDEN.test(site.getFileName()))
    .slice(0, KEPT_FRAMES)
    .map(site => {
      const file = site.getFileName().slice(directory.length + 1).replaceAll('\\', '/').replace(/^dist\//, '');
      return `${file}:${site.getLineNumber()} ${site.getMethodName() ?? site.getFunctionName() ?? ''}`.trimEnd();
    });
}
