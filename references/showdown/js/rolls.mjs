// All sixteen damages of a move, by Showdown's own formula with the draw given and chances that fail (Fickle Beam's);
// the battle stays as it is but for its generator, of which shuffles of equals draw.
import {RequestError} from './serve.mjs';

/**
 * @param {{battle: object}} play
 * @param {number} side whose active Pokémon attacks
 * @param {number} slot of its move
 * @param {boolean} critical
 * @returns {number[]} damage by draw, 0 to 15; zeros if the target is immune
 */
export function damageRolls({battle}, side, slot, critical) {
  const source = battle.sides[side]?.active[0], target = battle.sides[1 - side]?.active[0];
  const known = source?.moveSlots[slot];
  if (!known) throw new RequestError(`slot ${slot} of side ${side}, where there is no move`);
  const lines = battle.log.length, {status, statusState} = source;  // which a move that thaws its user ends
  try {
    return Array.from({length: 16}, (_, roll) => {
      battle.random = () => roll;
      battle.randomChance = () => false;
      const move = battle.dex.getActiveMove(known.id);
      battle.setActiveMove(move, source, target);
      battle.singleEvent('ModifyType', move, null, source, target, move, move);
      battle.singleEvent('ModifyMove', move, null, source, target, move, move);
      battle.runEvent('ModifyType', source, target, move, move);
      battle.runEvent('ModifyMove', source, target, move, move);
      move.willCrit = critical;
      move.hit = 1;
      return battle.actions.getDamage(source, target, move, true) || 0;
    });
  } finally {
    delete battle.random;
    delete battle.randomChance;
    battle.clearActiveMove();
    battle.log.length = lines;
    Object.assign(source, {status, statusState});
  }
}
