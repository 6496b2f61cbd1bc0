// The two players of recorded battles.  Their generator has nothing to do with the battle's.
import {RequestError} from './serve.mjs';

export const POLICIES = ['uniform', 'attack'];

/**
 * x <- (1664525 x + 1013904223) mod 2^32; a draw on [0, n) is floor(x n / 2^32) after the step.
 *
 * uniform: one draw per side that is asked, among its accepted choices, also where there is only one.
 * attack: draw(8) first; unless it is 0, or there is no move, the draw is among the moves.
 */
export class Policy {
  constructor(name, seed) {
    if (!POLICIES.includes(name)) throw new RequestError(`policy ${name}, expected one of ${POLICIES.join(', ')}`);
    this.attacks = name === 'attack';
    this.x = seed >>> 0;
  }

  draw(n) {
    this.x = (Math.imul(this.x, 1664525) + 1013904223) >>> 0;
    return Math.floor(this.x * n / 2 ** 32);
  }

  /** A choice per side from `[{accepted}, {accepted}]`, p1 first. */
  choose(legal) {
    return legal.map(({accepted}) => {
      if (!accepted.length) return '';
      let pool = accepted;
      if (this.attacks) {
        const moves = accepted.filter(choice => choice.startsWith('move'));
        if (this.draw(8) !== 0 && moves.length) pool = moves;
      }
      return pool[this.draw(pool.length)];
    });
  }
}
