"""Pokémon TCG Pocket in plain Python: a reference written from the rules, for reading and for checking."""

from tcg_engine.cards import CardTable, table
from tcg_engine.config import LEGACY, OFFICIAL, Rules
from tcg_engine.decks import Deck
from tcg_engine.game import NUM_ACTIONS, clone, legal_mask, new_game, step
from tcg_engine.observe import full, observation
from tcg_engine.state import Game

__version__ = "0.1.0"
__all__ = [
    "LEGACY",
    "NUM_ACTIONS",
    "OFFICIAL",
    "CardTable",
    "Deck",
    "Game",
    "Rules",
    "clone",
    "full",
    "legal_mask",
    "new_game",
    "observation",
    "step",
    "table",
]
