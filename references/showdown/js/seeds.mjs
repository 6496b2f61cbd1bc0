// Everything random in an episode follows from one integer.
//
// splitmix64 started at the integer gives four numbers of 64 bits: the battle's generator, the two team generators, and
// (low half) the generator of the policy.  A seed is written as sixteen hexadecimal digits, "0x" before them or not; as
// "gen5,…" it is Showdown's own notation for its Gen 5 generator.
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

/** Sixteen digits of a seed in any of the accepted spellings. */
export function hexSeed(seed) {
  const match = /^(?:0x)?([0-9a-f]{1,16})$/i.exec(String(seed));
  if (!match || typeof seed !== 'string') {
    throw new RequestError(`seed ${JSON.stringify(seed)}, expected a string of up to 16 hexadecimal digits`);
  }
  return match[1].toLowerCase().padStart(16, '0');
}

/** Showdown's notation. */
export const gen5 = seed => `gen5,${hexSeed(seed)}`;

/** The state of one of Showdown's Gen 5 generators, as sixteen digits. */
export function generatorWords(prng) {
  return prng.getSeed().split(',').map(word => Number(word).toString(16).padStart(4, '0')).join('');
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
