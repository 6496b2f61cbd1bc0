"""Own Pokémon, hands, decks, Tools, copies."""

from __future__ import annotations

from references.tcg_engine.tests.reading.base import PLAIN, SIDE, SNORLAX, family, weakness_bonus


@family(r"Heal (\d+) damage from this Pokémon\.")
def heal(c, m):
    yield (
        c.case("heals", {"me.active.damage": 10, **c.hit(c.damage)}, mine=f"damage={int(m[1]) + 10}")
        if c.card["hp"] > int(m[1]) + 10
        else c.case("heals", {"me.active.damage": 0}, mine="damage=10")
    )


@family(r"Heal (\d+) damage from each of your (Benched )?(?:\[([A-Z])\] |Basic )?Pokémon\.")
def heal_each(c, m):
    benched = (PLAIN[m[3]] if m[3] else "A1-204") + f" damage={int(m[1]) + 10}"
    outcome = {"me.bench.1.damage": 10}
    yield c.case("heals", outcome, me={"bench": [benched]}, foe=SIDE)


@family(r"Heal (\d+) damage from 1 of your (Benched )?Pokémon\.")
def heal_one(c, m):
    bench = [f"A1-204 damage={int(m[1]) + 10}", f"A1-202 damage={int(m[1]) + 10}"]
    outcome = {"me.bench.1.damage": int(m[1]) + 10, "me.bench.2.damage": 10}
    yield c.case("heals", outcome, me={"bench": bench}, do=["choose me 2"])


@family(r"Flip a coin\. If heads, heal (\d+) damage from this Pokémon\.")
def coin_heal(c, m):
    yield c.case("heads", {"me.active.damage": 10}, mine=f"damage={int(m[1]) + 10}", coins=["H"])
    yield c.case("tails", {"me.active.damage": int(m[1]) + 10}, mine=f"damage={int(m[1]) + 10}", coins=["T"])


@family(r"Heal from this Pokémon the same amount of damage you did to your opponent's Active Pokémon\.")
def drain(c, m):
    yield c.case("heals", {"me.active.damage": 10, **c.hit(c.damage)}, mine=f"damage={c.damage + 10}")


@family(r"(You may switch|Switch) this Pokémon with 1 of your Benched (?:\[([A-Z])\] )?Pokémon\.")
def switch(c, m):
    there = PLAIN[m[2]].split(">")[-1] if m[2] else "A1-204"
    line = PLAIN[m[2]] if m[2] else "A1-204"
    yes = ["yes"] if m[1].startswith("You") else []
    yield c.case(
        "switches", {"me.active": there, "me.bench.1": c.card["id"], **c.hit(c.damage)}, me={"bench": [line]}, do=yes
    )
    if yes:
        yield c.case("stays", {"me.active": c.card["id"]}, me={"bench": [line]}, do=["no"])


@family(r"Switch out your opponent's Active Pokémon to the Bench\. \(Your opponent chooses the new Active Pokémon\.\)")
def switch_out(c, m):
    line = c.foe.split(">")[-1]
    outcome = {"foe.active": "A1-202", "foe.bench.2": line, "foe.bench.2.damage": c.damage}
    yield c.case("they choose", outcome, foe=SIDE, do=["choose me 2"])


@family(r"Draw a card\.")
def draw(c, m):
    yield c.case("draws", {"me.hand": ["A1-033"]}, me={"deck": ["A1-033"]})
    yield c.case("no deck", {"me.hand.size": 0}, me={"deck": []})


@family(r"Put (?:a|1) random (\[([A-Z])\] Pokémon|Pokémon|Supporter card) from your deck into your hand\.")
def search(c, m):
    wanted = "A1-223" if "Supporter" in m[1] else PLAIN[m[2]].split(">")[0] if m[2] else "A1-033"
    yield c.case("finds", {"me.hand": [wanted]}, me={"deck": [wanted], "filler": "P-A-001"})
    yield c.case("nothing there", {"me.hand": []}, me={"filler": "P-A-001"})


@family(r"Put 1 random (.+) from your deck onto your Bench\.")
def search_bench(c, m):
    wanted = "A1-033" if m[1] == "Basic Pokémon" else c.source.by_name[m[1].split(" or ")[0]]
    yield c.case("finds", {"me.bench.1": wanted}, me={"deck": [wanted], "filler": "P-A-001"})
    full = {"bench": ["A1-204", "A1-204", "A1-204"], "deck": [wanted], "filler": "P-A-001"}
    yield c.case("no room", {"me.deck.size": 20 - 4 - len(c.source.line(c.card).split(">")) + 1}, me=full)


@family(r"Put 3 random cards from among (.+) and (.+) from your deck onto your Bench\.")
def search_three(c, m):
    first, second = c.source.by_name[m[1]], c.source.by_name[m[2]]
    yield c.case(
        "two there",
        {"me.bench.1.damage": 0, "me.bench.2.damage": 0, "me.bench.3": ""},
        me={"deck": [first, second], "filler": "P-A-001"},
    )


@family(r"Put a random card that evolves from (.+) from your deck into your hand\.")
def search_line(c, m):
    wanted = next(card["id"] for card in c.source.cards if card.get("evolves_from") == m[1])
    yield c.case("finds", {"me.hand": [wanted]}, me={"deck": [wanted], "filler": "A1-001"})


@family(r"Put a random card from your deck that evolves from this Pokémon onto this Pokémon to evolve it\.")
def evolve(c, m):
    wanted = next(card["id"] for card in c.source.cards if card.get("evolves_from") == c.card["name"])
    yield c.case("evolves", {"me.active": wanted}, me={"deck": [wanted], "filler": "A1-001"})


@family(r"Discard the top (?:card|(\d) cards) of (your|your opponent's) deck\.")
def mill(c, m):
    count = int(m[1] or 1)
    side = "me" if m[2] == "your" else "foe"
    cards = ["A1-033", "A1-223", "A2-147", "A1-001"][: count + 1]
    outcome = {f"{side}.discard": sorted(cards[:count])}
    yield c.case("discards", outcome, **{side: {"deck": cards}})


@family(r"Your opponent reveals their hand\.")
def reveal(c, m):
    yield c.case("seen", {"me.known.size": 1, **c.hit(c.damage)}, foe={"hand": ["A1-223"]})


@family(
    r"(Flip a coin\. If heads, )?(?:your opponent reveals a random card from their hand and "
    r"shuffles it into their deck|look at a random card from your opponent's hand and shuffle "
    r"it into their deck)\."
)
def hand_to_deck(c, m):
    yield c.case("shuffled in", {"foe.hand.size": 2}, foe={"hand": ["A1-223", "A1-223"]}, coins=["H"] if m[1] else [])
    if m[1]:
        yield c.case("tails", {"foe.hand.size": 3}, foe={"hand": ["A1-223", "A1-223"]}, coins=["T"])


@family(r"(Flip a coin\. If heads, )?discard a random (card|Item card|Pokémon Tool card) from your opponent's hand\.")
def hand_discard(c, m):
    card = {"card": "A1-223", "Item card": "P-A-001", "Pokémon Tool card": "A2-147"}[m[2]]
    coins = ["H"] if m[1] else []
    yield c.case("discarded", {"foe.discard": [card]}, foe={"hand": [card]}, coins=coins)
    if m[2] != "card":
        yield c.case("none there", {"foe.discard": []}, foe={"hand": ["A1-223"]}, coins=coins)
    if m[1]:
        yield c.case("tails", {"foe.discard": []}, foe={"hand": [card]}, coins=["T"])


@family(r"Shuffle your hand into your deck\. Draw a card for each card in your opponent's hand\.")
def copycat(c, m):
    yield c.case("three", {"me.hand.size": 3}, me={"hand": ["A1-001"]}, foe={"hand": ["A1-223"] * 3})


@family(r"(?:Before doing damage, d|D)iscard all Pokémon Tools from your opponent's Active Pokémon\.")
def tools(c, m):
    yield c.case(
        "discarded", {"foe.active.tools": [], "foe.discard": ["A2-147"], **c.hit(c.damage)}, theirs="tool=A2-147"
    )


@family(r"Discard a Stadium in play\.")
def stadium(c, m):
    yield c.case("discarded", {"stadium": ""}, stadium="B2-155")


@family(
    r"Discard a card from your hand\. If you can't, this attack does nothing\.|Discard 2 "
    r"cards from your hand\. If you can't discard 2 cards, this attack does nothing\."
)
def price(c, m):
    count = 2 if "2 cards" in m[0] else 1
    yield c.case(
        "paid",
        {**c.hit(c.damage), "me.hand.size": 0},
        me={"hand": ["A1-001"] * count},
        do=["pick 0"] if count == 2 else [],
    )
    yield c.case("not paid", {**c.hit(0), "me.hand.size": count - 1}, me={"hand": ["A1-001"] * (count - 1)})


@family(r"Choose 1 of your opponent's Active Pokémon's attacks and use it as this attack\.")
def copy(c, m):
    yield c.case("copies", {"foe.active.damage": 70 + weakness_bonus(c, SNORLAX)}, other=SNORLAX)


@family(
    r"Reveal all of your Pokémon in play and in your hand that have the (.+) attack, and this "
    r"attack does (\d+) damage for each Pokémon you revealed in this way\."
)
def kin(c, m):
    yield c.case("three", c.hit(3 * int(m[2])), me={"bench": [c.source.line(c.card)], "hand": [c.card["id"], "A1-001"]})
