"""Where everything of a game lies in its packed words; `codec` unpacks them into the arrays that the rules use.

A card in a game is an *instance*: 0 to 19 belong to player 0, 20 to 39 to player 1.  A *place* is a slot of either
player: 0 to 3 are player 0's Active Spot and Bench, 4 to 7 player 1's.  A Pokémon in play is named by the instance of
its lowest card, which no other has and which it takes along when it changes places.
"""

from __future__ import annotations

from typing import Final

from rlenv_shared.packing import Field, Layout, bits, flag, record, word

INSTANCES: Final = 40
DECK_SIZE: Final = 20
PLACES: Final = 8
SLOTS: Final = 4
NOBODY: Final = -1
PROGRAMS: Final = 6  # that can wait on one another
ROWS_OF_HEADS: Final = 16  # longest head of a program
EFFECTS: Final = 4  # of attacks that lie on a Pokémon
LASTING: Final = 6  # effects that lie on a player
LAST_TURN: Final = 62  # highest turn number
FOREVER: Final = 63  # end of effects that last as long as their Pokémon stays Active; one more for each equal one
NOT_PRICED: Final = -8  # owed for a retreat whose cost has not been looked up yet

DECK, HAND, DISCARD, IN_PLAY, STADIUM, LIMBO, PILE = range(7)
"""Zones of an instance; limbo is a Trainer card while it is played, the pile what an effect is working through."""


def _instance(name: str, count: int | None = None) -> Field:
    return bits(name, NOBODY, INSTANCES - 1, empty=NOBODY, count=count)


def _turn(name: str) -> Field:
    return bits(name, 0, LAST_TURN)


def _deck(name: str) -> Field:
    """A flag for each instance of a player's, the first one lowest: a number, since rules take them all together."""
    return bits(name, 0, 2**DECK_SIZE - 1, count=2)


LAYOUT: Final = Layout(
    "tcg",
    [
        word("key0"), word("key1"), bits("draws", 0, 65_535, count=5),
        word("legal", count=5),
        bits("time", 0, 65_535), bits("deck", 0, 255, count=2),
        bits("turn", 0, LAST_TURN), flag("first"), flag("current"), bits("winner", -1, 2, empty=-1),
        _instance("stadium"), flag("coin_heads"), flag("reflip_used"), flag("turn_over"), flag("overflow"),
        flag("asked"), flag("actor"), bits("answer", -1, 143, empty=-1),
        # unfinished work, from what runs last to what runs first
        bits("setup", 0, 2), bits("turn_step", 0, 15), flag("main"),
        flag("retreating"), bits("retreat_place", 0, 3), bits("owed", NOT_PRICED, 15),
        flag("attacking"), bits("attack_step", 0, 7), _instance("attacker"), bits("attack_card", 0, 4095),
        flag("attack_number"), flag("struck"), bits("strike_card", 0, 4095), flag("strike_number"),
        bits("base", -4096, 8191), flag("ignore_weakness"), flag("ignore_effects"), _instance("target"),
        bits("dealt", 0, 4095), bits("again", 0, 1023), flag("settling"), flag("settles_attack"),
        bits("programs", 0, PROGRAMS),
        # what one pass leaves to the next
        flag("undealt"), flag("stale"), flag("asks_main"), flag("checks"),
        bits("start_mode", 0, 3), bits("start_number", 0, 1023), bits("start_me", 0, 1), _instance("start_source"),
        bits("start_use", 0, 15), flag("leaves", count=PLACES), bits("leaves_first", 0, 1),
        bits("leaves_to", 0, 6, empty=DISCARD), flag("leaves_whole"),
        bits("zone", 0, 6, count=INSTANCES), bits("position", 0, 19, count=INSTANCES),
        bits("pile", 0, 15, count=INSTANCES),
        _deck("sure"), _deck("some"), _deck("mixed"), bits("in_hand", 0, 15, count=2), bits("in_deck", 0, 31, count=2),
        bits("depth", 0, 31, count=2), bits("mixed_depth", 0, 31, count=2),
        flag("ended", count=INSTANCES),  # it has had its effect at the end of this turn
        record("seen_by", 2, [_deck("known")]),
        record("place", PLACES, [
            _instance("cards", 3), _instance("tools", 2), bits("damage", 0, 8191), bits("energy", 0, 63, count=9),
            bits("poison", 0, 255), flag("burned"), bits("stupor", 0, 16), _turn("paralyzed_turn"), _turn("entered"),
            _turn("evolved"), _turn("moved_up"), _turn("ability_used"), _turn("hit_turn"), flag("attacked"),
            flag("shielded"), flag("damaged"), bits("spread", 0, 4095), bits("max_hp", 0, 1023),
            record("effect", EFFECTS, [
                bits("fx_modifier", 0, 255), bits("fx_start", 0, FOREVER), bits("fx_end", 0, 2 * FOREVER),
                flag("fx_owner"), bits("fx_attack", 0, 2),
            ]),
        ], whole_words=True),
        record("side", 2, [
            bits("energy_types", 0, 255), bits("zone_energy", -1, 8, empty=-1), bits("next_energy", -1, 8, empty=-1),
            bits("points", 0, 31), bits("supporters", 0, 7), flag("stadium_played"), flag("stadium_used"),
            flag("retreated"), _turn("turns"), _turn("lost_turn"), bits("lost_types", 0, 1023),
            bits("lost_count", 0, 63), bits("uses", 0, 63), _turn("last_use"), _turn("prior_use"),
            bits("discard_energy", 0, 63, count=9), bits("spot_turn", 0, LAST_TURN, count=SLOTS),
            bits("spot_amount", 0, 511, count=SLOTS),
            record("lasting", LASTING, [
                bits("px_modifier", 0, 255), bits("px_start", 0, FOREVER), bits("px_end", 0, FOREVER), flag("px_owner"),
            ]),
        ], whole_words=True),
        record("program", PROGRAMS, [
            bits("number", 0, 1023), flag("me"), flag("strikes"), flag("played"), bits("row", 0, 31), flag("flag"),
            bits("n", 0, 1023), bits("healed", 0, 4095), _instance("source"), _instance("by"), _instance("cause"),
            _instance("chosen"), bits("spot", -1, 3, empty=-1), _instance("held"), bits("parked", -1, 62, empty=-1),
            flag("picked", count=PLACES),
        ], whole_words=True),
    ],
    max_bytes=800,
)  # fmt: skip
