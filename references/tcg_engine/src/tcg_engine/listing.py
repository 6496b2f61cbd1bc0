"""Programs and modifiers in words: what the table says a card does."""

from __future__ import annotations

from dataclasses import fields
from enum import IntEnum

from tcg_engine.cards import Card, CardTable, Filter
from tcg_engine.codes import ANY_ENERGY, ENERGY, TYPES, Kind, Modifier, Op, Place, Row, Scope, State, Use, When, Who


def program(table: CardTable, number: int) -> list[str]:
    """One line per row."""
    return [row_text(table, row) for row in table.programs[number]]


def row_text(table: CardTable, row: Row) -> str:
    """A row with its non-default parts."""
    parts = [
        "" if row.when == When.ALWAYS else f"[{'if' if row.when == When.TRUE else 'unless'} flag] ",
        Op(row.op).name,
        named(" ", Who, row.who),
        filter_text(table, row.filter),
        named(" state=", State, row.state),
        types_text(row.types),
        f" amount={row.amount}" if row.amount else "",
        f" arg={row.arg}" if row.arg else "",
    ]
    text = "".join(parts)
    if row.op in (Op.TIMED, Op.TIMED_PLAYER, Op.LOCK_ATTACK):
        text += f" {{{modifier_text(table, table.modifiers[row.arg])}}}"
    return text


def modifier_text(table: CardTable, item: Modifier) -> str:
    """A modifier with its non-default parts."""
    parts = [
        Kind(item.kind).name,
        f" on {Scope(item.scope).name}",
        filter_text(table, item.filter),
        named(" state=", State, item.state),
        types_text(item.types),
        f" amount={item.amount}" if item.amount else "",
        f" other={filter_text(table, item.other).strip()}" if item.other else "",
        " foe" if item.foe else "",
        named(" from=", Place, item.place),
        f" needs {Who(item.need_who).name}{filter_text(table, item.need_filter)}" if item.need_who else "",
        named(" ", State, item.need_state) if item.need_who else "",
        f" arg={item.arg}" if item.arg else "",
        f" parameter={item.parameter}" if item.parameter else "",
    ]
    text = "".join(parts)
    if item.kind == Kind.DAMAGE_OUT:
        return text + (f" attack={table.names[item.program]}" if item.program else "")
    return text + (f" -> {' ; '.join(program(table, item.program))}" if item.program else "")


def named(before: str, kind: type[IntEnum], value: int) -> str:
    """A code by its name, nothing for 0."""
    return f"{before}{kind(value).name}" if value else ""


def types_text(mask: int) -> str:
    """A mask of energy types."""
    return "" if mask == ANY_ENERGY else f" types={''.join(c for i, c in enumerate(ENERGY) if mask >> i & 1) or mask}"


def filter_text(table: CardTable, number: int) -> str:
    """A filter with its non-default parts."""
    if not number:
        return ""
    item, parts = table.filters[number], []
    for field in fields(Filter):
        value = getattr(item, field.name)
        if not value:
            continue
        if field.name in ("names", "not_names", "evolves_from"):
            value = "/".join(table.names[name] for name in value)
        elif field.name == "types":
            value = "".join(letter for i, letter in enumerate(TYPES) if value >> i & 1)
        parts.append(f"{field.name}={value}")
    return f" <{' '.join(parts)}>"


def card(table: CardTable, item: Card) -> list[str]:
    """Everything a card does."""
    lines = [f"{item.id} {table.name(item)} ({item.kind.name.lower()})"]
    for attack in item.attacks:
        cost = "".join(letter * count for letter, count in zip(ENERGY, attack.cost, strict=True))
        lines.append(f"  attack {table.names[attack.name]} [{cost}] {attack.damage}{'x' * attack.per}")
        lines += [f"    {line}" for line in program(table, attack.program)]
    if item.program:
        lines.append(f"  {'effect' if item.use == Use.PASSIVE else item.use.name.lower()}")
        lines += [f"    {line}" for line in program(table, item.program)]
    lines += [f"  {modifier_text(table, table.modifiers[number])}" for number in item.modifiers]
    return lines
