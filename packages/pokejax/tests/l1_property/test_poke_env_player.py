"""L1: a live player that is told what no server should say, and goes on playing; without a server."""

import asyncio
import json
import socket
from pathlib import Path

import numpy as np
import pytest
from poke_env import ServerConfiguration
from poke_env.concurrency import POKE_LOOP

from pokejax import policies
from pokejax.poke_env import PokejaxPlayer, ServerError, player
from pokejax.poke_env.choices import Choices, names_of
from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError

pytestmark = pytest.mark.l1

TAG = "battle-gen9randombattle-1"
VIEW = (Path(__file__).parents[2] / "examples" / "view.txt").read_text().splitlines()
FIRST = next(n for n, line in enumerate(VIEW) if line.startswith("|request|{"))
REFUSED = "|error|[Unavailable choice] Can't switch: The active Pokémon is trapped"


class Told:
    """A player that nobody connects, and what it sends."""

    def __init__(self, decide, monkeypatch, **options):
        monkeypatch.setattr(player, "observed", lambda position, seat: {"turn": position.state})
        self.sent = []
        self.player = PokejaxPlayer(decide, start_listening=False, max_concurrent_battles=0, **options)

        async def send(message, room="", message_2=None):
            self.sent.append(message)

        self.player.ps_client.send_message = send

    def frame(self, *lines, tag=TAG):
        """One message of the websocket."""
        split = [[f">{tag}"], *(line.split("|") for line in lines)]
        asyncio.run_coroutine_threadsafe(self.player._handle_battle_message(split), POKE_LOOP).result(timeout=60)

    def view(self, lines, tag=TAG, end=""):
        """A battle as the server tells it: messages and requests are frames of their own."""
        news = ["|init|battle"] if tag not in self.player.battles or lines[0] == VIEW[0] else []
        for line in lines:
            if line.startswith("|request|"):
                self.frame(*(one + end for one in news), tag=tag)
                self.frame(line + end, tag=tag)
                news = []
            else:
                news.append(line)
        if news:
            self.frame(*news, tag=tag)


def first_legal(observation, legal):
    return int(np.argmax(legal))


@pytest.fixture
def told(monkeypatch):
    return Told(first_legal, monkeypatch, seed=1)


def of(rqid=None, **more):
    request = json.loads(VIEW[FIRST].removeprefix("|request|"))
    return "|request|" + json.dumps(request | ({} if rqid is None else {"rqid": rqid}) | more)


def test_every_request_of_a_battle_is_answered(told):
    told.view(VIEW)
    asked = [json.loads(line[9:]) for line in VIEW if line.startswith("|request|{") and '"wait":true' not in line]
    assert len(told.sent) == len(asked) == told.player.counts["decisions"]
    assert set(told.player.counts) == {"decisions"}
    assert told.sent[0] == "/choose move 1"
    assert told.sent[-1].startswith("/choose switch ")


def test_answers_name_the_request(told):
    told.frame("|init|battle", *VIEW[:FIRST])
    told.frame(of(rqid=7))
    assert told.sent == ["/choose move 1|7"]


def test_line_ends_of_windows_are_left_out(told):
    told.view(VIEW, end="\r")
    assert set(told.player.counts) == {"decisions"}
    assert told.player.battles[TAG].turn > 5


def test_a_message_that_nobody_knows_is_noted_and_the_battle_read_on(told):
    told.view([*VIEW[:20], "|-frobnicate|p1a: Ursaluna|Mega|[from] item: X", "|novelty", *VIEW[20:]])
    counts = told.player.counts
    assert counts["unknown messages"] == 2
    assert counts["decisions at random"] == 0
    assert len(told.sent) == counts["decisions"] > 5


def test_names_with_separators_and_of_any_script_are_read(told):
    names = {
        "Ursaluna": "Mr: Farfetch’d, Jr",
        "Scizor": "Flabébé: ルリリ",
        "Noctowl": "[of] p2a: X",
        "Glaceon": "/choose 1",
    }
    lines = []
    for line in VIEW:
        for name, nick in names.items():
            line = line.replace(f": {name}|", f": {nick}|").replace(f': {name}"', f': {nick}"')
            line = line.replace(f"[of] p1a: {name}", f"[of] p1a: {nick}").replace(
                f"[of] p2a: {name}", f"[of] p2a: {nick}"
            )
            line = line[: -len(name)] + nick if line.endswith(f"a: {name}") else line
        lines.append(line)
    told.view(lines)
    assert told.player.counts["decisions at random"] == 0
    assert len(told.sent) == told.player.counts["decisions"] > 5


def test_of_a_battle_that_cannot_be_read_some_legal_choice_is_made(told):
    told.view(VIEW[FIRST - 1 :])  # nobody has come in
    counts = told.player.counts
    assert counts["decisions at random"] > 5
    assert counts["decisions"] == len(told.sent)
    assert all(message.startswith(("/choose move ", "/choose switch ")) for message in told.sent)


@pytest.mark.parametrize(
    "request_",
    ["{not json", "[1, 2]", '"move"', '{"active": 3}', '{"side": {"pokemon": []}}', '{"side": {"id": "p1"}}'],
)
def test_a_request_that_is_none_is_answered_by_the_default(told, request_):
    told.view(VIEW[: FIRST + 1])
    told.frame("|turn|2", f"|request|{request_}")
    assert told.sent[-1] == "/choose default"
    assert told.player.counts["foreign requests"] == 1
    told.frame("|-message|on we go")
    told.frame(of(rqid=9))
    assert told.sent[-1] == "/choose move 1|9"


def test_an_empty_request_asks_nothing(told):
    told.view([*VIEW[:FIRST], "|request|", "|request|null"])
    assert told.sent == []


def test_a_refused_choice_is_replaced_by_another_one(monkeypatch):
    told = Told(lambda observation, legal: int(np.flatnonzero(legal)[-1]), monkeypatch)
    told.view(VIEW[: FIRST + 1])
    assert told.sent == ["/choose switch 6"]
    request = json.loads(VIEW[FIRST].removeprefix("|request|"))
    request["active"][0]["trapped"] = True
    told.frame(REFUSED)
    told.frame("|request|" + json.dumps(request | {"update": True}))
    assert told.sent[1].startswith("/choose move 4")
    assert told.player.counts["refused choices"] == 1


def test_an_invalid_choice_is_not_sent_twice(told):
    told.view(VIEW[: FIRST + 1])
    for _ in range(30):
        told.frame("|error|[Invalid choice] Can't move: it is disabled")
    legal = Choices.of_request(json.loads(VIEW[FIRST][9:]), names_of(json.loads(VIEW[FIRST][9:]))).legal
    tried = told.sent[: legal.sum()]
    assert len(set(tried)) == legal.sum()
    assert set(told.sent[legal.sum() :]) == {"/choose default"}
    assert told.player.counts["invalid choices"] == 30


@pytest.mark.parametrize("text", ["There's nothing to choose", "Sorry, too late to make a different move"])
def test_what_comes_too_late_is_not_answered(told, text):
    told.view(VIEW[: FIRST + 1])
    told.frame(f"|error|[Invalid choice] {text}")
    assert len(told.sent) == 1


def test_a_battle_that_is_told_again_after_a_lost_connection_is_read_once(told):
    told.view(VIEW[: FIRST + 1])
    told.view(VIEW[: FIRST + 15])
    lines = told.player._seats[TAG].transcript.lines
    assert lines.count("|turn|1") == 1
    assert told.player.counts["decisions at random"] == 0


def test_a_request_before_its_messages_waits_for_them(told):
    told.frame("|init|battle")
    told.frame(VIEW[FIRST])
    assert told.sent == []
    told.frame(*VIEW[:FIRST])
    assert told.sent == ["/choose move 1"]
    assert told.player.counts["decisions at random"] == 0


def test_battles_of_another_format_are_left_alone(told):
    told.view(VIEW, tag="battle-gen9ou-7")
    told.frame("|turn|4", tag="battle-gen9randombattle-99")  # of which the beginning is missing
    assert told.sent == []
    assert told.player.counts["foreign battles"] > 1
    assert told.player.battles == {}


def test_timers_chat_and_what_else_a_room_says_are_passed_over(told):
    said = [
        "|inactive|Battle timer is ON: inactive players will automatically lose when time's up.",
        "|inactive|other disconnected and has 300 seconds to reconnect!", "|j|☆someone", "|c|☆someone|gl | hf",
        "|html|<b>hi</b>", "|uhtml|a|<i>x</i>", "|n|☆else|someone", "|raw|x", "||plain", "|bigerror|You will auto-tie",
        "no bar at all",
    ]  # fmt: skip
    told.view([*VIEW[:20], *said, *VIEW[20:]])
    assert set(told.player.counts) == {"decisions"}


def test_a_function_that_fails_does_not_stop_the_player(monkeypatch):
    def fails(observation, legal):
        raise RuntimeError("out of ideas")

    told = Told(fails, monkeypatch)
    told.view(VIEW[: FIRST + 1])
    assert told.player.counts["decisions at random"] == 1
    assert told.sent[0].startswith("/choose ")


def test_an_illegal_decision_is_replaced(monkeypatch):
    told = Told(lambda observation, legal: 99, monkeypatch)
    told.view(VIEW[: FIRST + 1])
    assert told.player.counts["illegal decisions"] == 1
    assert told.sent[0].startswith("/choose ")


def test_nobody_listens():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"ws://127.0.0.1:{port}/showdown/websocket"
    with pytest.raises(ServerError, match=r"expected one that can be reached; start one, as `node pokemon-showdown"):
        PokejaxPlayer("random", server_configuration=ServerConfiguration(url, ""))
    with pytest.raises(ServerError, match="expected ws://HOST:PORT"):
        PokejaxPlayer("random", server_configuration=ServerConfiguration("localhost:8000", ""))


def test_who_cannot_decide_is_refused(tmp_path):
    for decide in ("nobody", 3, None):
        with pytest.raises(InvalidParamsError, match=r"decide: got .*expected one of"):
            PokejaxPlayer(decide, start_listening=False)
    with pytest.raises(SnapshotVersionError):
        PokejaxPlayer(str(tmp_path / "policy.npz"), start_listening=False)
    with pytest.raises(InvalidParamsError, match="battle_format: got gen9ou, expected gen9randombattle"):
        PokejaxPlayer("random", start_listening=False, battle_format="gen9ou")


class Remembers:
    """Stands for a recurrent policy: its memory counts its decisions."""

    def __init__(self):
        self.calls = []

    def initial_carry(self, batch):
        return np.zeros((batch, 1), np.float32)

    def step(self, carry, obs, resets, key=None, *, mask=None):
        self.calls.append((int(carry[0, 0]), bool(resets[0]), obs["seen"].shape, mask.shape))
        return carry + 1, np.flatnonzero(mask[0])[-1:]


def test_a_policy_s_memory_goes_along_with_its_battle(monkeypatch):
    monkeypatch.setattr(policies, "_view", lambda: lambda state, seat, params: {"seen": np.zeros(3)})
    policy = Remembers()
    told = Told(policy, monkeypatch)
    told.view(VIEW[: FIRST + 1])
    told.frame(REFUSED)
    told.frame(of(update=True))
    told.view(VIEW[FIRST + 1 :])
    counts, resets, *_ = zip(*policy.calls, strict=True)
    assert counts == (0, 0, *range(1, 9))  # the refused decision is taken anew
    assert resets == (True, True, *[False] * 8)
    assert policy.calls[0][2:] == ((1, 3), (1, 15))
    told.view(VIEW[: FIRST + 1], tag="battle-gen9randombattle-2")
    assert policy.calls[-1][:2] == (0, True)
