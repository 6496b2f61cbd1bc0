// The two players of recorded battles, and those whose battles last (lasting.mjs).  Their generator has nothing to do
// with the battle's.
import {RequestError} from './serve.mjs';
import {LASTING, lists} from './lasting.mjs';

export const POLICIES = ['uniform', 'attack'];
const EVERY = [...POLICIES, ...LASTING];
const isMove = choice => choice.startsWith('move');

/**
 * x <- (1664525 x + 1013904223) mod 2^32; a draw on [0, n) is floor(x n / 2^32) after the step.
 *
 * uniform: one draw per side that is asked, among its accepted choices, also where there is only one.
 * attack: draw(8) first; unless it is 0, or there is no move, the draw is among the moves.
 * lasting: the draws that lasting.mjs names first; then one among the first of its lists that has a choice.
 */
export class Policy {
  constructor(name, seed) {
    if (!EVERY.includes(name)) throw new RequestError(`policy ${name}, expected one of ${EVERY.join(', ')}`);
    this.name = name;
    this.x = seed >>> 0;
  }

  draw(n) {
    this.x = (Math.imul(this.x, 1664525) + 1013904223) >>> 0;
    return Math.floor(this.x * n / 2 ** 32);
  }

  /** A choice per side that is asked, p1 first; "" for the other. */
  choose(play) {
    return play.legal().map(({accepted}, side) => {
      if (!accepted.length) return '';
      const pool = this.#wanted(play, side, accepted).find(list => list.length) ?? accepted;
      return pool[this.draw(pool.length)];
    });
  }

  /** Lists of choices, of which the first counts that is not empty. */
  #wanted(play, side, accepted) {
    if (LASTING.includes(this.name)) return lists(this.name, play, side, n => this.draw(n));
    return this.name === 'attack' && this.draw(8) !== 0 ? [accepted.filter(isMove)] : [];
  }
}
