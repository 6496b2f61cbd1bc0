"""Passive rules of Abilities, Tools and Stadiums: modifiers, and triggers that run a program."""

from __future__ import annotations

import re
from collections.abc import Callable

from tcg_engine.codes import (
    ALL_CONDITIONS,
    ANY_ENERGY,
    ENERGY,
    Condition,
    Kind,
    Modifier,
    Op,
    Place,
    Row,
    Scope,
    State,
    When,
    Who,
)
from tcg_engine.compiler import grammar
from tcg_engine.compiler.builder import Tables, UnknownTextError
from tcg_engine.compiler.draft import Draft
from tcg_engine.compiler.words import describe, energy_mask, name_list, type_mask

Rule = Callable[[Tables, re.Match[str]], list[Modifier]]
RULES: list[tuple[re.Pattern[str], Rule]] = []
TOOL = r"the (.+?) this card is attached to"
BOTH = r" \(both yours and your opponent's\)"


def rule(pattern: str) -> Callable[[Rule], Rule]:
    """Register a sentence that holds as long as its card is there."""

    def register(body: Rule) -> Rule:
        RULES.append((re.compile(pattern, re.IGNORECASE), body))
        return body

    return register


def compile_passive(tables: Tables, words: str) -> list[Modifier]:
    """The modifiers of a text.

    Raises:
        UnknownTextError: no rule fits.
    """
    for pattern, body in RULES:
        match = pattern.fullmatch(words)
        if match is not None:
            try:
                return body(tables, match)
            except UnknownTextError:
                continue
    raise UnknownTextError(words)


def filter_of(tables: Tables, words: str) -> int:
    """Filter of an adjective-noun phrase, 0 for any Pokémon."""
    parts = describe(tables, words)
    return tables.filter(**parts) if parts else 0


def program_of(tables: Tables, words: str) -> int:
    """A triggered effect."""
    draft = Draft(tables)
    grammar.text(draft, words)
    return tables.program(draft.rows())


# --- conditions in front ---------------------------------------------------------------------------------------


@rule(r"As long as (?:this Pokémon|the Pokémon this card is attached to) is (in the Active Spot|on your Bench), (.+)")
def placed(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Only from one place."""
    place = Place.ACTIVE if "Active" in m[1] else Place.BENCH
    return [item._replace(place=place) for item in compile_passive(t, m[2])]


@rule(r"If you have (another )?(.+?) in play, (.+)")
def accompanied(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Only with another Pokémon in play."""
    state = State.NOT_SOURCE if m[1] else State.ANY
    need = {"need_who": Who.MY_ALL, "need_filter": filter_of(t, m[2]), "need_state": state}
    return [item._replace(**need) for item in compile_passive(t, m[3])]


@rule(r"This Ability works if you have any (Unown) in play with an Ability other than \w+\. (.+)")
def other_ability(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Only with another letter in play."""
    need = {"need_who": Who.MY_ALL, "need_filter": filter_of(t, m[1]), "need_state": State.OTHER_CARD}
    return [item._replace(**need) for item in compile_passive(t, m[2])]


STATES = (
    (r"this Pokémon has any (\[[A-Z]\] )?Energy attached", State.HAS_ENERGY),
    (r"this Pokémon has a Pokémon Tool attached", State.HAS_TOOL),
    (r"this Pokémon's remaining HP is (\d+) or less", State.HP_AT_MOST),
    (r"this Pokémon has full HP", State.FULL_HP),
    (r"a Stadium is in play", State.STADIUM_IN_PLAY),
    (r"this Pokémon has damage on it", State.DAMAGED),
    (r"the Pokémon this card is attached to has a Retreat Cost of (\d) or more", State.RETREAT_AT_LEAST),
)


@rule(r"(?:If (.+?)|(During your first turn)), (.+)")
def in_state(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Only in a state of its own."""
    if m[2]:
        return [item._replace(state=State.FIRST_TURN) for item in compile_passive(t, m[3])]
    for pattern, state in STATES:
        match = re.fullmatch(pattern, m[1])
        if match:
            number = match[1] if match.groups() and match[1] and match[1].isdigit() else "0"
            parts = {"state": state, "parameter": int(number), "types": energy_mask(m[1])}
            return [item._replace(**parts) for item in compile_passive(t, m[3])]
    raise UnknownTextError(m[0])


# --- damage ----------------------------------------------------------------------------------------------------


@rule(
    r"(?:attacks used by this Pokémon|this Pokémon's attacks) do \+(\d+) damage to your "
    r"opponent's Active Pokémon(?:, and (.+))?"
)
def own_boost(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """It does more."""
    more = compile_passive(t, m[2]) if m[2] else []
    return [Modifier(Kind.DAMAGE_OUT, amount=int(m[1])), *more]


@rule(
    rf"attacks used by (?:your (.+?)|{TOOL}|(?:each )?(.+?) in play{BOTH}) do \+(\d+) damage "
    rf"to (?:your|the) opponent's Active (Pokémon(?: ex)?)( for each point you have gotten)?"
)
def boost(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Others, or the holder, do more."""
    scope = Scope.MY_ALL if m[1] else Scope.SELF if m[2] else Scope.EVERYBODY
    kind = Kind.DAMAGE_OUT_POINTS if m[6] else Kind.DAMAGE_OUT
    words = re.sub(r"that evolve from", "that evolves from", m[1] or m[2] or m[3])
    return [Modifier(kind, scope, filter_of(t, words), amount=int(m[4]), other=filter_of(t, m[5]))]


@rule(r"attacks used by your opponent's Active Pokémon do (-\d+) damage")
def weaker(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """The opponent's Active does less."""
    return [Modifier(Kind.DAMAGE_OUT, Scope.FOE_ACTIVE, amount=int(m[1]), arg=1)]


@rule(
    rf"(this Pokémon|it|all of your (.+?)|{TOOL}) takes? (-\d+) damage from attacks(?: from "
    rf"(your opponent's )?(.+?))?(, recovers from all Special Conditions, and can't be "
    rf"affected by any Special Conditions)?"
)
def takes(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """It, or others, take less."""
    scope = Scope.MY_ALL if m[2] else Scope.SELF
    own = filter_of(t, m[2] or m[3]) if m[2] or m[3] else 0
    against = filter_of(t, m[6]) if m[6] else 0
    less = Modifier(Kind.DAMAGE_IN, scope, own, amount=int(m[4]), other=against, foe=bool(m[5]))
    return [less, *([Modifier(Kind.IMMUNE, scope, own, amount=1, arg=ALL_CONDITIONS)] if m[7] else [])]


@rule(r"If this card is attached to 1 of your Pokémon, discard it at the end of your opponent's turn\. (.+)")
def brittle(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """A Tool for one turn."""
    return [*compile_passive(t, m[1]), Modifier(Kind.END_FOE_TURN, program=t.program([Row(Op.DISCARD_THIS)]))]


@rule(r"prevent all damage done to this Pokémon by attacks(?: from your opponent's (.+))?")
def prevent(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """No attack damage."""
    return [Modifier(Kind.PREVENT, other=filter_of(t, m[1]) if m[1] else 0, foe=bool(m[1]))]


@rule(r"prevent all damage done to that Pokémon by your opponent's attacks and Abilities")
def prevent_more(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """No damage of attacks and Abilities."""
    return [Modifier(Kind.PREVENT, foe=1), Modifier(Kind.NO_ABILITY_DAMAGE)]


@rule(
    r"If any damage is done to this Pokémon by attacks, flip a coin\. If heads, (?:prevent "
    r"that damage|this Pokémon takes (-\d+) damage from that attack)"
)
def coin_shield(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """A coin against damage."""
    return [Modifier(Kind.COIN_SHIELD, amount=int(m[1] or 0))]


@rule(
    r"If this Pokémon would be Knocked Out by damage from an attack, flip a coin\. If heads, "
    r"this Pokémon is not Knocked Out, and its remaining HP becomes 10"
)
def survive(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """A coin against the Knock Out."""
    return [Modifier(Kind.SURVIVE_COIN)]


@rule(r"When this Pokémon is first damaged by an attack after coming into play, prevent that damage")
def first_hit(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Once."""
    return [Modifier(Kind.FIRST_HIT_SHIELD)]


@rule(rf"Prevent all effects of attacks used by your opponent's Pokémon done to (?:this Pokémon|{TOOL})(?:\. \(.+\))?")
def no_effects(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """No effects of attacks."""
    return [Modifier(Kind.PREVENT_EFFECTS, foe=1)]


@rule(r"When this Pokémon is Knocked Out, flip a coin\. If heads, your opponent can't get any points for it")
def no_points(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """A coin for the points."""
    return [Modifier(Kind.NO_POINTS_COIN)]


@rule(
    rf"When applying the opponent's Active Pokémon's Weakness to damage from attacks used by "
    rf"Pokémon in play{BOTH} that aren't Mega Evolution Pokémon ex, apply Weakness as x2"
)
def double_weakness(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Weakness doubles."""
    return [Modifier(Kind.DOUBLE_WEAKNESS, Scope.EVERYBODY, t.filter(mega=2))]


# --- costs, HP -------------------------------------------------------------------------------------------------


@rule(
    r"attacks used by (this Pokémon|your opponent's Active Pokémon|your (.+?)) cost (?:(\d) "
    r"less (\[[A-Z]\]) Energy|(\d) \[C\] more)"
)
def cost(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Attacks cost more or less."""
    scope = Scope.MY_ALL if m[2] else Scope.FOE_ACTIVE if "opponent" in m[1] else Scope.SELF
    amount = -int(m[3]) if m[3] else int(m[5])
    kind = ENERGY.index(m[4][1]) if m[4] and m[4] != "[C]" else -1
    return [Modifier(Kind.COST, scope, filter_of(t, m[2]) if m[2] else 0, amount=amount, arg=kind)]


@rule(rf"(?:(this Pokémon|it)|your Active (.+?)|{TOOL}) has no Retreat Cost")
def free_retreat(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Retreating is free."""
    words = m[2] or m[3]
    return [Modifier(Kind.FREE_RETREAT, Scope.MY_ACTIVE if m[2] else Scope.SELF, filter_of(t, words) if words else 0)]


@rule(
    rf"(?:(this Pokémon)'s Retreat Cost|your Active (.+?)'s Retreat Cost|your opponent's "
    rf"Active (.+?)'s Retreat Cost|The Retreat Cost of {TOOL}|The Retreat Cost of each (.+) in "
    rf"play{BOTH}) is (\d) (less|more)"
)
def retreat(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Retreating costs more or less."""
    scopes = (Scope.SELF, Scope.MY_ACTIVE, Scope.FOE_ACTIVE, Scope.SELF, Scope.EVERYBODY)
    at = next(i for i in range(5) if m[i + 1])
    words = m[at + 1] if at else ""
    amount = int(m[6]) * (-1 if m[7] == "less" else 1)
    return [Modifier(Kind.RETREAT, scopes[at], filter_of(t, words) if words else 0, amount=amount)]


@rule(rf"(?:Each of your (.+?)|{TOOL}|Each (.+?) in play{BOTH}) gets \+(\d+) HP")
def hp(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """More HP."""
    scope = Scope.MY_ALL if m[1] else Scope.SELF if m[2] else Scope.EVERYBODY
    return [Modifier(Kind.HP, scope, filter_of(t, m[1] or m[2] or m[3]), amount=int(m[4]))]


@rule(r"This Pokémon gets \+(\d+) HP for each (\[[A-Z]\]) Energy attached to it")
def hp_per_energy(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """More HP with energy."""
    return [Modifier(Kind.HP_PER_ENERGY, amount=int(m[1]), arg=energy_mask(m[2]))]


@rule(
    r"Each (\[[A-Z]\]) Energy attached to your (\[[A-Z]\] Pokémon) provides 2 \[[A-Z]\] "
    r"Energy\. This effect doesn't stack"
)
def double_energy(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Energy counts twice."""
    return [Modifier(Kind.DOUBLE_ENERGY, Scope.MY_ALL, filter_of(t, m[2]), arg=energy_mask(m[1]))]


# --- locks, immunities, rules of the game ----------------------------------------------------------------------

LOCKS = {
    "your opponent can't use any Supporter cards from their hand": Modifier(Kind.NO_SUPPORTER, Scope.FOE),
    "your opponent can't play any Stadium cards from their hand": Modifier(Kind.NO_STADIUM, Scope.FOE),
    "Your opponent can't play any Pokémon from their hand to evolve their Active Pokémon": Modifier(
        Kind.NO_EVOLVE, Scope.FOE, arg=1
    ),
    "Pokémon (both yours and your opponent's) can't be healed": Modifier(Kind.NO_HEAL, Scope.EVERYBODY),
    "This Pokémon can't be affected by any Special Conditions": Modifier(Kind.IMMUNE, arg=ALL_CONDITIONS),
    "This Pokémon can't be Asleep": Modifier(Kind.IMMUNE, arg=Condition.ASLEEP),
    "This Pokémon may have up to 2 Pokémon Tool cards attached to it": Modifier(Kind.TOOL_SLOTS),
    "it can evolve during your first turn or the turn you play it": Modifier(Kind.EVOLVE_EARLY),
    "Each of your evolved Pokémon can use any attack from its previous Evolutions": Modifier(
        Kind.PREVIOUS_ATTACKS, Scope.MY_ALL
    ),
    "The Pokémon this card is attached to can use any attack from its previous Evolutions": Modifier(
        Kind.PREVIOUS_ATTACKS
    ),
}


@rule(r"(.+?)(?:\. \(You still need the necessary Energy to use each attack\.\))?")
def lock(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """One of the fixed sentences."""
    for words, modifier in LOCKS.items():
        if words.lower() == m[1].lower():
            return [modifier]
    raise UnknownTextError(m[0])


@rule(r"Your opponent's Active Pokémon takes \+(\d+) damage from being Poisoned")
def poison_more(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Stronger poison."""
    return [Modifier(Kind.POISON_MORE, Scope.FOE_ACTIVE, amount=int(m[1]))]


@rule(
    r"Each of your Pokémon that has any (\[[A-Z]\] )?Energy attached recovers from all "
    r"Special Conditions and can't be affected by any Special Conditions"
)
def immune(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Energy protects."""
    types = energy_mask(m[1] or "")
    return [Modifier(Kind.IMMUNE, Scope.MY_ALL, 0, State.HAS_ENERGY, types, amount=1, arg=ALL_CONDITIONS)]


@rule(rf"Basic Pokémon in play{BOTH} have no Abilities")
def no_ability(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Basics have no Abilities."""
    return [Modifier(Kind.NO_ABILITY, Scope.EVERYBODY, t.filter(stages=1))]


@rule(r"If you don't have (.+) on your Bench, this Pokémon can't attack")
def sealed(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """No attack as long as one of them is missing."""
    names = tuple(t.name(name) for name in re.split(r", and |, ", m[1]))
    needs = {"need_who": Who.MY_BENCH, "need_filter": t.filter(names=names), "need_min": -len(names)}
    return [Modifier(Kind.NO_ATTACK, **needs)]


@rule(r"As long as this Pokémon is in play, it is (\[[A-Z]\]) and (\[[A-Z]\]) type")
def dual_type(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Two types."""
    return [Modifier(Kind.EXTRA_TYPE, arg=type_mask(m[0]))]


@rule(
    r"This Pokémon can evolve into any Pokémon that evolves from (.+) if you play it from "
    r"your hand onto this Pokémon\. \(.+\)"
)
def evolve_any(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Stands for another Pokémon."""
    return [Modifier(Kind.EVOLVE_ANY, arg=name_list(t, m[1])[0])]


@rule(
    r"Once during your turn, after you flip any coins for an attack of 1 of your (\[[A-Z]\]) "
    r"Pokémon, you may ignore all results of those coin flips and begin flipping those coins "
    r"again\. .+"
)
def reflip(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Coins again."""
    return [Modifier(Kind.REFLIP, Scope.ME, arg=type_mask(m[1]))]


# --- triggers --------------------------------------------------------------------------------------------------

HOLDER = rf"(?:this Pokémon|{TOOL})"


@rule(
    rf"If {HOLDER} is (?:in the Active Spot|your Active Pokémon) and is damaged by an attack "
    rf"from your opponent's Pokémon, (.+)"
)
def on_hit(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """When it is damaged."""
    own = filter_of(t, m[1]) if m[1] else 0
    return [Modifier(Kind.ON_HIT, filter=own, place=Place.ACTIVE, program=program_of(t, m[2]))]


@rule(
    rf"If {HOLDER} (is in the Active Spot and )?is Knocked Out by damage from an attack from "
    rf"your opponent's Pokémon, (.+)"
)
def on_ko(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """When it goes down."""
    own = filter_of(t, m[1]) if m[1] else 0
    if m[3] == "put it into your hand instead of the discard pile":
        return [Modifier(Kind.TO_HAND, filter=own)]
    place = Place.ACTIVE if m[2] else Place.ANYWHERE
    return [Modifier(Kind.ON_KO, filter=own, place=place, program=program_of(t, m[3]))]


@rule(
    r"(?:If|Whenever) your opponent's Pokémon is Knocked Out by damage from (?:this Pokémon's "
    r"attacks|an attack used by the Pokémon this card is attached to), (.+)"
)
def on_ko_foe(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """When it Knocks Out."""
    return [Modifier(Kind.ON_KO_FOE, program=program_of(t, m[1]))]


@rule(
    rf"At the end of each turn, if {TOOL} (is affected by any Special Conditions|has half of "
    rf"its maximum HP or less remaining), (?:it recovers from all of them, and|heal (\d+) "
    rf"damage from it\. If you do,) discard this card"
)
def spent(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """A Tool that helps once."""
    own = filter_of(t, m[1])
    if m[3]:
        rows = [Row(Op.HEAL, who=Who.SELF, amount=int(m[3])), Row(Op.DISCARD_THIS, when=When.TRUE)]
        return [Modifier(Kind.END_ANY_TURN, filter=own, state=State.HALF_HP, program=t.program(rows))]
    rows = [Row(Op.CURE, who=Who.SELF, arg=ALL_CONDITIONS), Row(Op.DISCARD_THIS)]
    return [Modifier(Kind.END_ANY_TURN, filter=own, state=State.AFFLICTED, program=t.program(rows))]


@rule(r"At the end of each turn, if your opponent's Active Pokémon is (Asleep), do (\d+) damage to that Pokémon")
def nightmare(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Damage while asleep."""
    program = t.program([Row(Op.DAMAGE, who=Who.FOE_ACTIVE, amount=int(m[2]))])
    return [Modifier(Kind.END_ANY_TURN, need_who=Who.FOE_ACTIVE, need_state=State.ASLEEP, program=program)]


@rule(
    rf"If {TOOL} is in the Active Spot and is Knocked Out by damage from an attack from your "
    rf"opponent's Pokémon, move 2 (\[[A-Z]\]) Energy from that Pokémon and attach 1 Energy "
    rf"each to 2 of your Benched Pokémon"
)
def cord(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """Energy saved for two others."""
    rows = []
    for again in (0, 2):
        rows.append(Row(Op.CHOOSE, who=Who.MY_BENCH, arg=again))
        rows.append(Row(Op.MOVE_ENERGY, who=Who.CAUSE, types=energy_mask(m[2]), amount=1, arg=Who.CHOSEN))
    return [Modifier(Kind.ON_KO, filter=filter_of(t, m[1]), place=Place.ACTIVE, program=t.program(rows))]


@rule(
    rf"At the (end of your|end of each|end of your opponent's|end of your first|beginning of "
    rf"your) turn, (?:if {HOLDER} is in the Active Spot, )?(.+)"
)
def at_turn(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """At the end or the beginning of turns."""
    kind = {
        "end of your": Kind.END_MY_TURN,
        "end of each": Kind.END_ANY_TURN,
        "end of your opponent's": Kind.END_FOE_TURN,
        "end of your first": Kind.END_FIRST_TURN,
        "beginning of your": Kind.BEGIN_TURN,
    }[m[1].lower()]
    place = Place.ACTIVE if "in the Active Spot, " in m[0] else Place.ANYWHERE
    own = filter_of(t, m[2]) if m[2] else 0
    return [
        Modifier(kind, filter=own, place=place, program=program_of(t, m[3].replace("that Pokémon", "this Pokémon")))
    ]


@rule(r"During Pokémon Checkup, (?:(if this Pokémon is in the Active Spot), )?(.+)")
def at_checkup(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """During the Checkup."""
    place = Place.ACTIVE if m[1] else Place.ANYWHERE
    return [Modifier(Kind.CHECKUP, place=place, program=program_of(t, m[2]))]


@rule(
    r"whenever (you attach|your opponent attaches) an? (\[[A-Z]\] )?Energy from "
    r"(?:your|their) Energy Zone to (it|this Pokémon|1 of their Pokémon), (.+)"
)
def on_energy(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """When energy of the Zone is attached."""
    scope = Scope.SELF if m[1].startswith("you ") else Scope.FOE_ALL
    number = program_of(t, m[4].replace("it is now", "this Pokémon is now"))
    if scope == Scope.FOE_ALL:  # "that Pokémon" is the one that got the energy
        rows = [row._replace(who=Who.CAUSE) if row.op == Op.DAMAGE else row for row in t.programs[number]]
        number = t.program(rows)
    types = energy_mask(m[2] or "") or ANY_ENERGY
    return [Modifier(Kind.ON_ZONE_ENERGY, scope, program=number, arg=types)]


@rule(r"At the end of each player's turn, that player (.+)")
def each_players_turn(t: Tables, m: re.Match[str]) -> list[Modifier]:
    """A Stadium that does something for whose turn ends."""
    words = re.sub(r"^draws", "draw", m[1]).replace("that player", "you").replace("they have", "you have")
    words = re.sub(r"^heals", "heal", words).replace("their Pokémon", "your Pokémon")
    return [Modifier(Kind.END_EACH_PLAYERS_TURN, Scope.BOTH, program=program_of(t, words))]
