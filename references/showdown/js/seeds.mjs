// Everything random in an episode follows from one integer.
//
// splitmix64 started at the integer gives four numbers of 64 bits: the battle's generator, the two team generators, and
// (low half) the generator of the policy.  A seed is written as sixteen hexadecimal digits, "0x" before them or not, which
// are a state of the Gen 5 generator ("gen5,…" in Showdown's own notation); or as "sodium," with up to 64 digits, which
// Showdown fills up with zeros, for its default generator.
import {RequestError} from './serve.mjs';

const MASK = (1n << 64n) - 1n;

export function splitmix64(start) {
  let state = start & MASK;
  return () => {
    state = (state + 0x9E3779B97F4A7C15n) & MASK;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xBF58476D1CE4E5B9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94D049BB133111EBn) & MASK;
    return z ^ (z >> 31n);
  };
}

/** A seed in the spelling of recordings: sixteen digits, or "sodium," with 64. */
export function hexSeed(seed) {
  const match = /^(?:(?:0x)?([0-9a-f]{1,16})|sodium,([0-9a-f]{1,64}))$/i.exec(String(seed));
  if (!match || typeof seed !== 'string') {
    throw new RequestError(`seed ${JSON.stringify(seed)}, expected a string of up to 16 hexadecimal digits, or ` +
      '"sodium," and up to 64');
  }
  const [, gen5Digits, sodiumDigits] = match.map(digits => digits?.toLowerCase());
  return sodiumDigits ? `sodium,${sodiumDigits.padEnd(64, '0')}` : gen5Digits.padStart(16, '0');
}

const isSodium = seed => seed.startsWith('sodium,');

/** Showdown's notation. */
export function notation(seed) {
  const digits = hexSeed(seed);
  return isSodium(digits) ? digits : `gen5,${digits}`;
}

/** The state of one of Showdown's generators, in the spelling of a seed. */
export function generatorWords(prng) {
  const seed = prng.getSeed();
  if (isSodium(seed)) return seed;
  return seed.split(',').map(word => Number(word).toString(16).padStart(4, '0')).join('');
}

/** Sets a generator, which may be watched, back to a seed of its own kind. */
export function reseed(prng, seed) {
  const digits = hexSeed(seed);
  if (isSodium(digits)) prng.rng.setSeed(digits.split(','));
  else prng.rng.seed = [0, 4, 8, 12].map(start => parseInt(digits.slice(start, start + 4), 16));
}

/** Seeds of an episode: `{battle, teams: [p1, p2], policy}`, the policy's a number of 32 bits. */
export function derive(integer) {
  if (!/^\d+$/.test(String(integer))) {
    throw new RequestError(`episode seed ${integer}, expected a decimal integer >= 0`);
  }
  const next = splitmix64(BigInt(integer));
  const [battle, p1, p2, policy] = [next(), next(), next(), next()];
  const hex = word => word.toString(16).padStart(16, '0');
  return {battle: hex(battle), teams: [hex(p1), hex(p2)], policy: Number(policy & 0xFFFFFFFFn)};
}
