"""Phrases about effects that last for some turns."""

from __future__ import annotations

import re

from tcg_engine.codes import (
    ANY_ENERGY,
    Duration,
    Kind,
    Modifier,
    Op,
    Place,
    Row,
    Scope,
    Who,
)
from tcg_engine.compiler.builder import UnknownTextError
from tcg_engine.compiler.draft import Draft
from tcg_engine.compiler.grammar import effect
from tcg_engine.compiler.words import condition_mask, describe, in_play

DURATIONS = {
    "during this turn": Duration.THIS_TURN,
    "during your opponent's next turn": Duration.FOES_NEXT_TURN,
    "during your next turn": Duration.MY_NEXT_TURN,
}
WHEN = r"(During this turn|During your opponent's next turn|During your next turn), "
FOES_TURN = r"During your opponent's next turn, "


def lay(d: Draft, who: Who, modifier: Modifier, duration: int = Duration.FOES_NEXT_TURN) -> None:
    """An effect on Pokémon."""
    d.post(Op.TIMED, who=who, amount=duration, arg=d.lasting(modifier))


def lay_on_player(d: Draft, modifier: Modifier, duration: int, foe: bool = False) -> None:
    """An effect on a player."""
    d.post(Op.TIMED_PLAYER, who=Who.FOE_ALL if foe else Who.MY_ALL, amount=duration, arg=d.lasting(modifier))


def other(d: Draft, words: str | None) -> int:
    """Filter on the other party, e.g. ``Pokémon ex``; 0 for any Pokémon."""
    parts = describe(d.tables, words or "Pokémon")
    return d.tables.filter(**parts) if parts else 0


# --- effects of attacks ----------------------------------------------------------------------------------------


@effect(
    FOES_TURN
    + (
        r"(?:the Defending|that) Pokémon can't (retreat|attack)|the Defending Pokémon can't "
        r"attack during your opponent's next turn|it can't attack during your opponent's next turn"
    )
)
def cannot(d: Draft, m: re.Match[str]) -> None:
    """The Defending Pokémon is stuck."""
    lay(d, Who.FOE_ACTIVE, Modifier(Kind.NO_RETREAT if m[1] == "retreat" else Kind.NO_ATTACK))


@effect(r"During your next turn, this Pokémon can't (?:attack|use (.+))")
def cannot_myself(d: Draft, m: re.Match[str]) -> None:
    """This Pokémon rests."""
    name = d.tables.name(m[1]) if m[1] else 0
    modifier = Modifier(Kind.NO_NAMED_ATTACK, arg=name) if name else Modifier(Kind.NO_ATTACK)
    lay(d, Who.SELF, modifier, Duration.MY_NEXT_TURN)


@effect(
    WHEN
    + (
        r"(this Pokémon|the Defending Pokémon) takes ([+-]\d+) damage from attacks(?: from (your "
        r"opponent's )?(.+?))?(?: and has (no Weakness))?"
    )
)
def takes(d: Draft, m: re.Match[str]) -> None:
    """More or less damage taken."""
    who = Who.SELF if m[2].startswith("this") else Who.FOE_ACTIVE
    duration = DURATIONS[m[1].lower()]
    lay(d, who, Modifier(Kind.DAMAGE_IN, amount=int(m[3]), other=other(d, m[5]), foe=bool(m[4])), duration)
    if m[6]:
        lay(d, who, Modifier(Kind.NO_WEAKNESS), duration)


@effect(FOES_TURN + r"this Pokémon has no Weakness")
def no_weakness(d: Draft, m: re.Match[str]) -> None:
    """Weakness is gone for a turn."""
    lay(d, Who.SELF, Modifier(Kind.NO_WEAKNESS))


@effect(FOES_TURN + r"attacks used by the Defending Pokémon do (-\d+) damage")
def weaker(d: Draft, m: re.Match[str]) -> None:
    """The Defending Pokémon does less."""
    lay(d, Who.FOE_ACTIVE, Modifier(Kind.DAMAGE_OUT, amount=int(m[1]), arg=1))


@effect(
    FOES_TURN + r"attacks used by the Defending Pokémon cost (\d) \[C\] more(, and its Retreat Cost is 1 \[C\] more)?"
)
def dearer(d: Draft, m: re.Match[str]) -> None:
    """The Defending Pokémon pays more."""
    lay(d, Who.FOE_ACTIVE, Modifier(Kind.COST, amount=int(m[1]), arg=-1))
    if m[2]:
        lay(d, Who.FOE_ACTIVE, Modifier(Kind.RETREAT, amount=1))


@effect(
    r"(During your opponent's next turn, )?if the Defending Pokémon tries to use an attack, "
    r"your opponent flips a coin\. If tails, that attack doesn't happen(\. This effect lasts "
    r"until the Defending Pokémon leaves the Active Spot, and it doesn't stack)?"
)
def attack_coin(d: Draft, m: re.Match[str]) -> None:
    """The Defending Pokémon may fail."""
    modifier = Modifier(Kind.ATTACK_COIN, amount=bool(m[2]))
    lay(d, Who.FOE_ACTIVE, modifier, Duration.WHILE_ACTIVE if m[2] else Duration.FOES_NEXT_TURN)


@effect(FOES_TURN + r"prevent all damage from(?:—| )and effects of(?:—| )attacks done to this Pokémon")
def untouchable(d: Draft, m: re.Match[str]) -> None:
    """Nothing reaches this Pokémon."""
    lay(d, Who.SELF, Modifier(Kind.PREVENT))
    lay(d, Who.SELF, Modifier(Kind.PREVENT_EFFECTS))


@effect(
    r"prevent all damage from—and effects of—attacks from your opponent's Pokémon done to "
    r"this Pokémon until the end of your opponent's next turn"
)
def untouchable_until(d: Draft, m: re.Match[str]) -> None:
    """Nothing of the opponent's reaches this Pokémon."""
    lay(d, Who.SELF, Modifier(Kind.PREVENT, foe=1), Duration.THROUGH_FOES_TURN)
    lay(d, Who.SELF, Modifier(Kind.PREVENT_EFFECTS, foe=1), Duration.THROUGH_FOES_TURN)


@effect(
    FOES_TURN
    + (
        r"prevent all damage done to this Pokémon by attacks(?: if that damage is (\d+) or "
        r"less)?|Prevent all damage done to this Pokémon by attacks from (.+) during your "
        r"opponent's next turn"
    )
)
def prevent(d: Draft, m: re.Match[str]) -> None:
    """Damage is prevented for a turn."""
    lay(d, Who.SELF, Modifier(Kind.PREVENT, amount=int(m[1] or 0), other=other(d, m[2])))


@effect(FOES_TURN + r"if this Pokémon is damaged by an attack, do (\d+) damage to the Attacking Pokémon")
def thorns(d: Draft, m: re.Match[str]) -> None:
    """Damage back."""
    program = d.tables.program([Row(Op.DAMAGE, who=Who.ATTACKER, amount=int(m[1]), arg=1)])
    lay(d, Who.SELF, Modifier(Kind.ON_HIT, program=program))


@effect(
    FOES_TURN + r"if they attach Energy from their Energy Zone to the Defending Pokémon, that Pokémon will be Asleep"
)
def sleepy(d: Draft, m: re.Match[str]) -> None:
    """Energy puts it to sleep."""
    program = d.tables.program([Row(Op.AFFLICT, who=Who.CAUSE, arg=condition_mask("Asleep"))])
    lay(d, Who.FOE_ACTIVE, Modifier(Kind.ON_ZONE_ENERGY, program=program, arg=ANY_ENERGY))


@effect(
    FOES_TURN
    + (
        r"if this Pokémon is in the Active Spot when your opponent's Active Pokémon retreats, "
        r"this attack does (\d+) damage to the new Active Pokémon"
    )
)
def pursue(d: Draft, m: re.Match[str]) -> None:
    """Damage for a retreat."""
    program = d.tables.program([Row(Op.DAMAGE, who=Who.CAUSE, amount=int(m[1]))])
    lay(d, Who.SELF, Modifier(Kind.ON_FOE_RETREAT, program=program, place=Place.ACTIVE))


@effect(
    r"(During your next turn, |Until this Pokémon leaves the Active Spot, )this Pokémon's "
    r"(.+?) attack does \+(\d+) damage( to each of your opponent's Pokémon)?(?:\. This effect "
    r"stacks)?"
)
def growing(d: Draft, m: re.Match[str]) -> None:
    """One attack does more later."""
    modifier = Modifier(Kind.DAMAGE_OUT, amount=int(m[3]), program=d.tables.name(m[2]), arg=bool(m[4]))
    lay(d, Who.SELF, modifier, Duration.WHILE_ACTIVE if m[1].startswith("Until") else Duration.MY_NEXT_TURN)


@effect(
    r"The Defending Pokémon loses all Abilities\. This effect lasts until the Defending Pokémon leaves the Active Spot"
)
def no_abilities(d: Draft, m: re.Match[str]) -> None:
    """Abilities are gone."""
    lay(d, Who.FOE_ACTIVE, Modifier(Kind.NO_ABILITY), Duration.WHILE_ACTIVE)


LOCKS = {
    "can't play any Item cards from their hand": Kind.NO_ITEM,
    "can't play any Trainer cards from their hand": Kind.NO_TRAINER,
    "can't use any Trainer cards from their hand": Kind.NO_TRAINER,
    "can't play any Pokémon from their hand to evolve their Pokémon": Kind.NO_EVOLVE,
    "can't take any Energy from their Energy Zone to attach to their Active Pokémon": Kind.NO_ZONE_ACTIVE,
}


@effect(
    FOES_TURN + r"they (can't .+)|Your opponent (can't use any Supporter cards from their hand) during their next turn"
)
def lock(d: Draft, m: re.Match[str]) -> None:
    """The opponent cannot do something."""
    if m[1] is not None and m[1] not in LOCKS:
        raise UnknownTextError(m[0])
    kind = LOCKS[m[1]] if m[1] else Kind.NO_SUPPORTER
    lay_on_player(d, Modifier(kind, Scope.FOE), Duration.FOES_NEXT_TURN, foe=True)


@effect(r"At the end of your opponent's next turn, do (\d+) damage to the Defending Pokémon")
def delayed(d: Draft, m: re.Match[str]) -> None:
    """Damage later, if it is still there."""
    program = d.tables.program([Row(Op.DAMAGE, who=Who.SELF, amount=int(m[1]))])
    lay(d, Who.FOE_ACTIVE, Modifier(Kind.END_FOE_TURN, program=program))


@effect(
    r"Choose a spot from among your opponent's Active Spot and Bench\. At the end of your "
    r"opponent's next turn, (?:do (\d+) damage to|Knock Out) the Pokémon in the spot you chose"
)
def delayed_spot(d: Draft, m: re.Match[str]) -> None:
    """Damage later, whoever is there."""
    d.post(Op.CHOOSE_SPOT)
    d.post(Op.DELAYED_DAMAGE, amount=int(m[1] or 0))


# --- boosts of Trainers and Abilities for a turn or two --------------------------------------------------------


@effect(WHEN + r"attacks used by your (.+?) do \+(\d+) damage to your opponent's (Active )?(Pokémon(?: ex)?)")
def boost(d: Draft, m: re.Match[str]) -> None:
    """Own attacks do more."""
    noun = in_play(d.tables, f"your {m[2]}")
    modifier = Modifier(
        Kind.DAMAGE_OUT, Scope.MY_ALL, noun.filter, amount=int(m[3]), other=other(d, m[5]), arg=not m[4]
    )
    if not d.attack and noun.filter:
        d.need(noun)
    lay_on_player(d, modifier, DURATIONS[m[1].lower()])


@effect(FOES_TURN + r"all of your (.+?) take (-\d+) damage from attacks from your opponent's (Pokémon(?: ex)?)")
def guard(d: Draft, m: re.Match[str]) -> None:
    """Own Pokémon take less."""
    noun = in_play(d.tables, f"your {m[1]}")
    modifier = Modifier(Kind.DAMAGE_IN, Scope.MY_ALL, noun.filter, amount=int(m[2]), other=other(d, m[3]), foe=1)
    if not d.attack and noun.filter:
        d.need(noun)
    lay_on_player(d, modifier, Duration.FOES_NEXT_TURN)


@effect(
    FOES_TURN
    + (
        r"if your (.+) would be Knocked Out by damage from an attack, it is not Knocked Out and "
        r"its remaining HP becomes 10"
    )
)
def endure(d: Draft, m: re.Match[str]) -> None:
    """Own Pokémon survive."""
    noun = in_play(d.tables, f"your {m[1]}")
    d.need(noun)
    lay_on_player(d, Modifier(Kind.SURVIVE, Scope.ME, noun.filter), Duration.FOES_NEXT_TURN)


@effect(r"During this turn, the Retreat Cost of your Active Pokémon is (\d) less")
def cheaper_retreat(d: Draft, m: re.Match[str]) -> None:
    """Retreating costs less."""
    lay_on_player(d, Modifier(Kind.RETREAT, Scope.MY_ACTIVE, amount=-int(m[1])), Duration.THIS_TURN)


@effect(r"During this turn, attacks used by your (.+) cost (\d) less \[C\] Energy")
def cheaper_attacks(d: Draft, m: re.Match[str]) -> None:
    """Attacks cost less."""
    noun = in_play(d.tables, f"your {m[1]}")
    d.need(noun)
    lay_on_player(d, Modifier(Kind.COST, Scope.MY_ALL, noun.filter, amount=-int(m[2]), arg=-1), Duration.THIS_TURN)


@effect(
    r"During this turn, if your opponent's Active Pokémon is Knocked Out by damage from an "
    r"attack used by your (.+), you get (\d) more point"
)
def more_points(d: Draft, m: re.Match[str]) -> None:
    """A Knock Out is worth more."""
    noun = in_play(d.tables, f"your {m[1]}")
    d.need(noun)
    lay_on_player(d, Modifier(Kind.MORE_POINTS, Scope.ME, noun.filter, amount=int(m[2])), Duration.THIS_TURN)


@effect(
    r"During this turn, 1 of your opponent's Pokémon is chosen 1 more time for the (.+) attack used by your Pokémon"
)
def more_picks(d: Draft, m: re.Match[str]) -> None:
    """An attack with random targets picks once more."""
    name = d.tables.name(m[1])
    d.need_pokemon_with(name)
    lay_on_player(d, Modifier(Kind.MORE_PICKS, Scope.ME, amount=1, arg=name), Duration.THIS_TURN)


@effect(
    r"1 of your opponent's Active Pokémon's attacks is chosen at random\. During your "
    r"opponent's next turn, that Pokémon can't use the chosen attack"
)
def lock_attack(d: Draft, m: re.Match[str]) -> None:
    """One attack cannot be used."""
    d.post(
        Op.LOCK_ATTACK,
        who=Who.FOE_ACTIVE,
        amount=Duration.FOES_NEXT_TURN,
        arg=d.lasting(Modifier(Kind.NO_NAMED_ATTACK)),
    )
