"""Deal a game and take its first decision with the package's own dependencies alone."""

import tcgjax
from tcgjax.host import HostGame
from tcgjax.verification.starters import starters


def smoke() -> str:
    """One game on the host."""
    game = HostGame(starters(), 7)
    assert not game.step(game.options[0])
    assert game.state.time == 1
    return f"tcgjax: {tcgjax.__version__} works"
