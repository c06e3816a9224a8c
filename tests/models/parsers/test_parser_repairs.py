"""What is mended, by name, and what is refused, with its reason."""

import pytest

from coepg.models.parsers import FAILURES, REPAIRS, WARNINGS, get_parser
from coepg.types import Space

LEFT = '"action": "left_click"'
CLICK = '{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [1, 2]}}'


def tag(inside):
    return f"<tool_call>\n{inside}\n</tool_call>"


def arguments(inside):
    return tag('{"name": "computer_use", "arguments": ' + inside + "}")


MENDED = [
    ("qwen2_5_vl", f"<tool_call>{CLICK}", {"missing_closing_tag"}),
    ("qwen2_5_vl", CLICK, {"missing_opening_tag"}),
    ("qwen2_5_vl", f"```json\n{CLICK}\n```", {"code_fence"}),
    ("qwen2_5_vl", tag(f"```json\n{CLICK}\n```"), {"code_fence"}),
    ("qwen2_5_vl", f"I click. {tag(CLICK)} Done.", {"text_before_call", "text_after_call"}),
    ("qwen2_5_vl", tag(CLICK.replace('"', "'")), {"single_quotes"}),
    ("qwen2_5_vl", tag(CLICK + "}"), {"extra_closing_bracket"}),
    ("qwen2_5_vl", tag(CLICK[:-1]), {"missing_closing_bracket"}),
    ("qwen2_5_vl", tag(f"[{CLICK}]"), {"call_in_list"}),
    ("qwen2_5_vl", arguments("{" + LEFT + ', "coordinate": [1, 2,]}'), {"trailing_comma"}),
    ("qwen2_5_vl", arguments("{" + LEFT + ', "coordinate": [1, 2)}'), {"swapped_brackets"}),
    ("qwen2_5_vl", arguments("{" + LEFT + ', "coordinate": [1, 2}'), {"missing_closing_bracket"}),
    ("qwen2_5_vl", arguments('{"coordinate": [1, 2] ' + LEFT + "}"), {"missing_comma"}),
    (
        "qwen2_5_vl",
        arguments("{" + LEFT + ', "coordinate": ["1", "2"]}'),
        {"coordinates_as_strings"},
    ),
    (
        "qwen2_5_vl",
        arguments("{" + LEFT + ', "coordinate": "(1, 2)"}'),
        {"coordinates_as_strings"},
    ),
    (
        "qwen2_5_vl",
        arguments("{" + LEFT + ', "coordinate": {"x": 1, "y": 2}}'),
        {"coordinates_as_object"},
    ),
    ("qwen2_5_vl", arguments("{" + LEFT + ', "coordinate": [[1, 2]]}'), {"nested_coordinates"}),
    ("qwen2_5_vl", arguments("{" + LEFT + ', "coordinate": [0, 0, 2, 4]}'), {"box_as_point"}),
    (
        "qwen2_5_vl",
        arguments("{action: left_click, coordinate: [1, 2]}"),
        {"unquoted_string"},
    ),
    (
        "qwen2_5_vl",
        arguments("{" + LEFT + ', "coordinate": [1, 2], "keep": True,}'),
        {"python_literals", "trailing_comma"},
    ),
    (
        "qwen2_5_vl",
        tag('{"name": "left_click", "arguments": {"coordinate": [1, 2]}}'),
        {"action_as_function_name"},
    ),
    (
        "qwen2_5_vl",
        tag('{"name": "left_click", "arguments": [1, 2]}}'),
        {"action_as_function_name", "arguments_as_list", "extra_closing_bracket"},
    ),
    (
        "qwen2_5_vl",
        tag('{"name": "key", "arguments": [{"text": "ctrl"}, "text": "a"]}'),
        {"action_as_function_name", "arguments_as_list", "key_value_in_array"},
    ),
    (
        "qwen2_5_vl",
        tag('{"name": "function", "arguments": {' + LEFT + ', "coordinate": [1, 2]}}'),
        {"wrong_function_name"},
    ),
    (
        "qwen2_5_vl",
        tag('{"name": "computer_use", ' + LEFT + ', "coordinate": [1, 2]}'),
        {"flat_arguments"},
    ),
    (
        "qwen2_5_vl",
        arguments('"{\\"action\\": \\"left_click\\", \\"coordinate\\": [1, 2]}"'),
        {"arguments_as_string"},
    ),
    (
        "qwen2_5_vl",
        arguments('{"action": "type", "text": "say "hi" now"}'),
        {"unescaped_quote"},
    ),
    (
        "qwen2_5_vl",
        arguments('{"action": "type", "text": "a\nb"}'),
        {"raw_newline_in_string"},
    ),
    ("qwen2_5_vl", arguments(r'{"action": "type", "text": "a\d"}'), {"bad_escape"}),
    (
        "qwen2_5_vl",
        '<tool_call>{"name": "computer_use", "arguments": {"action": "type", "text": "abc',
        {"missing_closing_tag", "unterminated_string", "missing_closing_bracket"},
    ),
    ("ui_tars", "click(start_box='(1,2)')", {"missing_prefix"}),
    ("ui_tars", "Action: click(start_box='(1,2)'", {"missing_closing_bracket"}),
    ("ui_tars", "Action: click(start_box='(1,2", {"missing_closing_bracket", "swapped_brackets"}),
    ("ui_tars", "Action: click(start_box='[1,2)')", {"swapped_brackets"}),
    ("ui_tars", "Action: click(start_box=(1,2))", {"unquoted_coordinates"}),
    ("ui_tars", "Action: click('(1,2)')", {"positional_arguments"}),
    ("ui_tars", "Action: type(content='it's 5 o'clock')", {"unescaped_quote"}),
    ("ui_tars", "Action: type(content='a\nb')", {"raw_newline_in_string"}),
    ("ui_tars_1_5", "Action: click(point='<point>1 2')", {"missing_closing_tag"}),
    ("os_atlas", "CLICK <point>[[1,2]]</point>", {"missing_prefix"}),
    ("os_atlas", "actions:\nCLICK [[1,2]]", {"missing_opening_tag"}),
    ("os_atlas", "actions:\nCLICK <point>[[1,2]]", {"missing_closing_tag"}),
    ("os_atlas", "actions:\nCLICK <point>[[1,2)]</point>", {"swapped_brackets"}),
    ("os_atlas", "actions:\nTYPE hello", {"missing_brackets"}),
    ("os_atlas", "actions:\nTYPE [hello", {"missing_closing_bracket"}),
    ("os_atlas", "actions:\nclick <point>[[1,2]]</point>", {"lower_case_action"}),
    ("os_atlas", "actions:\nI will CLICK <point>[[1,2]]</point>", {"text_before_call"}),
    ("aguvis", "pyautogui.click(x='0.1', y='0.2')", {"coordinates_as_strings"}),
    ("aguvis", "done", {"lower_case_action"}),
    ("agentcpm", 'Sure: {"POINT":[1,2]}', {"text_before_call"}),
    ("agentcpm", '{"POINT":[1,2]} ok', {"text_after_call"}),
    ("agentcpm", '{"POINT":[1,2]', {"missing_closing_bracket"}),
    ("autoglm", '<answer>do(action="Back")', {"missing_closing_tag"}),
    ("autoglm", 'I go back. do(action="Back")', {"text_before_call"}),
    ("autoglm", 'do("Tap", element=[1, 2])', {"positional_arguments"}),
    ("autoglm", 'do(action="Type", text="say "hi" now")', {"unescaped_quote"}),
    ("autoglm", 'do(action="Tap", element="[1, 2]")', {"coordinates_as_strings"}),
    ("tags", "Hm. <plan>a</plan><type>click</type><value>None</value>", {"text_before_call"}),
    ("tags", "<plan>a</plan><type>click</type><value>None</value>!", {"text_after_call"}),
    ("plain", "The button is at (1, 2).", {"text_before_call", "text_after_call"}),
    ("plain", "787, 355", {"missing_brackets"}),
    ("agentcpm", " " * 40_000 + '{"POINT":[1,2]}', {"cut"}),
]


@pytest.mark.parametrize(("dialect", "text", "repairs"), MENDED)
def test_mended(dialect, text, repairs):
    space = Space.IMAGE_PX if dialect == "plain" else None
    answer = get_parser(dialect, space).parse(text)
    assert answer.is_parsed, (answer.failure, answer.detail)
    assert set(answer.repairs) == repairs
    if answer.kind == "click" and dialect not in ("tags", "plain", "aguvis"):
        assert (answer.point.x, answer.point.y) == (1, 2)


def test_mended_texts_keep_what_was_meant():
    read = get_parser("qwen2_5_vl").parse
    assert read(arguments('{"action": "type", "text": "say "hi" now"}')).value == 'say "hi" now'
    assert read(arguments('{"action": "type", "text": "a\nb"}')).value == "a\nb"
    keys = '{"name": "key", "arguments": [{"text": "ctrl"}, "text": "a"]}'
    assert read(tag(keys)).value == "ctrl+a"
    read = get_parser("ui_tars").parse
    assert read("Action: type(content='it's 5 o'clock')").value == "it's 5 o'clock"
    assert read("Action: type(content='a\nb')").value == "a\nb"


REFUSED = [
    ("qwen2_5_vl", "   \n", "empty"),
    ("qwen2_5_vl", "I cannot see it.", "no_call"),
    ("qwen2_5_vl", '```json\n[{"bbox_2d": [1, 2, 3, 4], "label": "x"}]\n```', "no_call"),
    ("qwen2_5_vl", "<tool_call></tool_call>", "no_call"),
    ("qwen2_5_vl", arguments('{"action": "fly"}'), "unknown_action"),
    ("qwen2_5_vl", tag('{"name": "search", "arguments": {}}'), "unknown_action"),
    ("qwen2_5_vl", arguments('{"action": "triple_click"}'), "unsupported_action"),
    ("qwen2_5_vl", arguments('{"action": "left_click"}'), "no_point"),
    ("qwen2_5_vl", arguments('{"action": "type", "text": ""}'), "no_value"),
    ("qwen2_5_vl", arguments('{"action": "key", "keys": []}'), "no_value"),
    ("qwen2_5_vl", arguments("{" + LEFT + ', "coordinate": [1]}'), "bad_coordinates"),
    ("qwen2_5_vl", arguments("{" + LEFT + ', "coordinate": [1, NaN]}'), "bad_coordinates"),
    ("qwen2_5_vl", arguments("{" + LEFT + ', "coordinate": [true, 1]}'), "bad_coordinates"),
    ("qwen2_5_vl", arguments("{" + LEFT + ', "coordinate": [1e999, 1]}'), "bad_coordinates"),
    ("qwen2_5_vl", arguments('{"action": "scroll", "pixels": 0}'), "bad_direction"),
    ("qwen2_5_vl", arguments('{"action": "key", "keys": ' + str([1] * 81) + "}"), "too_many_keys"),
    ("qwen2_5_vl", tag("[" * 60), "malformed_json"),
    ("ui_tars", "Action: dance()", "no_call"),
    ("ui_tars", "Action: click()", "no_point"),
    ("ui_tars", "Action: click(start_box=open('x'))", "bad_coordinates"),
    ("ui_tars", "Action: click(start_box=1 + x)", "malformed_call"),
    ("ui_tars", "Action: click(" + "(" * 60, "too_long"),
    ("ui_tars", "Action: scroll(direction='inwards')", "bad_direction"),
    ("os_atlas", "thoughts: wait for it", "no_call"),
    ("os_atlas", "actions:\nCLICK the button", "no_point"),
    ("os_atlas", "actions:\nCLICK <point>[[1,2,3]]</point>", "bad_coordinates"),
    ("os_atlas", "actions:\nSCROLL [BACK]", "bad_direction"),
    ("aguvis", "os.system('x')", "no_call"),
    ("aguvis", "pyautogui.click()", "no_point"),
    ("aguvis", "pyautogui.alert('x')", "unknown_action"),
    ("aguvis", "pyautogui.tripleClick(0.1, 0.2)", "unsupported_action"),
    ("agentcpm", '{"thought": "hm"}', "no_call"),
    ("agentcpm", '{"POINT":[1,2],"to":"inwards"}', "bad_direction"),
    ("agentcpm", '{"POINT":[1,2],"to":[1,2]}', "bad_direction"),
    ("autoglm", 'do(action="Fly")', "unknown_action"),
    ("autoglm", 'do(action="Note", message="x")', "unsupported_action"),
    ("autoglm", 'do(action="Tap")', "no_point"),
    ("autoglm", 'do(action="Tap", element=__import__("os").getcwd())', "malformed_call"),
    ("tags", "<plan>a</plan><type>fly</type><value>None</value>", "unknown_action"),
    ("tags", "<plan>a</plan><type>click</type>", "no_call"),
    ("plain", "no idea", "no_call"),
]


@pytest.mark.parametrize(("dialect", "text", "failure"), REFUSED)
def test_refused(dialect, text, failure):
    space = Space.IMAGE_PX if dialect == "plain" else None
    answer = get_parser(dialect, space).parse(text)
    assert (answer.failure, answer.kind, answer.repairs) == (failure, None, ())
    assert answer.plan() is None


def test_of_several_calls_the_first_is_taken():
    second = CLICK.replace("[1, 2]", "[3, 4]")
    for dialect, text in [
        ("qwen2_5_vl", tag(CLICK) + "\n" + tag(second)),
        ("ui_tars", "Action: click(start_box='(1,2)')\n\nclick(start_box='(3,4)')"),
        ("os_atlas", "actions:\nCLICK <point>[[1,2]]</point>\nTYPE [x]"),
        ("autoglm", 'do(action="Tap", element=[1, 2])\ndo(action="Back")'),
    ]:
        answer = get_parser(dialect).parse(text)
        assert (answer.kind, answer.point.x) == ("click", 1), dialect
        assert (answer.repairs, answer.warnings) == ((), ("extra_calls",)), dialect


def test_every_name_is_explained():
    assert {name for _, _, names in MENDED for name in names} == set(REPAIRS)
    assert {failure for _, _, failure in REFUSED} == set(FAILURES)
    assert set(WARNINGS) == {"extra_calls", "outside_range"}
