"""The order in which an attack resolves (RULES.md, section 7)."""

from __future__ import annotations

from dataclasses import dataclass

from tcg_engine import coins
from tcg_engine.cards import Attack
from tcg_engine.codes import Condition, Kind
from tcg_engine.damage import Strike
from tcg_engine.effects import Program
from tcg_engine.energy import can_afford
from tcg_engine.knockouts import Settle
from tcg_engine.modifiers import affects, in_force, on_pokemon, remaining_hp
from tcg_engine.state import Game, Pokemon

HIT_ONLY = 1  # the program of every attack without a text


def attacks_of(game: Game, pokemon: Pokemon) -> list[tuple[int, int]]:
    """(card, attack) pairs it can choose from: its own, then those of its previous Evolutions if an effect says so."""
    top = game.top(pokemon)
    pairs = [(top.index, number) for number in range(len(top.attacks))]
    if on_pokemon(game, Kind.PREVIOUS_ATTACKS, pokemon):
        for instance in reversed(pokemon.cards[:-1]):
            card = game.card(instance)
            pairs += [(card.index, number) for number in range(len(card.attacks))]
    return pairs[:6]


def printed(game: Game, pair: tuple[int, int]) -> Attack:
    """The attack of a (card, attack) pair."""
    return game.table.cards[pair[0]].attacks[pair[1]]


def usable(game: Game, pokemon: Pokemon) -> list[int]:
    """Numbers of the attacks of `attacks_of` that may be used now (section 4 e)."""
    blocked = game.rules.conditions_block == "yes" and pokemon.stupor in (Condition.ASLEEP, Condition.PARALYZED)
    if blocked or on_pokemon(game, Kind.NO_ATTACK, pokemon):
        return []
    locked = {source.modifier.arg or source.arg for source in on_pokemon(game, Kind.NO_NAMED_ATTACK, pokemon)}
    numbers = []
    for number, pair in enumerate(attacks_of(game, pokemon)):
        attack = printed(game, pair)
        strike = Strike(pokemon, name=attack.name, cost=attack.cost, card=pair[0])
        head = Program(attack.program, pokemon.owner, pokemon, strike=strike)
        if attack.name not in locked and can_afford(game, pokemon, attack) and head.usable(game):
            numbers.append(number)
    return numbers


@dataclass
class AttackFrame:
    """One attack, step by step."""

    attacker: Pokemon
    pair: tuple[int, int]
    step: int = 0
    strike: Strike | None = None
    answer: int | None = None

    def run(self, game: Game) -> None:
        """The next step of section 7."""
        steps = (self.check_coins, self.resolve, self.retaliate, self.on_knock_out, self.settle, self.end)
        step = steps[self.step]
        self.step += 1
        step(game)

    def check_coins(self, game: Game) -> None:
        """(1) Confusion, then effects that make the attack fail on tails."""
        attack = printed(game, self.pair)
        name = game.table.names[attack.name]
        game.say(f"{game.name(self.attacker)} of player {self.attacker.owner} attacks with {name}")
        fails = self.attacker.stupor == Condition.CONFUSED and not coins.flip(game, 1, "Confused")
        sources = on_pokemon(game, Kind.ATTACK_COIN, self.attacker)
        stacking = sum(not source.modifier.amount for source in sources)
        for _ in range(stacking + (stacking < len(sources))):  # those that do not stack are one
            fails = fails or not coins.flip(game, 1, "the attack may fail", self.attacker.owner)
        if fails:
            game.say("the attack does not happen")
            self.step = 5

    def resolve(self, game: Game) -> None:
        """(2) to (4) choices, coins, damage, other effects: the attack's program."""
        attack = printed(game, self.pair)
        player = game.players[self.attacker.owner]
        player.attack_uses.append((game.turn, attack.name))
        base = 0 if attack.per else attack.damage
        self.strike = Strike(self.attacker, attack.name, base, cost=attack.cost, card=self.pair[0])
        game.stack.append(Program(attack.program, self.attacker.owner, self.attacker, strike=self.strike))

    def retaliate(self, game: Game) -> None:
        """(5) What the damaged Active does back, even if it is being Knocked Out or has left the Active Spot since."""
        if self.strike is not None:
            self.trigger(game, Kind.ON_HIT, [p for p in self.strike.damaged if p.hit_turn == game.turn])

    def on_knock_out(self, game: Game) -> None:
        """(6) Triggers of Knock Outs by attack damage."""
        if self.strike is None:
            return
        gone = [p for p in self.strike.damaged if remaining_hp(game, p) == 0 and game.slot(p) >= 0]
        self.trigger(game, Kind.ON_KO, gone)
        foes = [pokemon for pokemon in gone if pokemon.owner != self.attacker.owner]
        for source in on_pokemon(game, Kind.ON_KO_FOE, self.attacker) if game.slot(self.attacker) >= 0 else ():
            for _ in foes:
                game.stack.append(Program(source.modifier.program, source.owner, self.attacker, cause=foes[0]))

    def trigger(self, game: Game, kind: Kind, victims: list[Pokemon]) -> None:
        """Run the triggers of a kind for Pokémon that the opponent's attack damaged."""
        programs = []
        for victim in victims:
            if victim.owner == self.attacker.owner:
                continue
            for source in in_force(game, kind):
                if affects(game, source, victim):
                    program = source.modifier.program
                    holder = source.pokemon or victim
                    programs.append(
                        Program(program, source.owner, holder, attacker=self.attacker, cause=victim, card=source.card)
                    )
        game.stack.extend(reversed(programs))

    def settle(self, game: Game) -> None:
        """(7) Knock Outs and (8) promotions."""
        damaged = self.strike.damaged if self.strike else []
        game.stack.append(Settle(self.attacker, damaged))

    def end(self, game: Game) -> None:
        """The attack is over, and with it the turn, unless it is used twice."""
        strike = self.strike
        self.attacker.attacked |= strike is not None
        if strike is not None and strike.again and game.slot(self.attacker) >= 0:
            self.strike = Strike(self.attacker, strike.name, strike.again, cost=strike.cost, card=strike.card)
            self.step = 2
            game.stack.append(Program(HIT_ONLY, self.attacker.owner, self.attacker, strike=self.strike))
            return
        game.stack.remove(self)
        game.turn_over = True
