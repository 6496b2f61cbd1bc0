"""The numbers in the card tables, by name.  Made by ``make_tables.py`` from those of the reference."""

from enum import IntEnum
from typing import Final

ENERGY: Final = "GRWLPFDMC"
TYPES: Final = "GRWLPFDMCN"
ENERGY_KINDS: Final = 9
DECK_TYPES: Final = 8
ANY_ENERGY: Final = 511
MANY: Final = 255
ALL_CONDITIONS: Final = 31


class CardColumn(IntEnum):
    """Columns of the table of cards."""

    KIND = 0
    TYPES = 1
    STAGE = 2
    EVOLVES_FROM = 3
    HP = 4
    WEAKNESS = 5
    RETREAT = 6
    POINTS = 7
    USE = 8
    HAS_ABILITY = 9
    PROGRAM = 10
    MODIFIER_0 = 11
    MODIFIER_1 = 12
    ATTACKS = 13
    NAME = 14
    EX = 15
    SKIPS_FROM = 16
    TAGS = 17


class AttackColumn(IntEnum):
    """Columns of the table of attacks."""

    NAME = 0
    DAMAGE = 1
    PER = 2
    PROGRAM = 3
    COST = 4
    COPIES = 13
    COUNTED = 14


class ModifierColumn(IntEnum):
    """Columns of the table of modifiers."""

    KIND = 0
    SCOPE = 1
    FILTER = 2
    STATE = 3
    TYPES = 4
    AMOUNT = 5
    OTHER = 6
    FOE = 7
    PLACE = 8
    NEED_WHO = 9
    NEED_FILTER = 10
    NEED_STATE = 11
    NEED_MIN = 12
    PROGRAM = 13
    ARG = 14
    PARAMETER = 15


class When(IntEnum):
    """Predicate of a row."""

    ALWAYS = 0
    TRUE = 1
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
    ATTACKER = 12
    CAUSE = 13
    MY_OTHERS = 14
    ALL_OTHERS = 15


class State(IntEnum):
    """A condition on one Pokémon in play that can change during the game; its parameter is p, types a mask."""

    ANY = 0
    DAMAGED = 1
    UNDAMAGED = 2
    POISONED = 3
    BURNED = 4
    ASLEEP = 5
    CONFUSED = 7
    AFFLICTED = 8
    HAS_TOOL = 9
    HAS_ENERGY = 10
    HAS_ABILITY = 11
    EVOLVED = 12
    EVOLVED_THIS_TURN = 13
    MOVED_UP_THIS_TURN = 14
    HP_AT_MOST = 16
    MAX_HP_AT_MOST = 17
    FIRST_ATTACK = 18
    HIT_LAST_TURN = 19
    IS_SOURCE = 20
    NOT_SOURCE = 21
    FULL_HP = 22
    HALF_HP = 23
    NOT_MOVED_UP = 24
    MORE_HP = 25
    LESS_HP = 26
    HAS_NAMED_TOOL = 27
    RETREAT_AT_LEAST = 29
    CAN_EVOLVE_FROM_DECK = 31
    HAS_CANDY_TARGET = 32
    HAS_ATTACK = 33
    STADIUM_IN_PLAY = 34
    FIRST_TURN = 35
    DAMAGED_WITH_ENERGY = 37
    NEEDS_CARE = 38
    HURT_OR_STUNNED = 39
    ZONE_OPEN = 40
    OTHER_CARD = 36


class Op(IntEnum):
    """Micro-ops.  `n`, `flag`, `chosen` are the registers of a running program."""

    COUNT_POKEMON = 1
    COUNT_ENERGY = 2
    COUNT_CARDS = 3
    COUNT_FACT = 4
    CHECK = 5
    CHECK_BITS = 6
    REQUIRE = 7
    COUNT_TYPES = 9
    SET_COUNT = 10
    FLIP = 20
    FLIP_N = 21
    FLIP_TAILS = 22
    CHOOSE = 23
    MAY = 24
    CHOOSE_OPTION = 25
    CHOOSE_SPOT = 27
    STOP = 28
    HIT = 30
    BASE_ADD = 31
    BASE_ADD_N = 32
    BASE_N = 33
    SPREAD = 34
    SPREAD_N = 35
    SPREAD_ENERGY = 36
    RANDOM_SPREAD = 37
    IGNORE = 38
    DAMAGE = 40
    HEAL = 41
    HEAL_ALL = 42
    KNOCK_OUT = 43
    HALVE_HP = 44
    SET_HP = 45
    MOVE_DAMAGE = 46
    HEAL_DEALT = 48
    DELAYED_DAMAGE = 49
    AFFLICT = 50
    CURE = 51
    AFFLICT_RANDOM = 52
    CURE_RANDOM = 53
    ATTACH_ZONE = 60
    ATTACH_DISCARD = 61
    DISCARD_ENERGY = 62
    DISCARD_ALL = 63
    DISCARD_RANDOM_ANY = 64
    MOVE_ENERGY = 65
    MOVE_ENERGY_FROM = 66
    CHANGE_NEXT = 68
    CHANGE_ATTACHED = 69
    REROLL_ENERGY = 70
    ATTACH_PICKED = 72
    PAY_ENERGY = 71
    TIMED = 80
    TIMED_PLAYER = 81
    LOCK_ATTACK = 82
    DRAW = 90
    DRAW_N = 91
    DRAW_TO = 92
    SEARCH_HAND = 93
    SEARCH_BENCH = 94
    EVOLVE_FROM_DECK = 95
    RECOVER = 96
    MILL = 97
    HAND_TO_DECK = 98
    FOE_RANDOM_TO_DECK = 99
    FOE_RANDOM_DISCARD = 100
    FOE_CHOICE = 101
    REVEAL_HAND = 102
    LOOK_TOP = 103
    TAKE_TOP = 104
    PEEK_OR_BOTTOM = 105
    REORDER = 106
    DISCARD_HAND = 107
    HAND_PICK_TO_DECK = 108
    SWAP_HAND_DECK = 109
    SHUFFLE_DECK = 110
    FOE_DISCARD_TO = 111
    RANDOM_HAND_TO_DECK = 112
    REVEAL_COUNT = 113
    REVEAL_TOP_COUNT = 114
    KNOW_DECK = 115
    FOE_DISCARD_TO_BENCH = 116
    PICK_DISCARD = 117
    SWITCH = 120
    PULL = 121
    RETURN_HAND = 122
    RETURN_DECK = 123
    DISCARD_POKEMON = 124
    DEVOLVE = 125
    CANDY = 126
    DISCARD_TOOLS = 130
    RETURN_TOOLS = 131
    DISCARD_STADIUM = 132
    TOOLS_TO_DECK = 133
    DISCARD_THIS = 134
    KEEP_THIS = 135
    DISCARD_TOOL_OR_STADIUM = 136
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
    LOST_TO_ATTACK = 3
    LOST_THIS_GAME = 4
    ATTACK_USED_LAST_TURN = 5
    ATTACK_USED_THIS_GAME = 6
    SUPPORTERS_PLAYED = 7
    STADIUM_IN_PLAY = 8
    SELF_DAMAGE = 9
    SELF_HP = 10
    FOE_RETREAT = 11
    KNOCKED_OUT_TARGET = 12
    SHARED_ENERGY = 13
    ENERGY_DIFFERENCE = 14
    EXTRA_ENERGY = 15
    FOE_REMAINING = 16
    HAND_DIFFERENCE = 17
    TOOLS = 18
    POKEMON_DIFFERENCE = 19
    DISCARD_ENERGY = 25
    CURRENT_ENERGY = 27
    REMOVABLE = 29
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


class Duration(IntEnum):
    """When a timed effect is in force."""

    THIS_TURN = 0
    FOES_NEXT_TURN = 1
    MY_NEXT_TURN = 2
    WHILE_ACTIVE = 3
    THROUGH_FOES_TURN = 4


class Scope(IntEnum):
    """Whom a modifier affects, seen from the owner of its source."""

    SELF = 0
    MY_ACTIVE = 1
    MY_ALL = 2
    FOE_ACTIVE = 3
    FOE_ALL = 4
    EVERYBODY = 5
    ME = 6
    FOE = 7
    BOTH = 8


class Place(IntEnum):
    """Where the source of a modifier must be."""

    ANYWHERE = 0
    ACTIVE = 1
    BENCH = 2


class Kind(IntEnum):
    """Kinds of modifiers."""

    DAMAGE_OUT = 1
    DAMAGE_IN = 2
    PREVENT = 3
    COIN_SHIELD = 4
    PREVENT_EFFECTS = 5
    NO_WEAKNESS = 6
    DOUBLE_WEAKNESS = 7
    HP = 8
    HP_PER_ENERGY = 9
    RETREAT = 10
    FREE_RETREAT = 11
    COST = 12
    CHEAP_ATTACK = 13
    NO_ATTACK = 14
    NO_RETREAT = 15
    NO_NAMED_ATTACK = 16
    ATTACK_COIN = 17
    NO_SUPPORTER = 18
    NO_ITEM = 19
    NO_TRAINER = 20
    NO_STADIUM = 21
    NO_EVOLVE = 22
    NO_ZONE_ACTIVE = 23
    IMMUNE = 24
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
    EVOLVE_ANY = 36
    FIRST_HIT_SHIELD = 37
    NO_ABILITY_DAMAGE = 38
    MORE_POINTS = 40
    DAMAGE_OUT_POINTS = 41
    REFLIP = 42
    MORE_PICKS = 43
    TO_HAND = 44
    ON_HIT = 60
    ON_KO = 61
    ON_KO_FOE = 62
    ON_ZONE_ENERGY = 63
    END_MY_TURN = 64
    END_FOE_TURN = 65
    END_ANY_TURN = 66
    CHECKUP = 67
    BEGIN_TURN = 68
    ON_FOE_RETREAT = 69
    END_FIRST_TURN = 70
    END_EACH_PLAYERS_TURN = 71


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
