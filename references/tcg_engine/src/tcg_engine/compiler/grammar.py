"""From a text to rows: sentences, their conditions, their effects.

A phrase is a pattern and a function that adds rows to a draft; `CONDITIONS` stand after "If", `EFFECTS` are
everything else.  A text is known when every sentence of it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tcg_engine.codes import MANY, Op, When
from tcg_engine.compiler.builder import UnknownTextError
from tcg_engine.compiler.draft import Draft

Phrase = Callable[[Draft, re.Match[str]], None]

SET_FLAG = (Op.MAY, Op.HEAL, Op.HEAL_ALL, Op.HAND_PICK_TO_DECK)  # what "if you do" looks back at

CONDITIONS: list[tuple[re.Pattern[str], Phrase]] = []
EFFECTS: list[tuple[re.Pattern[str], Phrase]] = []


def condition(pattern: str) -> Callable[[Phrase], Phrase]:
    """Register what may stand after "If"."""
    return _register(CONDITIONS, pattern)


def effect(pattern: str) -> Callable[[Phrase], Phrase]:
    """Register an effect: a sentence or a clause, without its full stop."""
    return _register(EFFECTS, pattern)


def _register(book: list[tuple[re.Pattern[str], Phrase]], pattern: str) -> Callable[[Phrase], Phrase]:
    def register(phrase: Phrase) -> Phrase:
        book.append((re.compile(pattern, re.IGNORECASE), phrase))
        return phrase

    return register


def text(draft: Draft, words: str) -> None:
    """Compile a whole text.

    Raises:
        UnknownTextError: it contains a phrase that the grammar does not have.
    """
    sentences = re.split(r"(?<=[.)]) +", words)
    start = 0
    while start < len(sentences):
        start = longest(draft, sentences, start)


def longest(draft: Draft, sentences: list[str], start: int) -> int:
    """Compile the longest known run of sentences, or one sentence; where the next one begins."""
    for end in range(len(sentences), start + 1, -1):
        before = draft.when
        if any_of(EFFECTS, draft, " ".join(sentences[start:end]).removesuffix(".")):
            draft.when = before
            return end
    if not sentences[start].startswith("("):
        clause(draft, sentences[start].removesuffix("."))
    return start + 1


def clause(draft: Draft, words: str) -> None:
    """Compile one sentence; its predicate holds until its end."""
    before = draft.when
    single(draft, words)
    draft.when = before


def single(draft: Draft, words: str) -> None:
    """A sentence: a known effect, a condition and an effect, or two effects with "and" between them."""
    if any_of(EFFECTS, draft, words):
        return
    match = re.fullmatch(r"If (.+?), (.+)", words, re.IGNORECASE)
    while match is not None:
        if test(draft, match[1]):
            single(draft, match[2])
            return
        longer = re.match(rf"If ({re.escape(match[1])}, .+?), (.+)", words, re.IGNORECASE)
        match = longer if longer is not None and longer.end() == len(words) else None
    match = re.fullmatch(r"Before doing damage, (.+)", words)
    if match:
        draft.early = True
        single(draft, match[1])
        draft.early = False
        return
    match = re.fullmatch(r"You may (.+)", words, re.IGNORECASE)
    if match:
        draft.post(Op.MAY)
        draft.when = When.TRUE
        single(draft, match[1])
        return
    for comma in re.finditer(r",? and (?=this|your|it|during|also|heal|do |if|discard|draw|you |that)", words):
        snapshot = len(draft.before), len(draft.after), len(draft.head)
        try:
            single(draft, words[: comma.start()])
            single(draft, words[comma.end() :])
        except UnknownTextError:
            del draft.before[snapshot[0] :], draft.after[snapshot[1] :], draft.head[snapshot[2] :]
        else:
            return
    raise UnknownTextError(words)


def test(draft: Draft, words: str) -> bool:
    """Compile a condition, after which rows hold only if the flag is (not) set."""
    fixed = {
        "heads": When.TRUE,
        "tails": When.FALSE,
        "you healed any damage in this way": When.TRUE,
        "you can't": When.FALSE,
        "you can't discard 2 cards": When.FALSE,
    }
    if words in ("you do", "they do"):
        rows = [*draft.before, *draft.after]
        draft.when = When.TRUE if any(row.op in SET_FLAG for row in rows) else draft.when
        return True
    if words in fixed:
        draft.when = fixed[words]
        return True
    coins = re.fullmatch(r"(?:at least )?(all|both|\d) of them (?:is|are) (heads|tails)", words)
    if coins:
        least = words.startswith("at least")
        count = draft.flips if coins[1] in ("all", "both") else int(coins[1])
        low, high = (count, MANY if least else count) if coins[2] == "heads" else (0, draft.flips - count)
        draft.when = When.ALWAYS
        draft.pre(Op.CHECK, amount=low, arg=high)
        draft.when = When.TRUE
        return True
    if any_of(CONDITIONS, draft, words):
        draft.when = When.TRUE
        return True
    return False


def any_of(book: list[tuple[re.Pattern[str], Phrase]], draft: Draft, words: str) -> bool:
    """Apply the first phrase of a book that fits and whose nouns are known."""
    for pattern, phrase in book:
        match = pattern.fullmatch(words)
        if match is None:
            continue
        snapshot = len(draft.before), len(draft.after), len(draft.head), len(draft.passive), draft.when
        try:
            phrase(draft, match)
        except UnknownTextError:
            del draft.before[snapshot[0] :], draft.after[snapshot[1] :], draft.head[snapshot[2] :]
            del draft.passive[snapshot[3] :]
            draft.when = snapshot[4]
        else:
            return True
    return False
