"""From the source of card facts to the table: every text compiled, none of them kept."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from tcg_engine.cards import SCHEMA
from tcg_engine.codes import ENERGY, TYPES, CardKind, Kind, Modifier, Op, Row, State, Use, When, Who
from tcg_engine.compiler import conditions, damage, grammar, hands, lasting, moves
from tcg_engine.compiler.builder import Tables, UnknownTextError
from tcg_engine.compiler.draft import Draft
from tcg_engine.compiler.passive import compile_passive
from tcg_engine.compiler.words import TAGS, Noun

assert all((conditions, damage, hands, lasting, moves))  # importing them registers their phrases

CARD_FIELDS = [
    "id",
    "name",
    "kind",
    "types",
    "stage",
    "evolves_from",
    "hp",
    "weakness",
    "retreat",
    "points",
    "ex",
    "mega",
    "tags",
    "attacks",
    "use",
    "has_ability",
    "program",
    "modifiers",
    "unsupported",
]
KINDS = {kind.name.lower(): kind for kind in CardKind}
TAG_BITS = {name.lower().replace(" ", "_"): bit for name, bit in TAGS.items()}


class Compiled:
    """What one card's texts became."""

    def __init__(self) -> None:
        self.attacks: list[list[Any]] = []
        self.use, self.program = Use.PASSIVE, 0
        self.modifiers: list[int] = []
        self.problems: list[str] = []


def compile_cards(cards: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, str]]:
    """The table in its file form, and by card the phrases that are not covered."""
    tables = Tables([card["name"] for card in cards])
    functional = [card for card in cards if card["canonical_id"] == card["id"]]
    numbers = {card["id"]: index for index, card in enumerate(functional)}
    rows, problems = [], {}
    for card in functional:
        compiled = compile_card(tables, card)
        rows.append(row_of(tables, card, compiled))
        if compiled.problems:
            problems[card["id"]] = "; ".join(compiled.problems)
    data = {
        "schema": SCHEMA,
        "card_fields": CARD_FIELDS,
        "cards": rows,
        "printings": {card["id"]: numbers[card["canonical_id"]] for card in cards},
        "names": tables.names,
        "programs": [[list(row) for row in program] for program in tables.programs],
        "modifiers": [list(modifier) for modifier in tables.modifiers],
        "filters": tables.filter_rows(),
    }
    return data, problems


def row_of(tables: Tables, card: dict[str, Any], compiled: Compiled) -> list[Any]:
    """One card as a list, in the order of `CARD_FIELDS`."""
    element, weakness = card.get("element"), card.get("weakness")
    return [
        card["id"],
        tables.name(card["name"]),
        int(KINDS[card["kind"]]),
        1 << TYPES.index(element) if element else 0,
        card.get("stage") or 0,
        tables.name(card["evolves_from"]) if card.get("evolves_from") else 0,
        card.get("hp") or 0,
        TYPES.index(weakness) if weakness else -1,
        card.get("retreat_cost") or 0,
        card.get("points") or 0,
        int(bool(card.get("is_ex"))),
        int(bool(card.get("is_mega"))),
        sum(TAG_BITS[tag] for tag in card.get("tags", ())),
        compiled.attacks,
        int(compiled.use),
        int(bool(card.get("ability"))),
        compiled.program,
        compiled.modifiers,
        "its text has no compiled effect" if compiled.problems else "",
    ]


def compile_card(tables: Tables, card: dict[str, Any]) -> Compiled:
    """All texts of one card."""
    compiled = Compiled()
    for attack in card.get("attacks", ()):
        compile_attack(tables, attack, compiled)
    words = (card.get("ability") or {}).get("effect") or ("" if card["kind"] == "fossil" else card.get("effect"))
    if words:
        try:
            if card["kind"] == "pokemon":
                compile_ability(tables, words, compiled)
            elif card["kind"] in ("tool", "stadium"):
                compile_lasting_card(tables, words, compiled)
            else:
                draft = Draft(tables)
                grammar.text(draft, words)
                compiled.program = tables.program(tidy(draft.rows()))
        except UnknownTextError as error:
            compiled.problems.append(str(error))
    return compiled


def compile_attack(tables: Tables, attack: dict[str, Any], compiled: Compiled) -> None:
    """One attack: its cost, its number and its program."""
    cost = [attack["cost"].get(letter, 0) for letter in ENERGY]
    draft = Draft(tables, attack=True)
    words = attack["effect"] or ""
    cheap = re.fullmatch(
        (
            r"If (this Pokémon has damage on it|you have no cards in your deck), this attack can be "
            r"used for 1 \[([A-Z])\] Energy\."
        ),
        words,
    )
    try:
        if cheap:
            damaged = cheap[1].startswith("this")
            kind = ENERGY.index(cheap[2])
            state = State.DAMAGED if damaged else State.ANY
            modifier = Modifier(Kind.CHEAP_ATTACK, state=state, amount=kind, arg=0 if damaged else 1)
            modifier = modifier._replace(program=tables.name(attack["name"]))
            compiled.modifiers.append(tables.modifier(modifier))
        elif words:
            grammar.text(draft, words)
    except UnknownTextError as error:
        compiled.problems.append(str(error))
        draft = Draft(tables, attack=True)
    rows = draft.rows()
    if any(row.op == Op.COPY_ATTACK for row in rows):
        # The damage step of the copied attack takes the place of this one's.
        rows = [row for row in rows if row.op != Op.HIT]
    per = attack["damage_mode"] == "x" and any(row.op == Op.BASE_N for row in rows)
    number = tables.program(tidy(rows))
    compiled.attacks.append([tables.name(attack["name"]), cost, attack["damage"] or 0, int(per), number])


USES = (
    (
        r"Once during your turn, when you play this Pokémon from your hand to evolve 1 of your Pokémon, you may (.+)",
        Use.ON_EVOLVE,
    ),
    (r"Once during your turn, when you put this Pokémon from your hand onto your Bench, you may (.+)", Use.ON_BENCH),
    (r"(?:Once during your turn, )?(?:if .+?, )?(?:once during your turn, )?you may (.+)", Use.ONCE),
    (r"As often as you like during your turn, you may (.+)", Use.OFTEN),
)


def compile_ability(tables: Tables, words: str, compiled: Compiled) -> None:
    """A passive Ability, or one that is used."""
    try:
        compiled.modifiers += [tables.modifier(item) for item in compile_passive(tables, words.removesuffix("."))]
    except UnknownTextError:
        pass
    else:
        return
    draft = Draft(tables)
    must = re.match(r"You must discard a card from your hand in order to use this Ability", words)
    pay = re.fullmatch(
        (
            r"Once during your turn, you may discard 1 (\[[A-Z]\]) Energy from this Pokémon in order "
            r"to use this Ability\. (.+)"
        ),
        words,
    )
    use_it = re.fullmatch(r"Once during your turn, you may use this Ability\. (.+)", words)
    if must:
        grammar.text(draft, words)
        compiled.use = Use.ONCE
    elif pay or use_it:
        if pay:
            grammar.text(draft, f"Discard a {pay[1]} Energy from this Pokémon.")
        grammar.text(draft, pay[2] if pay else use_it[1])  # type: ignore[index]
        compiled.use = Use.ONCE
    else:
        pattern, use = next(((p, u) for p, u in USES if re.fullmatch(p, words, re.IGNORECASE)), (None, Use.PASSIVE))
        if pattern is None:
            raise UnknownTextError(words)
        compiled.use = use
        rest = re.fullmatch(pattern, words, re.IGNORECASE)[1]  # type: ignore[index]
        prefix = words[: len(words) - len(rest)]
        ability_conditions(draft, prefix)
        if use in (Use.ON_EVOLVE, Use.ON_BENCH):
            draft.post(Op.MAY)
            draft.when = When.TRUE
        grammar.text(draft, rest.replace(" If you use this Ability, your turn ends.", ""))
        if "your turn ends" in words:
            draft.post(Op.END_TURN)
    zone = [row for row in draft.rows() if row.op == Op.ATTACH_ZONE]
    if compiled.use == Use.ONCE and any(row.who == Who.SELF for row in zone):
        draft.need(Noun(Who.SELF, state=State.ZONE_OPEN))
    compiled.program = tables.program(tidy(draft.rows()))


def ability_conditions(draft: Draft, prefix: str) -> None:
    """What must hold for an Ability to be used."""
    for condition in re.findall(r"if (.+?), ", prefix, re.IGNORECASE):
        if condition in ("this Pokémon is in the Active Spot", "this Pokémon is on your Bench"):
            who = Who.MY_ACTIVE if "Active" in condition else Who.MY_BENCH
            draft.head.append(Row(Op.COUNT_POKEMON, who=who, state=State.IS_SOURCE))
            draft.require()
        else:
            hands.conditional(draft, condition)


def compile_lasting_card(tables: Tables, words: str, compiled: Compiled) -> None:
    """A Tool or a Stadium: passive rules, or something to use once during each player's turn."""
    used = re.fullmatch(r"Once during each player's turn, that player may (.+)", words)
    if used is None:
        compiled.modifiers += [tables.modifier(item) for item in compile_passive(tables, words.removesuffix("."))]
        return
    draft = Draft(tables)
    text = used[1].replace("that player puts", "put").replace("that player ", "you ")
    text = re.sub(r"\btheir (deck|hand)\b", r"your \1", text)
    grammar.text(draft, text)
    compiled.use = Use.ONCE
    compiled.program = tables.program(tidy(draft.rows()))


def tidy(rows: list[Row]) -> list[Row]:
    """Energy from the Zone comes only to whom it may; a requirement that an earlier one repeats is dropped."""
    if any(row.op == Op.ATTACH_ZONE for row in rows):
        rows = [row._replace(state=State.ZONE_OPEN) if _may_be_locked(row) else row for row in rows]
    found: list[Row] = []
    index = 0
    while index < len(rows):
        block = rows[index : index + 3]
        is_test = len(block) == 3 and block[1].op == Op.CHECK and block[2].op == Op.REQUIRE
        if is_test and any(found[i : i + 3] == block for i in range(len(found))):
            index += 3
            continue
        found.append(rows[index])
        index += 1
    return found


def _may_be_locked(row: Row) -> bool:
    """Whether a row counts, takes or gives energy to Pokémon of which one is the Active."""
    about = row.op in (Op.COUNT_POKEMON, Op.CHOOSE, Op.ATTACH_ZONE)
    return about and row.state == State.ANY and row.who in (Who.SELF, Who.MY_ACTIVE, Who.MY_ALL)


def summary(data: dict[str, Any], problems: dict[str, str]) -> str:
    """How much is covered."""
    total = len(data["cards"])
    lengths = Counter(len(program) for program in data["programs"])
    return (
        f"{total - len(problems)} of {total} functional cards compiled; {len(data['programs'])} programs "
        f"(longest {max(lengths)} rows), {len(data['modifiers'])} modifiers, {len(data['filters'])} filters, "
        f"{len(data['names'])} names"
    )
