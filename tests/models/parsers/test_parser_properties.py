"""Round trips, random junk and long junk."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.models.answers import format_plan, parse_plan
from coepg.models.parsers import DIALECTS, ParsedAnswer, get_parser
from coepg.models.parsers.base import MAX_TEXT_CHARS
from coepg.types import ACTION_CLASSES, Plan, Space, build_action, format_call
from coepg.types.step import has_target

NAMES = sorted(DIALECTS)
whole = st.integers(0, 1000)
share = st.integers(0, 10_000).map(lambda n: n / 10_000)
words = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=30).filter(
    lambda text: text.strip() == text
)
any_words = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=40)


def parser(name):
    return get_parser(name, Space.IMAGE_PX if DIALECTS[name].make_in else None)


def xy(answer):
    return None if answer.point is None else (answer.point.x, answer.point.y)


def assert_clean(answer):
    assert (answer.failure, answer.repairs, answer.warnings) == (None, (), ())


@pytest.mark.parametrize(
    ("name", "form"),
    [
        (
            "qwen2_5_vl",
            '<tool_call>\n{{"name": "computer_use", "arguments": {{"action": "left_click", '
            '"coordinate": [{}, {}]}}}}\n</tool_call>',
        ),
        ("ui_tars", "Thought: a\nAction: click(start_box='<|box_start|>({},{})<|box_end|>')"),
        ("ui_tars_1_5", "Thought: a\nAction: click(point='<point>{} {}</point>')"),
        ("os_atlas", "thoughts:\na\nactions:\nCLICK <point>[[{},{}]]</point>"),
        ("agentcpm", '{{"thought":"a","POINT":[{},{}]}}'),
        ("autoglm", '<think>a</think><answer>do(action="Tap", element=[{},{}])</answer>'),
        ("pyautogui", "pyautogui.click(x={}, y={})"),
        ("plain", "({}, {})"),
    ],
)
@given(x=whole, y=whole)
def test_points_come_back(name, form, x, y):
    answer = parser(name).parse(form.format(x, y))
    assert_clean(answer)
    assert (answer.kind, xy(answer)) == ("click", (x, y))


@given(x=share, y=share)
def test_fractions_come_back(x, y):
    answer = parser("aguvis").parse(f"pyautogui.click(x={x:.4f}, y={y:.4f})")
    assert_clean(answer)
    assert xy(answer) == (x, y)


@given(text=any_words)
def test_texts_come_back(text):
    call = {"name": "computer_use", "arguments": {"action": "type", "text": text}}
    tags = ("<tool_call>", "</tool_call>", "```")
    written = {
        "agentcpm": json.dumps({"TYPE": text}),
        "aguvis": f"pyautogui.write(message={text!r})",
        "autoglm": format_call(build_action("type", text)),
        "ui_tars": f"Action: type(content={text!r})",
    }
    if not any(tag in text for tag in tags):
        written["qwen3_vl"] = f"<tool_call>{json.dumps(call)}</tool_call>"
    for name, answer in written.items():
        found = parser(name).parse(answer)
        assert found.is_parsed, (name, answer, found.detail)
        assert (found.kind, found.value) == ("type", text), (name, answer)


@given(text=words.filter(lambda text: "\n" not in text and "[" not in text and "]" not in text))
def test_bracketed_texts_come_back(text):
    found = parser("os_atlas").parse(f"actions:\nTYPE [{text}]")
    assert (found.kind, found.value) == ("type", text)


@given(kind=st.sampled_from(sorted(ACTION_CLASSES)), value=words, element=words)
def test_the_own_call_form_comes_back(kind, value, element):
    direction = {"scroll": "left", "swipe": "up", "wait": "3"}.get(kind, value)
    action = build_action(kind, direction)
    text = format_call(action, element)
    found = parser("autoglm").parse(text)
    assert_clean(found)
    field = ACTION_CLASSES[kind].value_field
    assert found.kind == kind
    assert found.value == (getattr(action, field) if field else None)
    assert found.element == (element if has_target(kind) else None)


@given(
    element=words.filter(lambda t: t != "None" and "<" not in t),
    kind=st.sampled_from(sorted(ACTION_CLASSES)),
    value=st.none() | words.filter(lambda t: t != "None" and "<" not in t),
)
def test_tags_are_read_as_in_training(element, kind, value):
    text = format_plan(Plan(element, kind, value))
    found = parser("tags").parse(text)
    assert found.plan() == parse_plan(text) == Plan(element, kind, value)
    assert_clean(found)


PIECES = [
    *("<tool_call>", "</tool_call>", '{"name": "computer_use", "arguments": ', "{", "}", "[", "]"),
    *(
        "(",
        ")",
        '"',
        "'",
        ",",
        ":",
        "\\",
        "\n",
        " ",
        "action",
        "left_click",
        '"coordinate"',
        "[1, 2",
    ),
    *("Action:", "click(", "start_box='", "<|box_start|>", "<point>", "</point>", "type(content='"),
    *("actions:", "CLICK", "TYPE", "SCROLL [", "pyautogui.", "scroll(", "mobile.swipe(", "moveTo("),
    *('{"POINT":', '"to":', '"STATUS"', "do(", 'action="Tap"', "element=", "finish(", "<answer>"),
    *("<plan>", "</plan>", "<type>", "</type>", "<value>", "</value>", "1", "-", "0.5", "1e999"),
    *("\x00", "None", "True", "lambda: 0", "**x", "*x", "f'{x}'", "0x", "9" * 5000, "\ud800"),
]
junk = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))


@pytest.mark.parametrize("name", NAMES)
@given(text=junk)
def test_junk_never_raises(name, text):
    answer = parser(name).parse(text)
    assert isinstance(answer, ParsedAnswer)
    assert answer.is_parsed == (answer.failure is None) == (answer.kind is not None)


@pytest.mark.parametrize("name", NAMES)
@given(pieces=st.lists(st.sampled_from(PIECES), min_size=1, max_size=3))
def test_what_is_cut_off_never_raises(name, pieces):
    whole_text = (
        "<tool_call>"
        + '{"name": "computer_use", "arguments": {"action": "type", "text": "it\'s"}}'
        + "Action: type(content='it's') actions:\nTYPE [x] pyautogui.write('x') do(action='Type')"
    )
    for cut in range(0, len(whole_text), 7):
        parser(name).parse(whole_text[:cut] + "".join(pieces))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: repr(piece[:12]))
def test_long_junk_takes_little_time(name, piece):
    """A pattern that goes back over its text takes minutes here, not milliseconds."""
    for text in (piece * 100_000, PIECES[2] + piece * 40_000, "Action: click(" + piece * 40_000):
        text = text[: 4 * MAX_TEXT_CHARS]
        start = time.process_time()
        parser(name).parse(text)
        assert time.process_time() - start < 2
