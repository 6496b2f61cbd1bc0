// Random legal play without looking at the state, as fast as Node plays: one battle after the other.
import {Play} from './play.mjs';
import {Policy} from './policy.mjs';
import {RequestError} from './serve.mjs';

/** Goes on from call to call: a battle that a call leaves unfinished is the first of the next one. */
export class RandomPlay {
  /** @param {{teams: string[], seed: number}} setting packed teams, of which each battle draws two; of the draws */
  constructor({teams, seed}) {
    if (!Array.isArray(teams) || !teams.length) throw new RequestError('teams: expected packed teams to draw from');
    this.teams = teams;
    this.policy = new Policy('uniform', seed);
    this.battles = 0;
    this.play = this.#begin();
  }

  /** Takes that many decisions; battles that have ended so far. */
  advance(decisions) {
    for (let taken = 0; taken < decisions; taken++) {
      if (this.play.ended) {
        this.battles++;
        this.play = this.#begin();
      }
      this.play.commit(this.policy.choose(this.play));
    }
    return this.battles;
  }

  #begin() {
    const word = () => this.policy.draw(2 ** 32).toString(16).padStart(8, '0');
    const teams = [0, 1].map(() => this.teams[this.policy.draw(this.teams.length)]);
    return new Play({seed: word() + word(), teams});
  }
}
