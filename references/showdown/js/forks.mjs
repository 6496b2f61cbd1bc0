// What a search in Node does: a copy of the battle for every pair of choices, one decision further each.
import {Battle} from './package.mjs';

/** Plays every pair of legal choices in a copy of its own; how many there are.  The battle itself stays as it is. */
export function forks(play) {
  const text = JSON.stringify(play.battle.toJSON()); // once for all copies
  const [own, other] = play.legal().map(({accepted}) => (accepted.length ? accepted : ['']));
  let nodes = 0;
  for (const one of own) {
    for (const two of other) {
      const copy = Battle.fromJSON(text);
      [one, two].forEach((choice, n) => choice && copy.sides[n].choose(choice));
      copy.commitChoices();
      nodes++;
    }
  }
  return nodes;
}
