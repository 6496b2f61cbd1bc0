// What a side may choose in a singles battle, as choice texts in a fixed order: moves (plain, then with
// Terastallization), then switches by position.
//
// `requested` is what the request shows the player; `accepted` leaves out what Showdown would refuse because of
// something the player cannot see (a hidden trap, a move disabled in secret).

/** Kind of a side's request: none, wait, switch, revive or move. */
export function requestKind(side) {
  const request = side.activeRequest;
  if (!request) return 'none';
  if (request.wait) return 'wait';
  if (request.teamPreview) throw new Error('team preview is no part of this format');
  if (!request.forceSwitch) return 'move';
  return side.slotConditions[0]['revivalblessing'] ? 'revive' : 'switch';
}

export function legalChoices(side) {
  const kind = requestKind(side);
  if (kind === 'none' || kind === 'wait') return {requested: [], accepted: []};
  if (kind !== 'move') {
    const list = switches(side, kind === 'revive');
    return {requested: list, accepted: [...list]};
  }
  const active = side.active[0];
  const shown = side.activeRequest.active[0];
  const enabled = acceptedMoves(active, shown);
  const requested = [], accepted = [];
  shown.moves.forEach((move, index) => {
    if (move.disabled) return;
    const texts = [`move ${index + 1}`];
    if (shown.canTerastallize) texts.push(`move ${index + 1} terastallize`);
    requested.push(...texts);
    if (enabled(move.id)) accepted.push(...texts);
  });
  if (!shown.trapped) requested.push(...switches(side, false));
  if (!shown.trapped && !active.trapped) accepted.push(...switches(side, false));
  return {requested, accepted};
}

function switches(side, fainted) {
  const positions = side.pokemon.flatMap((pokemon, index) =>
    (fainted ? pokemon.fainted : index >= side.active.length && !pokemon.fainted) ? [index] : []);
  return positions.map(index => `switch ${index + 1}`);
}

/** Side.chooseMove: a lock or Struggle takes any answer, otherwise the move must really be enabled. */
function acceptedMoves(active, shown) {
  if (active.getLockedMove() || active.getSemiLockedMove()) return () => true;
  const moves = active.getMoves();
  if (!moves.length) return () => true;
  return id => moves.some(move => move.id === id && !move.disabled);
}
