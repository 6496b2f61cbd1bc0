"""The state of a battle in packed words.

Who is active lies in hot words, which every action reads; the six members of a team lie in cold ones, which only
switching reads.  Constants of a Pokémon are not here: `battle.Battle.pokemon` reads them from the pool.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pokejax import rows
from rlenv_shared.packing import Layout, bits, flag, record, word

Words = tuple[Any, ...]
"""uint32, as everybody outside holds them; rules have them as `signed` makes them."""

NOT_ASKED, ASK_MOVES, ASK_SWITCH = range(3)
"""What the players are asked: nothing while a turn resolves, a move or switch each, who comes in."""
UNDEFINED, NULL, FALSE, TRUE = range(4)
"""Results of a move, as Showdown's four values."""
FREE, SECRETLY, OPENLY = range(3)
"""Whether a Pokémon is trapped, and whether its player is told so."""
NOBODY: Final = 2
TEAM: Final = 6
MOVES: Final = 4
STRUGGLE_SLOT: Final = 4
TRANSFORM_CODE: Final = MOVES + 2
"""One plus the number of no slot: that of Transform, once its user has other moves instead."""
COPIED_PP: Final = 5
MAX_TURN: Final = 1001
MAX_PP: Final = 64

MAX_ITEM: Final = 63
FAINTED: Final = len(rows.STATUSES)
"""The status that is told of who was seen fainting; one more than there are."""
MOST_BLOWS: Final = 6
MOST_FALLEN: Final = 5
MOST_USES: Final = 3
MOST_CONFUSED, MOST_BOUND = 5, 6

PERSISTENT: Final = (
    bits("row", 0, 65_535), bits("hp", 0, 1023), bits("item", 0, MAX_ITEM), flag("terastallized"),
    bits("status", 0, len(rows.STATUSES) - 1), bits("status_by", 0, 11), bits("eaten", 0, MAX_ITEM),
    bits("slept", 0, 7), bits("appeared", 0, TEAM), bits("percent", 0, 100), flag("fainted"),
    flag("ability_shown"), flag("item_shown"), bits("moves_shown", 0, 2**MOVES - 1), bits("stage", 0, 15),
    bits("blows", 0, MOST_BLOWS), flag("ability_used"), flag("ability2_used"), flag("changed"),
    bits("came_to", 0, TRUE), bits("illusion_as", 0, TEAM), bits("rested", 0, 7), bits("gone", 0, MAX_ITEM),
)  # fmt: skip
"""What a Pokémon keeps when it leaves: ``stage`` counts turns of bad poison or the time left asleep, ``slept`` is the
sleep's whole time, ``status_by`` who brought the status (six times the side, plus the place in the team), ``eaten`` the
berry that was used up last, 0 if it was another item, ``row`` its constants in the pool, ``blows`` how often it has
been struck, as far as Rage Fist counts; ``ability_used`` that its ability has done what it does once in a battle
(``ability2_used`` Dauntless Shield), ``changed`` that it is what `effects.CHANGES` says, ``came_to`` the result of the
move by which it fell.  The others are what the other player has been told (`rules.mechanics.revealed`): as which of its
team it came out, 0 for not yet; the hit points in percent with which it was last seen leaving; its moves, a bit for
each slot; its ability; its item; how often it was said to sleep (``rested``); the item that it was said to have lost
last (``gone``).  ``illusion_as`` is one plus the member of its team that it seemed to be when it last came out, 0 for
itself."""

TOLD: Final = (
    flag("misreported"), bits("told_status", 0, FAINTED), flag("told_tera"), bits("told_item", 0, MAX_ITEM),
    bits("false_moves", 0, 2**MOVES - 1), bits("false_spent", 0, MAX_PP - 1, count=MOVES),
)  # fmt: skip
"""What was told of a Pokémon where it is not the truth, because another one has seemed to be it, or it another one
(`rules.mechanics.illusion`): ``misreported`` says that its status is ``told_status`` and whether it has Terastallized
``told_tera``; ``told_item`` is one plus its item, unless the item it has is known, 0 for unknown; ``false_moves`` are
moves of the one with Illusion, by the slots of that one, and ``false_spent`` the power points, up to 63, that these
have lost meanwhile."""
BEHIND: Final = ("moves_shown", "rested", "item_shown", "gone")
"""What the team keeps as it was while who is out seems to be another one, of whom the same is told meanwhile."""

ARRIVING: Final = (
    "protected", "stall_turns", "flinched", "bound", "salted", "heal_block", "throat_chop", "lock", "recharge",
    "charging", "roosting", "seeded", "cursed", "risen", "yawn", "taunt", "encore", "readied", "coated", "disable",
)  # fmt: skip
"""Volatile conditions whose order of arrival the state keeps, here in the order in which one action brings them."""
LATEST: Final = 63

VOLATILE: Final = (
    bits("boosts", 0, 2 ** (rows.STAGE_BITS * len(rows.BOOSTS)) - 1), flag("flinched"),
    bits("confusion", 0, MOST_CONFUSED), bits("confused_for", 0, MOST_CONFUSED), bits("bound_for", 0, MOST_BOUND),
    bits("uses", 0, MOST_USES),
    bits("choice_lock", 0, TRANSFORM_CODE), bits("last_move", 0, TRANSFORM_CODE), bits("this_result", 0, 3),
    bits("last_result", 0, 3), flag("protected"), bits("stalls", 0, 6), bits("stall_turns", 0, 2),
    bits("substitute", 0, 255), flag("seeded"), bits("taunt", 0, 4), bits("encore", 0, 4),
    bits("encore_slot", 0, MOVES - 1), flag("roosting"), bits("heal_block", 0, 2), bits("throat_chop", 0, 2),
    bits("yawn", 0, 2), bits("yawn_by", 0, 11), flag("cursed"), flag("fired_up"), flag("unburdened"),
    bits("lock", 0, 2), bits("lock_turns", 0, 3), bits("lock_slot", 0, MOVES - 1),
    bits("disable", 0, 5), bits("disable_slot", 0, MOVES - 1), flag("raised"), flag("lowered"),
    bits("best_stat", 0, 5), flag("from_booster"), flag("unstarted"), flag("salted"), flag("struck"), flag("exposed"),
    bits("typed", 0, 19), bits("trapped", 0, 2), flag("no_retreat"), bits("slow", 0, 5), flag("loafing"),
    bits("recharge", 0, 2), bits("charging", 0, 2), bits("charge_slot", 0, MOVES - 1), flag("charged"),
    flag("charged_up"), flag("bonded"), bits("risen", 0, 5), bits("bound", 0, MOST_BOUND), flag("bind_source_gone"),
    bits("form", 0, 2), bits("readied", 0, 3), flag("unfocused"),
    bits("copied_ability", 0, 255), bits("cud", 0, MAX_ITEM), bits("cud_turns", 0, 2), flag("spirit_shackle"),
    flag("attracted"),
    flag("discharged"), flag("coated"), bits("coat", 0, 2047),
    flag("adapted"), flag("berserk_pending"), flag("disguise_debt"),
    flag("transformed"), bits("copied_row", 0, 65_535), flag("copied_changed"),
    bits("copied_pp", 0, COPIED_PP, count=MOVES),
    bits("arrived", 0, LATEST, count=len(ARRIVING)),
)  # fmt: skip
"""What ends when it leaves or faints.  ``boosts`` are its stages (`pokejax.stages`).  ``choice_lock`` and ``last_move``
are 0 for none, else a slot's number plus one; ``uses`` counts how often it has used its last move in a row,
``confused_for`` and ``bound_for`` the turns that have passed of confusion and of Whirlpool; ``substitute`` has hit
points, ``stalls`` counts moves like Protect in a row; ``lock`` is the duration of a rampage like Outrage and
``lock_turns`` how long it goes on; ``raised`` and ``lowered`` say whether a stage changed in this turn, ``struck``
whether the foe who is out has struck it; ``typed`` is the only type that it has now, 0 for its own, ``adapted`` that
its own Protean has seen to that; ``berserk_pending`` that Berserk has not looked since it hit itself in confusion,
``disguise_debt`` that this has cost it its disguise, for which it pays at the next Update; ``bound`` are the turns that
Whirlpool holds it, ``bind_source_gone`` says that whoever did it is gone; ``form`` is a form that ends with leaving, as
`effects.FORMS` numbers them; ``unstarted`` that its Booster Energy was taken and given back, since when it waits for
the next entry; ``readied`` is what it prepares before it moves, ``unfocused`` that it was struck since;
``copied_ability`` is the ability that Trace or Transform has taken, 0 for its own; ``cud`` the berry that Cud Chew
brings up again; ``coated`` says that Mirror Coat waits, ``coat`` one plus what it gives back, 0 before a special move
has struck; ``discharged`` that Double Shock has used its electricity up; ``transformed`` that it has become the other
Pokémon, as of row ``copied_row``, which had ``changed`` itself if ``copied_changed`` holds, with the power points
``copied_pp``; ``arrived`` numbers `ARRIVING` in the order in which they came, 0 is not there; the others are turns left
or flags."""

BY_THE_OTHER: Final = ("spirit_shackle", "attracted")
"""Volatile conditions that end when the other Pokémon, which has brought them, is gone."""

LAYOUT: Final = Layout(
    "battle",
    [
        word("high"), word("low"), word("draws"), bits("time", 0, 2**20 - 1),
        bits("turn", 0, MAX_TURN), bits("request", 0, 2), flag("over"), bits("winner", 0, NOBODY),
        bits("weather", 0, len(rows.WEATHERS) - 1), bits("weather_turns", 0, 8),
        flag("mid_turn"), flag("queued_start"), flag("queued_before_turn"), flag("queued_residual"),
        flag("second_instaswitches_first"), flag("second_switches_first"), flag("second_terastallizes_first"),
        flag("second_charges_first"), flag("second_coats_first"),
        flag("second_moves_first"), flag("swapped"), bits("ignored", 0, 2),
        bits("trick_room", 0, 5), bits("terrain", 0, len(rows.TERRAINS) - 1), bits("terrain_turns", 0, 5),
        bits("fused", 0, 2), flag("second_struck_first"),
        record("side", 2, [
            bits("order", 0, TEAM - 1, count=TEAM), bits("left", 0, TEAM),
            flag("asked"), flag("may_terastallize"),
            flag("queued_instaswitch"), flag("queued_run_switch"), flag("queued_switch"), flag("queued_terastallize"),
            flag("queued_charge"), flag("queued_coat"), flag("queued_revival"), flag("awakening"), flag("assuming"),
            flag("queued_move"), bits("chosen_member", 0, TEAM - 1), bits("chosen_slot", 0, STRUGGLE_SLOT),
            bits("priority", -7, 7), bits("fraction", -1, 1), flag("flies"), flag("glides"), flag("harmless"),
            flag("heals"), flag("sheds_tail"),
            flag("switch_flag"), flag("before_switch_out_done"),
            *PERSISTENT, bits("pp", 0, MAX_PP, count=MOVES), flag("shown_fainted"),
            *VOLATILE, bits("speed", 0, 2**13 - 1), bits("active_turns", 0, MAX_TURN), flag("newly_switched"),
            bits("move_actions", 0, 3),
            flag("stealth_rock"), bits("spikes", 0, 3), bits("toxic_spikes", 0, 2), flag("sticky_web"),
            bits("wish_turns", 0, 3), bits("wish", 0, 1023), flag("dragged"),
            flag("rock_before_toxic"), flag("spikes_before_toxic"), flag("rock_before_web"), flag("spikes_before_web"),
            flag("rock_before_spikes"), flag("toxic_before_web"),
            bits("reflect", 0, 8), bits("light_screen", 0, 8), bits("aurora_veil", 0, 8),
            bits("tailwind", 0, 4), flag("healing"), flag("reviving"), bits("fallen", 0, MOST_FALLEN),
            bits("future_turns", 0, 4), bits("future_by", 0, TEAM - 1), flag("future_due"), flag("absent"),
            bits("bystander", 0, 255), bits("illusion_user", 0, TEAM),
            flag("reflect_long"), flag("light_screen_long"), flag("aurora_veil_long"),
            record(
                "member", TEAM, [*PERSISTENT, bits("pp", 0, MAX_PP, count=MOVES), *TOLD], table="cold", whole_words=True
            ),
        ], whole_words=True),
    ],
)  # fmt: skip
"""``fused`` says which of Fusion Flare (1) and Fusion Bolt (2) was the last move of this turn to succeed; ``priority``
is that of the chosen move, of which `queue.priority` asks besides whether it is of type Flying (``flies``), ``glides``
over grass, does no damage (``harmless``) or ``heals``; ``fraction`` hurries or delays a move among those of its
priority; ``wish`` is twice what Wish gives when ``wish_turns`` have passed;
``rock_before_toxic`` and its like say which hazard was laid first; ``ignored`` is one plus the true side whose ability
the present move passes by; ``awakening`` says that an ability which was copied is about to begin, ``assuming`` that
this is all of Transform that is left, ``healing`` that a Healing Wish waits, ``reviving`` that somebody is to be
revived, ``fallen`` how many have fainted, revived ones too, as far as it counts; ``future_by`` says which of the other
side's team has seen an attack on this side's place, ``future_turns`` when it strikes, ``future_due`` that it does now;
``absent`` that who strikes in this way is not out, ``bystander`` then the ability of who is; ``illusion_user``
one plus who has come out in a guise, 0 as long as nobody has; ``reflect_long`` and its like that a screen was put up
with Light Clay, from which follows for how long it has stood; ``swapped`` says that the
sides have changed places, so that whoever acts is the first."""
_UNSIGNED: Final = frozenset(
    LAYOUT.tables[place.table].start + place.word for place in LAYOUT.places() if place.field.dtype == np.uint32
)


def signed(words: Words) -> Words:
    """As int32, but for the generator's: what is read from them is int32 then without a conversion each time."""
    return tuple(
        word if number in _UNSIGNED or word.dtype == np.int32 else word.astype(np.int32)
        for number, word in enumerate(words)
    )


def unsigned(words: Words) -> Words:
    """As uint32, all of them."""
    return tuple(word if word.dtype == np.uint32 else word.astype(np.uint32) for word in words)
