// Players whose battles last: hundreds of turns, where counters reach their ends and turns are counted anew.
//
// Where they are asked for a move, each of them draws first:
//   stall      draw(8): 0 anything; otherwise a move that protects or heals, else one that does no damage
//   least-pp   nothing: a move with the fewest power points left
//   status     draw(8): 0 anything; otherwise a move that does no damage
//   ping-pong  nothing: it switches
//   marathon   in turns of WINDOWS draw(16): 0 anything; then draw(2): 0 a move that acts in a later turn; else a move
//              that is for the user's own side, else whoever has a move that acts later comes in; in other turns it
//              switches, and from turn LAST_TURNS on it does anything

const WINDOWS = [[1, 40], [250, 275], [506, 518]];
const LAST_TURNS = 995;

// Kinds of moves, of Showdown's descriptions.
const status = move => move.category === 'Status';
const protects = move => Boolean(move.stallingMove);
const heals = move => status(move) && Boolean(move.flags.heal);
const later = move => move.id === 'wish' || Boolean(move.flags.futuremove);
const OWN = ['self', 'allySide', 'allyTeam', 'allies', 'adjacentAllyOrSelf'];
const gentle = move => later(move) || (status(move) && OWN.includes(move.target) && !move.selfdestruct);

/** By name: `(situation, draw) -> lists of choices`. */
const PLAYERS = {
  stall: (at, draw) => (draw(8) === 0 ? [] : [at.moves(move => protects(move) || heals(move)), at.moves(status)]),
  'least-pp': at => [at.leastLeft()],
  status: (at, draw) => (draw(8) === 0 ? [] : [at.moves(status)]),
  'ping-pong': at => [at.switches()],
  marathon: (at, draw) => {
    if (at.turn >= LAST_TURNS) return [];
    if (!WINDOWS.some(([first, last]) => at.turn >= first && at.turn <= last)) return [at.switches(), at.moves(gentle)];
    if (draw(16) === 0) return [];
    const acting = draw(2) === 0 ? [at.moves(later)] : [];
    return [...acting, at.moves(gentle), at.switches(later), at.switches()];
  },
};
export const LASTING = Object.keys(PLAYERS);

/** Lists of choices of a side, best first; none where it is not asked for a move. */
export function lists(name, play, side, draw) {
  const request = play.battle.sides[side].activeRequest;
  return request.forceSwitch ? [] : PLAYERS[name](new Situation(play, side), draw);
}

/** What a side may do, by what it does. */
class Situation {
  constructor(play, side) {
    this.turn = play.battle.turn;
    this.dex = play.battle.dex;
    this.side = play.battle.sides[side];
    this.accepted = play.legal()[side].accepted;
    this.ids = play.moves()[side];
  }

  #move(choice) {
    return this.ids[Number(choice.split(' ')[1]) - 1];
  }

  /** Moves of which the test is true. */
  moves(test) {
    return this.accepted.filter(choice => choice.startsWith('move') && test(this.dex.moves.get(this.#move(choice))));
  }

  /** Switches, on request to those that have a move of which the test is true and power points for it. */
  switches(test = () => true) {
    const knows = pokemon => pokemon.baseMoveSlots.some(({id, pp}) => pp > 0 && test(this.dex.moves.get(id)));
    return this.accepted.filter(choice => {
      const [word, position] = choice.split(' ');
      return word === 'switch' && knows(this.side.pokemon[position - 1]);
    });
  }

  /** The moves with the fewest power points left; Struggle has none. */
  leastLeft() {
    const moves = this.moves(() => true);
    const left = choice => this.side.active[0].moveSlots.find(({id}) => id === this.#move(choice))?.pp ?? 0;
    const least = Math.min(...moves.map(left));
    return moves.filter(choice => left(choice) === least);
  }
}
