from __future__ import annotations

import asyncio
import socket
import time

import pytest
from fake_server import FakeServer, Reply

from coepg.config.models import HttpModelConfig
from coepg.errors import ConfigError, InfrastructureError
from coepg.models import http_client
from coepg.models.base import GroundingRequest, Observation, Sampling
from coepg.models.http import HttpDescriber, HttpGrounder, HttpPlanner, coordinate_logprobs
from coepg.models.http_client import Answer, HttpClient, http_profile
from coepg.models.profile import PROFILES
from coepg.models.prompts import Prompt
from coepg.types import Box, Plan, Step

PLAN = "<plan>button Save</plan><type>click</type><value>None</value>"


@pytest.fixture
def serve(monkeypatch):
    monkeypatch.setattr(http_client, "FIRST_BACKOFF_S", 0.01)
    servers = []

    def start(script) -> FakeServer:
        servers.append(FakeServer(script if callable(script) else lambda _: script))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def settings(server: FakeServer | str, **kwargs) -> HttpModelConfig:
    url = server if isinstance(server, str) else server.url
    return HttpModelConfig(base_url=url, model="Qwen/Qwen2.5-VL-7B-Instruct", **kwargs)


def step(screenshot, number=0, box=Box(10, 10, 40, 30), action="click") -> Step:  # noqa: B008
    return Step(
        step_id=f"e/{number}", episode_id="e", task_name="t", split="train", step_index=number,
        num_steps=9, instruction="Save it", history=("[link] Home -> click",),
        screenshot=screenshot, action_type=action, value=None, target_box_px=box,
    )  # fmt: skip


def test_planner_states_its_sampling_and_keeps_logprobs(serve, store):
    server = serve(lambda s: Reply([PLAN, "no plan"] * (s.body["n"] // 2)))
    planner = HttpPlanner(settings(server), store, Observation(), name="big")
    steps = [step(store.noise(300, 200, 0)), step(store.noise(300, 200, 1), 1)]
    groups = planner.plan(steps, Sampling(4, 0.7, 99, seed=5))
    assert [[r.sample_index for r in g] for g in groups] == [[0, 1, 2, 3]] * 2
    first = groups[1][0]
    assert first.step_id == "e/1" and first.text == PLAN
    assert first.plan == Plan("button Save", "click", None)
    assert groups[1][1].plan is None
    assert set(first.token_logprobs) == {-0.25} and first.token_ids == ()
    body = next(s.body for s in server.seen if s.body["seed"] == 5)
    wanted = {"n": 4, "temperature": 0.7, "top_p": 1.0, "top_k": -1, "max_tokens": 99,
              "logprobs": True, "model": "Qwen/Qwen2.5-VL-7B-Instruct"}  # fmt: skip
    assert wanted.items() <= body.items()
    assert {s.body["seed"] for s in server.seen} == {5, 6}
    assert body["messages"][0]["role"] == "system"
    assert "[link] Home -> click" in server.seen[0].question
    assert all(s.path == "/v1/chat/completions" for s in server.seen)


def test_the_picture_is_sent_at_the_size_that_answers_refer_to(serve, store):
    """Model pixels: a point at the far corner of what was sent is the far corner of the screen."""
    server = serve(lambda s: Reply([f"({s.picture.width}, {s.picture.height})"]))
    shot = store.noise(1000, 333, 0)
    grounder = HttpGrounder(settings(server), store, name="g")
    ((grounding,),) = grounder.ground([GroundingRequest(shot, ("the corner",))])
    sent = server.questions[0].picture
    assert sent.size == (1008, 336), "multiples of 28"
    assert (grounding.point_px.x, grounding.point_px.y) == pytest.approx((1000, 333))


def test_grounder_asks_each_expression_once_and_reads_digits(serve, store):
    def script(seen):
        values = {"1": -0.5, "2": -1.0, "3": -2.0, "4": -0.125}
        text = "at 9: (12, 34) or 56" if "Save" in seen.question else "I cannot see it 7"
        return Reply([text], lambda piece: values.get(piece, -7.0))

    server = serve(script)
    shot, other = store.noise(300, 200, 0), store.noise(300, 200, 1)
    rows = HttpGrounder(settings(server), store, name="g").ground(
        [
            GroundingRequest(shot, ("Save", "Open", "Save")),
            GroundingRequest(other, ()),
            GroundingRequest(other, ("Save",)),
            GroundingRequest(shot, ("Save",)),
        ]
    )
    assert [len(r) for r in rows] == [3, 0, 1, 1]
    assert len(server.questions) == 3
    assert rows[0][0].token_logprobs == (-0.5, -1.0, -2.0, -0.125)
    assert rows[0][0] == rows[0][2] == rows[3][0]
    assert rows[0][1].point_px is None and rows[0][1].token_logprobs == ()
    assert rows[0][1].raw == "I cannot see it 7"
    assert all(s.body["temperature"] == 0 and s.body["n"] == 1 for s in server.seen)


def test_describer_asks_only_where_there_is_a_target(serve, store):
    server = serve(lambda s: Reply(["<plan>icon Save</plan>", " "][: s.body["n"]]))
    shot = store.noise(300, 200, 0)
    steps = [step(shot), step(shot, 1, None, "scroll"), step(shot, 2, Box(100, 100, 200, 180))]
    texts = HttpDescriber(settings(server), store, name="d").describe(steps, Sampling(2, 1.0))
    assert texts == [["icon Save", ""], [], ["icon Save", ""]]
    assert len(server.seen) == 2


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_may_pass_is_tried_again(serve, store, status):
    server = serve(lambda s: Reply(status=status) if len(server.seen) < 3 else Reply(["fine"]))
    client = HttpClient(settings(server), store)
    answers = client.ask([(store.noise(60, 60, 0), Prompt("x"))], Sampling())
    assert answers[0][0].text == "fine"
    assert len(server.seen) == 3


def test_the_server_s_wait_is_respected(serve, store):
    def script(_):
        first = len(server.seen) == 1
        return Reply(status=429, headers={"retry-after": "0.4"}) if first else Reply()

    server = serve(script)
    started = time.monotonic()
    HttpClient(settings(server), store).ask([(store.noise(60, 60, 0), Prompt("x"))], Sampling())
    assert time.monotonic() - started > 0.4


@pytest.mark.parametrize("status", [400, 401, 404, 422])
def test_what_will_not_pass_fails_at_once_and_names_server_and_cause(serve, store, status):
    server = serve(Reply(status=status, raw='{"error": "no such thing"}'))
    client = HttpClient(settings(server), store)
    with pytest.raises(InfrastructureError) as error:
        client.ask([(store.noise(60, 60, 0), Prompt("x"))], Sampling())
    text = str(error.value)
    assert server.url in text and "Qwen2.5-VL" in text
    assert f"HTTP {status}" in text and "no such thing" in text
    assert len(server.seen) == 1


def test_a_wrong_key_is_not_tried_on_every_request(serve, store):
    server = serve(Reply(status=401))
    client = HttpClient(settings(server, max_concurrency=2), store)
    with pytest.raises(InfrastructureError, match="all 40 requests failed"):
        client.ask([(store.noise(60, 60, 0), Prompt(str(i))) for i in range(40)], Sampling())
    assert len(server.seen) <= 4


def test_a_dead_server_stops_the_call_early(store, monkeypatch):
    monkeypatch.setattr(http_client, "FIRST_BACKOFF_S", 0.001)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    calls = []
    real = HttpClient._post

    async def counted(self, client, body):
        calls.append(body)
        return await real(self, client, body)

    monkeypatch.setattr(HttpClient, "_post", counted)
    client = HttpClient(settings(url, max_concurrency=4), store)
    with pytest.raises(InfrastructureError, match=r"ConnectError") as error:
        client.ask([(store.noise(60, 60, 0), Prompt(str(i))) for i in range(100)], Sampling())
    assert url in str(error.value)
    assert len(calls) <= 12


def test_one_failure_is_one_none(serve, store):
    server = serve(
        lambda s: Reply(status=400) if "bad" in s.question else Reply(["(5, 6)"])
    )  # fmt: skip
    shot = store.noise(300, 200, 0)
    grounder = HttpGrounder(settings(server), store, name="g")
    ((a, b, c),) = grounder.ground([GroundingRequest(shot, ("one", "bad", "two"))])
    assert b is None and a.point_px == c.point_px is not None
    planner = HttpPlanner(settings(serve(script_by_seed)), store, Observation(), name="p")
    groups = planner.plan([step(shot), step(shot, 1)], Sampling(seed=0))
    assert [len(g) for g in groups] == [1, 0], "a failed request is not an unparsable answer"


def script_by_seed(seen) -> Reply:
    return Reply([PLAN]) if seen.body["seed"] == 0 else Reply(status=400)


def test_the_total_time_is_bounded(serve, store):
    server = serve(Reply(delay_s=5))
    client = HttpClient(settings(server, timeout_s=0.2), store)
    started = time.monotonic()
    with pytest.raises(InfrastructureError, match=r"no answer within 0\.4 s; last: ReadTimeout"):
        client.ask([(store.noise(60, 60, 0), Prompt("x"))], Sampling())
    assert time.monotonic() - started < 2


def test_requests_in_flight_are_bounded(serve, store):
    server = serve(Reply(delay_s=0.05))
    client = HttpClient(settings(server, max_concurrency=3), store)
    shot = store.noise(60, 60, 0)
    answers = client.ask([(shot, Prompt(str(i))) for i in range(12)], Sampling())
    assert len(answers) == 12 and all(answers)
    assert server.most_open == 3
    assert store.asked.count(shot.image_hash) == 1, "a picture is encoded once"


def test_servers_that_ignore_n_are_asked_again(serve, store):
    server = serve(lambda s: Reply([f"seed {s.body['seed']}"]))
    client = HttpClient(settings(server), store)
    (answers,) = client.ask([(store.noise(60, 60, 0), Prompt("x"))], Sampling(3, 1.0))
    assert len({a.text for a in answers}) == 3
    assert [s.body["n"] for s in server.seen] == [3, 2, 1]


def test_servers_without_top_k_get_none(serve, store):
    def script(seen):
        if "top_k" in seen.body:
            return Reply(status=400, raw='{"error": "Unrecognized request argument: top_k"}')
        return Reply()

    server = serve(script)
    client = HttpClient(settings(server, max_concurrency=1), store)
    shot = store.noise(60, 60, 0)
    assert all(client.ask([(shot, Prompt(str(i))) for i in range(3)], Sampling()))
    assert ["top_k" in s.body for s in server.seen] == [True, False, False, False]


@pytest.mark.parametrize(
    "raw", ["{", "[]", '{"choices": [{}]}', '{"choices": []}', '{"choices": [{"message": "x"}]}']
)
def test_other_replies_are_faults_not_answers(serve, store, raw):
    client = HttpClient(settings(serve(Reply(raw=raw))), store)
    with pytest.raises(InfrastructureError, match="chat completion"):
        client.ask([(store.noise(60, 60, 0), Prompt("x"))], Sampling())


@pytest.mark.parametrize(
    ("logprob", "found"),
    [
        (None, "no log-probabilities"),
        (lambda _: 0.0, r"\[0\.0\]"),
        (lambda piece: float("-inf") if piece == "ok" else -1.0, "-inf"),
    ],
)
def test_the_probe_refuses_useless_logprobs(serve, store, logprob, found):
    server = serve(Reply(["ok then"], logprob))
    shot = store.noise(60, 60, 0)
    request = GroundingRequest(shot, ("a",))
    with pytest.raises(ConfigError, match=found) as error:
        HttpGrounder(settings(server), store, name="g").ground([request])
    assert "--generation-config vllm" in str(error.value)
    assert server.url in str(error.value)
    assert server.questions == []
    lenient = HttpGrounder(settings(server), store, name="g", needs_confidence=False)
    assert lenient.ground([request])[0][0] is not None


def test_the_probe_is_sent_once(serve, store):
    server = serve(Reply(["(1, 2)"]))
    grounder = HttpGrounder(settings(server), store, name="g")
    assert grounder.ground([]) == []
    for i in range(3):
        grounder.ground([GroundingRequest(store.noise(60, 60, i), ("a",))])
    assert [s.is_probe for s in server.seen] == [True, False, False, False]


def test_the_key_comes_from_the_environment_by_name(serve, store, monkeypatch):
    server = serve(Reply())
    client = HttpClient(settings(server, api_key_env="COEPG_TEST_KEY"), store)
    request = [(store.noise(60, 60, 0), Prompt("x"))]
    monkeypatch.delenv("COEPG_TEST_KEY", raising=False)
    with pytest.raises(ConfigError, match="COEPG_TEST_KEY is not set"):
        client.ask(request, Sampling())
    monkeypatch.setenv("COEPG_TEST_KEY", "abc")
    client.ask(request, Sampling())
    headers = {k.lower(): v for k, v in server.seen[0].headers.items()}
    assert headers["authorization"] == "Bearer abc"


def test_asking_works_inside_an_event_loop(serve, store):
    client = HttpClient(settings(serve(Reply(["fine"]))), store)
    shot = store.noise(60, 60, 0)

    async def main():
        return client.ask([(shot, Prompt("x"))], Sampling())

    assert asyncio.run(main())[0][0].text == "fine"


def test_profiles_of_served_models():
    def named(model, profile=None):
        return http_profile(HttpModelConfig(base_url="http://x/v1", model=model, profile=profile))

    assert named("Qwen/Qwen2.5-VL-7B-Instruct").name == "qwen2_5_vl"
    assert named("qwen3-vl-8b").name == "qwen3_vl"
    assert named("mine", "qwen3_vl").name == "qwen3_vl"
    with pytest.raises(ConfigError, match="set profile"):
        named("mine")


def test_coordinate_logprobs_use_the_tokens_own_text():
    profile = PROFILES["qwen2_5_vl"]
    tokens = (("(", -9.0), ("12", -1.0), (",", -9.0), (" 3", -2.0), ("4", -3.0), (")", -9.0),
              ("<|im_end|>", -9.0))  # fmt: skip
    assert coordinate_logprobs(profile, Answer("(12, 34)", tokens)) == (-1.0, -2.0, -3.0)
    assert coordinate_logprobs(profile, Answer("(12, 34)", ())) == ()
    assert coordinate_logprobs(profile, Answer("", (("(1,2)", 0.01),))) == (0.0,)
