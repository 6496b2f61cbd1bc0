"""The vocabulary of effect programs: every number that a compiled card table may contain (see EFFECTS.md).

Both engines read the same tables, so these numbers are a contract: add, never renumber.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

ENERGY: Final = "GRWLPFDMC"  # energy types by index; a deck chooses among the first eight
TYPES: Final = "GRWLPFDMCN"  # Grass Fire Water Lightning Psychic Fighting Darkness Metal Colorless Dragon
ENERGY_KINDS: Final = len(ENERGY)
DECK_TYPES: Final = 8
ANY_ENERGY: Final = 0x1FF  # mask of all energy types
SLOTS: Final = 4  # 0 is the Active Spot, 1 to 3 the Bench
MANY: Final = 255  # "any number", "at least": an upper bound nothing reaches


class Row(NamedTuple):
    """One micro-op of a program: eight integers."""

    op: int
    when: int = 0
    who: int = 0
    filter: int = 0
    state: int = 0
    types: int = ANY_ENERGY
    amount: int = 0
    arg: int = 0


class Modifier(NamedTuple):
    """One passive rule: sixteen integers."""

    kind: int
    scope: int = 0  # Scope: whom it affects
    filter: int = 0  # … and which of them
    state: int = 0
    types: int = ANY_ENERGY
    amount: int = 0
    other: int = 0  # filter on the other party (the attacker, or the target)
    foe: int = 0  # 1: only against the opponent's Pokémon
    place: int = 0  # Place: where the source must be
    need_who: int = 0  # works only while at least need_min Pokémon of need_who match
    need_filter: int = 0
    need_state: int = 0
    need_min: int = 1  # -k: fewer than k of different names
    program: int = 0  # what a trigger runs
    arg: int = 0
    parameter: int = 0  # of `state`


class When(IntEnum):
    """Predicate of a row."""

    ALWAYS = 0
    TRUE = 1  # the flag is set
    FALSE = 2


class Who(IntEnum):
    """A set of Pokémon in play, seen from the player whose effect it is; in canonical order (own first, by slot)."""

    NOBODY = 0
    SELF = 1
    MY_ACTIVE = 2
    MY_BENCH = 3
    MY_ALL = 4
    FOE_ACTIVE = 5
    FOE_BENCH = 6
    FOE_ALL = 7
    EVERYBODY = 8
    BOTH_ACTIVE = 9
    BOTH_BENCH = 10
    CHOSEN = 11
    ATTACKER = 12  # in a trigger: the Pokémon whose attack caused it
    CAUSE = 13  # in a trigger: the Pokémon it happened to
    MY_OTHERS = 14
    ALL_OTHERS = 15  # everybody but the source


class State(IntEnum):
    """A condition on one Pokémon in play that can change during the game; its parameter is p, types a mask."""

    ANY = 0
    DAMAGED = 1
    UNDAMAGED = 2
    POISONED = 3
    BURNED = 4
    ASLEEP = 5
    CONFUSED = 7
    AFFLICTED = 8  # any Special Condition
    HAS_TOOL = 9
    HAS_ENERGY = 10  # at least p (or 1) units of `types`
    HAS_ABILITY = 11
    EVOLVED = 12  # has cards beneath
    EVOLVED_THIS_TURN = 13
    MOVED_UP_THIS_TURN = 14  # from the Bench to the Active Spot
    HP_AT_MOST = 16  # remaining HP <= p
    MAX_HP_AT_MOST = 17
    FIRST_ATTACK = 18  # has not finished an attack since it came into play
    HIT_LAST_TURN = 19  # damaged by an attack in the opponent's last turn while Active
    IS_SOURCE = 20
    NOT_SOURCE = 21
    FULL_HP = 22
    HALF_HP = 23  # remaining HP is at most half of the maximum
    NOT_MOVED_UP = 24
    MORE_HP = 25  # remaining HP above that of the source
    LESS_HP = 26
    HAS_NAMED_TOOL = 27  # a tool whose name id is p
    RETREAT_AT_LEAST = 29
    CAN_EVOLVE_FROM_DECK = 31  # may evolve by an effect this turn (rules of evolution that the card prints)
    HAS_CANDY_TARGET = 32  # a Stage 2 for it is in hand
    HAS_ATTACK = 33  # its card has the attack whose name id is p
    STADIUM_IN_PLAY = 34
    FIRST_TURN = 35  # the first turn of its owner
    DAMAGED_WITH_ENERGY = 37
    NEEDS_CARE = 38  # damaged, or with a Special Condition
    HURT_OR_STUNNED = 39  # damaged, Asleep, Paralyzed or Confused
    ZONE_OPEN = 40  # may get energy from the Energy Zone
    OTHER_CARD = 36  # another card than the source, with an Ability


class Op(IntEnum):
    """Micro-ops.  `n`, `flag`, `chosen` are the registers of a running program."""

    # Counting and testing: pure, and the only ones allowed in the head of a program (its playability).
    COUNT_POKEMON = 1  # n = how many of who match filter, state(p = amount), types
    COUNT_ENERGY = 2  # n = units of `types` on who
    COUNT_CARDS = 3  # n = cards of zone arg that match filter
    COUNT_FACT = 4  # n = Fact arg (parameters amount, types)
    CHECK = 5  # flag = amount <= n <= arg
    CHECK_BITS = 6  # flag = bit n of amount
    REQUIRE = 7  # head only: not usable unless the flag is set
    COUNT_TYPES = 9  # n = distinct energy types on who
    SET_COUNT = 10  # n = amount
    # Coins and choices.
    FLIP = 20  # flip amount coins: n = heads, flag = n > 0
    FLIP_N = 21  # flip n coins
    FLIP_TAILS = 22  # until tails
    CHOOSE = 23  # the player (arg bit 0: the opponent) picks one of who
    MAY = 24  # flag = does the player want to?
    CHOOSE_OPTION = 25  # flag = first of two options
    CHOOSE_SPOT = 27
    STOP = 28  # end of the program; an attack does nothing more
    # Damage of the attack itself.
    HIT = 30  # the damage step
    BASE_ADD = 31
    BASE_ADD_N = 32
    BASE_N = 33  # base = amount * n
    SPREAD = 34  # amount more for each of who
    SPREAD_N = 35
    SPREAD_ENERGY = 36  # amount for each energy on the target, on each of who
    RANDOM_SPREAD = 37  # n times: one of who at random takes amount
    IGNORE = 38  # arg bit 0: Weakness, bit 1: effects on the target
    # Damage and HP otherwise.
    DAMAGE = 40  # not attack damage; arg 1: with Weakness and effects on the target
    HEAL = 41
    HEAL_ALL = 42
    KNOCK_OUT = 43
    HALVE_HP = 44
    SET_HP = 45
    MOVE_DAMAGE = 46  # from CHOSEN to who, at most amount
    HEAL_DEALT = 48  # as much as the attack did to the opponent's Active
    DELAYED_DAMAGE = 49  # at a spot, end of the opponent's next turn; 0 = Knock Out
    # Conditions.
    AFFLICT = 50  # arg: mask of Condition; amount: poison per Checkup
    CURE = 51  # arg: mask of Condition
    AFFLICT_RANDOM = 52  # one of arg at random that is not there yet
    CURE_RANDOM = 53
    # Energy.
    ATTACH_ZONE = 60  # amount of each type in `types`, or of one random of them (arg bit 0), or type C = ANY (bit 1)
    ATTACH_DISCARD = 61  # amount from the discard pile, random among types
    DISCARD_ENERGY = 62  # amount random of types
    DISCARD_ALL = 63  # n = how many
    DISCARD_RANDOM_ANY = 64  # amount random units from among all of who
    MOVE_ENERGY = 65  # amount random of types from each of who to the Who arg; MANY = all
    MOVE_ENERGY_FROM = 66  # one unit of types, which the player picks, from who to the Who arg
    CHANGE_NEXT = 68
    CHANGE_ATTACHED = 69
    REROLL_ENERGY = 70
    ATTACH_PICKED = 72  # one from the discard pile, of a type not picked before, which the player picks
    PAY_ENERGY = 71  # amount of types that the player picks, from the source
    # Timed effects.
    TIMED = 80  # Modifier arg on who, Duration amount
    TIMED_PLAYER = 81  # … on the player (who MY_ALL or FOE_ALL)
    LOCK_ATTACK = 82  # one random attack of who
    # Cards.
    DRAW = 90
    DRAW_N = 91
    DRAW_TO = 92  # until the hand has amount (arg 1: as many as the opponent)
    SEARCH_HAND = 93  # amount random cards matching filter from the deck to the hand
    SEARCH_BENCH = 94
    EVOLVE_FROM_DECK = 95  # who evolves with a random card of the deck that evolves from it
    RECOVER = 96  # amount random cards matching filter from the discard pile to the hand
    MILL = 97  # amount cards of own (who MY_ALL) or the opponent's deck; n = those matching filter
    HAND_TO_DECK = 98  # who's whole hand
    FOE_RANDOM_TO_DECK = 99
    FOE_RANDOM_DISCARD = 100  # filter
    FOE_CHOICE = 101  # see the opponent's hand, pick one matching filter: arg 0 shuffle in, 1 discard
    REVEAL_HAND = 102
    LOOK_TOP = 103
    TAKE_TOP = 104  # top amount: all that match filter to the hand, the others shuffled in
    PEEK_OR_BOTTOM = 105
    REORDER = 106
    DISCARD_HAND = 107  # the player picks amount cards of filter; n = discarded
    HAND_PICK_TO_DECK = 108
    SWAP_HAND_DECK = 109  # the picked card of filter against a random one of filter arg
    SHUFFLE_DECK = 110
    FOE_DISCARD_TO = 111  # the opponent discards until amount are left
    RANDOM_HAND_TO_DECK = 112  # one card of both hands
    REVEAL_COUNT = 113  # n = cards of the hand and Pokémon in play with the attack named arg
    REVEAL_TOP_COUNT = 114
    KNOW_DECK = 115
    FOE_DISCARD_TO_BENCH = 116
    PICK_DISCARD = 117  # the player picks a card matching filter of the discard pile for the hand
    # Position.
    SWITCH = 120  # own Active with CHOSEN
    PULL = 121  # opponent's Active with CHOSEN
    RETURN_HAND = 122
    RETURN_DECK = 123
    DISCARD_POKEMON = 124
    DEVOLVE = 125
    CANDY = 126
    # Tools, Stadium.
    DISCARD_TOOLS = 130
    RETURN_TOOLS = 131
    DISCARD_STADIUM = 132
    TOOLS_TO_DECK = 133
    DISCARD_THIS = 134
    KEEP_THIS = 135
    DISCARD_TOOL_OR_STADIUM = 136
    # Turn and special bodies.
    END_TURN = 140
    COPY_ATTACK = 141
    COPY_SUPPORTER = 142
    AGAIN = 143
    NEXT_COIN_HEADS = 144
    MOVE_ENERGY_FREELY = 149


class Fact(IntEnum):
    """Numbers that COUNT_FACT reads."""

    MY_POINTS = 1
    FOE_POINTS = 2
    LOST_TO_ATTACK = 3  # own Pokémon (types mask) Knocked Out by attack damage in the opponent's last turn
    LOST_THIS_GAME = 4
    ATTACK_USED_LAST_TURN = 5  # the attack whose name id is amount
    ATTACK_USED_THIS_GAME = 6
    SUPPORTERS_PLAYED = 7  # this turn
    STADIUM_IN_PLAY = 8
    SELF_DAMAGE = 9  # tens of damage on the source
    SELF_HP = 10  # tens of remaining HP of the source
    FOE_RETREAT = 11  # Energy in the Retreat Cost of the opponent's Active
    KNOCKED_OUT_TARGET = 12  # the attack Knocked Out the opponent's Active
    SHARED_ENERGY = 13  # energy types on both the source and the opponent's Active
    ENERGY_DIFFERENCE = 14  # on the source minus the opponent's Active, plus 100
    EXTRA_ENERGY = 15  # units of types beyond the cost of the attack
    FOE_REMAINING = 16  # points the opponent still needs
    HAND_DIFFERENCE = 17  # own hand minus the opponent's, plus 100
    TOOLS = 18  # attached to own Pokémon
    POKEMON_DIFFERENCE = 19  # own Pokémon in play minus the opponent's, plus 100
    DISCARD_ENERGY = 25  # units of types in own discard pile
    CURRENT_ENERGY = 27
    REMOVABLE = 29  # tools in play plus the Stadium
    FOE_FREE_BENCH = 30


class Zone(IntEnum):
    """Card zones that COUNT_CARDS reads."""

    MY_HAND = 1
    FOE_HAND = 2
    MY_DECK = 3
    FOE_DECK = 4
    MY_DISCARD = 5
    FOE_DISCARD = 6


class Condition(IntEnum):
    """Special Conditions as bits."""

    POISONED = 1
    BURNED = 2
    ASLEEP = 4
    PARALYZED = 8
    CONFUSED = 16


ALL_CONDITIONS: Final = 31


class Duration(IntEnum):
    """When a timed effect is in force."""

    THIS_TURN = 0
    FOES_NEXT_TURN = 1
    MY_NEXT_TURN = 2
    WHILE_ACTIVE = 3
    THROUGH_FOES_TURN = 4  # from now until the end of the opponent's next turn


class Scope(IntEnum):
    """Whom a modifier affects, seen from the owner of its source."""

    SELF = 0  # the source, or the holder of the tool, or the Pokémon the timed effect lies on
    MY_ACTIVE = 1
    MY_ALL = 2
    FOE_ACTIVE = 3
    FOE_ALL = 4
    EVERYBODY = 5
    ME = 6  # the player
    FOE = 7
    BOTH = 8


class Place(IntEnum):
    """Where the source of a modifier must be."""

    ANYWHERE = 0
    ACTIVE = 1
    BENCH = 2


class Kind(IntEnum):
    """Kinds of modifiers."""

    DAMAGE_OUT = 1  # attacks used by … do +amount; arg: bit 0 also to the Bench; program field: attack name id or 0
    DAMAGE_IN = 2  # … take +amount from attacks
    PREVENT = 3  # all damage of attacks; amount > 0: only if it is that or less
    COIN_SHIELD = 4  # flip: heads, the damage changes by amount; 0 = prevented
    PREVENT_EFFECTS = 5
    NO_WEAKNESS = 6
    DOUBLE_WEAKNESS = 7
    HP = 8
    HP_PER_ENERGY = 9
    RETREAT = 10
    FREE_RETREAT = 11
    COST = 12  # attacks cost amount more C (arg < 0) or of type arg
    CHEAP_ATTACK = 13  # the attack whose name id is in the program field can be used for 1 energy of types
    NO_ATTACK = 14
    NO_RETREAT = 15
    NO_NAMED_ATTACK = 16  # arg: attack name id
    ATTACK_COIN = 17  # amount 1: does not stack
    NO_SUPPORTER = 18
    NO_ITEM = 19
    NO_TRAINER = 20
    NO_STADIUM = 21
    NO_EVOLVE = 22  # arg 1: the Active only
    NO_ZONE_ACTIVE = 23
    IMMUNE = 24  # arg: mask of Condition
    NO_HEAL = 25
    POISON_MORE = 26
    DOUBLE_ENERGY = 27
    NO_ABILITY = 28
    SURVIVE_COIN = 29
    SURVIVE = 30
    NO_POINTS_COIN = 31
    PREVIOUS_ATTACKS = 32
    EXTRA_TYPE = 33
    TOOL_SLOTS = 34
    EVOLVE_EARLY = 35
    EVOLVE_ANY = 36  # into any card that evolves from name arg
    FIRST_HIT_SHIELD = 37
    NO_ABILITY_DAMAGE = 38
    MORE_POINTS = 40
    DAMAGE_OUT_POINTS = 41  # amount for each own point
    REFLIP = 42
    MORE_PICKS = 43
    TO_HAND = 44
    # Triggers: they run `program`.
    ON_HIT = 60  # damaged by an attack of the opponent's Pokémon
    ON_KO = 61  # Knocked Out by attack damage of the opponent's Pokémon
    ON_KO_FOE = 62  # Knocked Out an opponent's Pokémon with an attack
    ON_ZONE_ENERGY = 63  # energy attached from the Zone to the affected
    END_MY_TURN = 64
    END_FOE_TURN = 65
    END_ANY_TURN = 66
    CHECKUP = 67
    BEGIN_TURN = 68
    ON_FOE_RETREAT = 69
    END_FIRST_TURN = 70
    END_EACH_PLAYERS_TURN = 71  # a Stadium: runs for the player whose turn ends


class Use(IntEnum):
    """How an Ability is used; PASSIVE ones are modifiers."""

    PASSIVE = 0
    ONCE = 1
    OFTEN = 2
    ON_EVOLVE = 3
    ON_BENCH = 4


class Stage(IntEnum):
    """Stage of a Pokémon card."""

    BASIC = 0
    STAGE_1 = 1
    STAGE_2 = 2


class CardKind(IntEnum):
    """Kind of a card."""

    POKEMON = 0
    FOSSIL = 1
    ITEM = 2
    TOOL = 3
    SUPPORTER = 4
    STADIUM = 5
