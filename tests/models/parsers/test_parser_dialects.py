"""What each dialect's words mean: kinds, points and their spaces, directions."""

import pytest

from coepg.errors import ModelError
from coepg.models.parsers import DIALECTS, as_scroll, count_parsing, get_parser
from coepg.types import Frame, Point, Size, Space


def tool(action, name="computer_use", **arguments):
    import json

    call = {"name": name, "arguments": {"action": action, **arguments}}
    return f"<tool_call>\n{json.dumps(call)}\n</tool_call>"


def read(dialect, text, space=None):
    answer = get_parser(dialect, space).parse(text)
    assert answer.is_parsed, (answer.failure, answer.detail)
    return answer


ACTIONS = [
    ("qwen2_5_vl", tool("left_click", coordinate=[10, 20]), "click", None, (10, 20)),
    ("qwen2_5_vl", tool("right_click", coordinate=[10, 20]), "right_click", None, (10, 20)),
    ("qwen2_5_vl", tool("mouse_move", coordinate=[10, 20]), "hover", None, (10, 20)),
    ("qwen2_5_vl", tool("type", text='say "hi"'), "type", 'say "hi"', None),
    ("qwen2_5_vl", tool("key", keys=["ctrl", "a"]), "press", "ctrl+a", None),
    ("qwen2_5_vl", tool("wait", time=2), "wait", "2", None),
    ("qwen2_5_vl", tool("answer", text="42"), "finish", "42", None),
    ("qwen3_vl", tool("long_press", "mobile_use", coordinate=[1, 2]), "long_press", None, (1, 2)),
    ("qwen3_vl", tool("system_button", "mobile_use", button="Back"), "navigate_back", None, None),
    ("qwen3_vl", tool("system_button", "mobile_use", button="Home"), "navigate_home", None, None),
    ("qwen3_vl", tool("system_button", "mobile_use", button="Enter"), "press", "enter", None),
    ("qwen3_vl", tool("open", "mobile_use", text="Clock"), "open_app", "Clock", None),
    ("ui_tars", "Thought: t\nAction: click(start_box='(1,2)')", "click", None, (1, 2)),
    (
        "ui_tars",
        "Thought: it's here\nAction: left_double(start_box='<|box_start|>(1,2)<|box_end|>')",
        "double_click",
        None,
        (1, 2),
    ),
    ("ui_tars", "Action: click(start_box='[0, 0, 10, 20]')", "click", None, (5, 10)),
    ("ui_tars_1_5", "Action: click(point='<point>7 8</point>')", "click", None, (7, 8)),
    ("ui_tars_1_5", "Action: hotkey(key='ctrl c')", "press", "ctrl+c", None),
    ("ui_tars_1_5", "Action: type(content='it\\'s\\n')", "type", "it's\n", None),
    ("ui_tars_1_5", "Action: press_home()", "navigate_home", None, None),
    ("ui_tars_1_5", "Action: open_app(app_name='Clock')", "open_app", "Clock", None),
    ("ui_tars_1_5", "Action: finished(content='done')", "finish", "done", None),
    ("ui_tars_1_5", "Action: call_user()", "take_over", "", None),
    ("os_atlas", "actions:\nCLICK <point>[[101,872]]</point>", "click", None, (101, 872)),
    ("os_atlas", "Actions:\nLONG_PRESS <point>[[1, 2]]</point>", "long_press", None, (1, 2)),
    ("os_atlas", "actions:\nTYPE [a [b] c]", "type", "a [b] c", None),
    ("os_atlas", "actions:\nOPEN_APP [Google Chrome]", "open_app", "Google Chrome", None),
    ("os_atlas", "actions:\nPRESS_BACK", "navigate_back", None, None),
    ("os_atlas", "actions:\nWAIT", "wait", None, None),
    ("aguvis", "pyautogui.click(x=0.25, y=0.5)", "click", None, (0.25, 0.5)),
    ("aguvis", "pyautogui.click(0.25, 0.5, button='right')", "right_click", None, (0.25, 0.5)),
    ("aguvis", "```python\npyautogui.write(message='a, b')\n```", "type", "a, b", None),
    ("aguvis", "pyautogui.hotkey('ctrl', 'c')", "press", "ctrl+c", None),
    ("aguvis", "pyautogui.press(keys=['enter'])", "press", "enter", None),
    ("aguvis", "mobile.open_app(app_name='Clock')", "open_app", "Clock", None),
    ("aguvis", "mobile.back()", "navigate_back", None, None),
    ("aguvis", "browser.select_option(x=0.1, y=0.2, value='B')", "select", "B", (0.1, 0.2)),
    ("agentcpm", '{"thought":"t","POINT":[1,2]}', "click", None, (1, 2)),
    ("agentcpm", '{"POINT":[1,2],"duration":1000}', "long_press", None, (1, 2)),
    ("agentcpm", '{"PRESS":"HOME"}', "navigate_home", None, None),
    ("agentcpm", '{"TYPE":"hi"}', "type", "hi", None),
    ("agentcpm", '{"duration":500}', "wait", "0.5", None),
    ("agentcpm", '{"STATUS":"need_feedback"}', "take_over", None, None),
    ("autoglm", 'do(action="Tap", element=[1, 2])', "click", None, (1, 2)),
    ("autoglm", 'do(action="Launch", app="Clock")', "open_app", "Clock", None),
    ("autoglm", 'do(action="Type", text="a\\"b")', "type", 'a"b', None),
    ("autoglm", 'do(action="Wait", duration="3 seconds")', "wait", "3", None),
    ("autoglm", 'do(action="Take_over", message="log in")', "take_over", "log in", None),
    ("autoglm", "do(action='Scroll Down')", "scroll", "down", None),
    ("autoglm", 'finish(message="done (1)")', "finish", "done (1)", None),
    ("autoglm", "go_backward()", "navigate_back", None, None),
    ("tags", "<plan>a</plan><type>type</type><value>x</value>", "type", "x", None),
]


@pytest.mark.parametrize(("dialect", "text", "kind", "value", "xy"), ACTIONS)
def test_actions(dialect, text, kind, value, xy):
    answer = read(dialect, text)
    assert (answer.kind, answer.value) == (kind, value)
    assert (None if answer.point is None else (answer.point.x, answer.point.y)) == xy
    assert (answer.repairs, answer.warnings) == ((), ())


@pytest.mark.parametrize(
    ("dialect", "text", "space"),
    [
        ("qwen2_5_vl", tool("left_click", coordinate=[1, 1]), Space.MODEL_PX),
        ("qwen3_vl", tool("left_click", coordinate=[1, 1]), Space.NORM1000),
        ("ui_tars", "Action: click(start_box='(1,1)')", Space.NORM1000),
        ("ui_tars_1_5", "Action: click(start_box='(1,1)')", Space.MODEL_PX),
        ("os_atlas", "actions:\nCLICK <point>[[1,1]]</point>", Space.NORM1000),
        ("aguvis", "pyautogui.click(x=1, y=1)", Space.NORM1),
        ("agentcpm", '{"POINT":[1,1]}', Space.NORM1000),
        ("autoglm", 'do(action="Tap", element=[1, 1])', Space.NORM1000),
    ],
)
def test_each_dialect_fixes_the_space_of_its_points(dialect, text, space):
    assert read(dialect, text).point == Point(1, 1, space)


UP_MEANS = [
    # Words that name the side on which more is shown.
    ("qwen2_5_vl", tool("scroll", pixels=-5), "scroll", "down"),
    ("qwen2_5_vl", tool("hscroll", pixels=5), "scroll", "right"),
    ("ui_tars", "Action: scroll(direction='down')", "scroll", "down"),
    ("ui_tars_1_5", "Action: scroll(point='<point>1 2</point>', direction='up')", "scroll", "up"),
    ("os_atlas", "actions:\nSCROLL [DOWN]", "scroll", "down"),
    ("aguvis", "pyautogui.scroll(-3)", "scroll", "down"),
    ("aguvis", "pyautogui.scroll(page=0.5)", "scroll", "up"),
    ("aguvis", "pyautogui.hscroll(-3)", "scroll", "left"),
    ("autoglm", 'do(action="Scroll", direction="down", amount=0.5)', "scroll", "down"),
    # A word for the finger, turned round at once.
    ("os_atlas_finger", "actions:\nSCROLL [UP]", "scroll", "down"),
    ("os_atlas_finger", "actions:\nSCROLL [LEFT]", "scroll", "right"),
    # Strokes of the finger stay strokes.
    (
        "qwen2_5_vl",
        tool("swipe", "mobile_use", coordinate=[5, 90], coordinate2=[5, 10]),
        "swipe",
        "up",
    ),
    ("ui_tars", "Action: scroll(start_box='(5,90)', end_box='(5,10)')", "swipe", "up"),
    ("aguvis", "mobile.swipe(from_coord=[0.5, 0.9], to_coord=[0.5, 0.1])", "swipe", "up"),
    ("agentcpm", '{"POINT":[500,900],"to":"up"}', "swipe", "up"),
    ("agentcpm", '{"POINT":[500,900],"to":[500,100]}', "swipe", "up"),
    ("autoglm", 'do(action="Swipe", start=[500, 900], end=[500, 100])', "swipe", "up"),
    ("autoglm", 'do(action="Swipe", direction="left")', "swipe", "left"),
]


@pytest.mark.parametrize(("dialect", "text", "kind", "direction"), UP_MEANS)
def test_directions(dialect, text, kind, direction):
    answer = read(dialect, text)
    assert (answer.kind, answer.value) == (kind, direction)


def test_a_finger_that_moves_up_reveals_what_is_below():
    swipe = read("autoglm", 'do(action="Swipe", start=[500, 900], end=[480, 100])')
    assert (as_scroll(swipe).kind, as_scroll(swipe).value) == ("scroll", "down")
    assert as_scroll(swipe).point == swipe.point
    click = read("autoglm", 'do(action="Tap", element=[1, 2])')
    assert as_scroll(click) is click


def test_drags_have_two_ends_or_begin_at_the_pointer():
    drag = read("ui_tars", "Action: drag(start_box='(1,2)', end_box='(3,4)')")
    assert (drag.point, drag.end_point) == (
        Point(1, 2, Space.NORM1000),
        Point(3, 4, Space.NORM1000),
    )
    drag = read("qwen2_5_vl", tool("left_click_drag", coordinate=[3, 4]))
    assert (drag.point, drag.end_point) == (None, Point(3, 4, Space.MODEL_PX))
    drag = read("aguvis", "pyautogui.moveTo(0.1, 0.2)\npyautogui.dragTo(0.3, 0.4)")
    assert (drag.point.x, drag.end_point.x, drag.warnings) == (0.1, 0.3, ())


def test_a_move_gives_the_next_action_its_place():
    answer = read("aguvis", "pyautogui.moveTo(x=0.4, y=0.7)\npyautogui.scroll(-54)")
    assert (answer.kind, answer.value, answer.point.y) == ("scroll", "down", 0.7)
    assert answer.warnings == ()


def test_the_end_of_a_task_keeps_its_status():
    assert read("qwen3_vl", tool("terminate", status="failure")).status == "failure"
    assert read("os_atlas", "actions:\nCOMPLETE").status == "success"
    assert read("agentcpm", '{"STATUS":"impossible"}').status == "failure"
    assert read("aguvis", "FAIL").status == "failure"
    assert read("aguvis", "mobile.terminate(status='success')").status == "success"


def test_an_element_in_words():
    answer = read("autoglm", 'do(action="Click", element_description="the red (x) button")')
    assert (answer.element, answer.point) == ("the red (x) button", None)
    answer = read("autoglm", 'do(action="Click", element=find_element(instruction="the menu"))')
    assert answer.element == "the menu"
    answer = read("tags", "<plan>the menu</plan><type>click</type><value>None</value>")
    assert (answer.element, answer.value) == ("the menu", None)
    assert answer.plan().element == "the menu"


def test_thoughts_are_part_of_the_dialect():
    tapped = 'do(action="Tap", element=[1, 2])'
    for text in (
        f"<think>do I tap?</think><answer>{tapped}</answer>",
        f"<think>x</think>\n{tapped}",
    ):
        assert read("autoglm", text).repairs == ()
    call = tool("left_click", coordinate=[1, 2])
    for before in ("<think>well</think>\n", "Thought: well\nAction: click it\n"):
        assert read("qwen3_vl", before + call).repairs == ()
    assert read("qwen3_vl", "Sure! " + call).repairs == ("text_before_call",)


def test_points_are_mapped_through_the_size_that_the_model_processed():
    answer = read("qwen2_5_vl", tool("left_click", coordinate=[952, 532]))
    frame = Frame(Size(1920, 1080), model=Size(1904, 1064))
    assert answer.point_px(frame) == Point(960, 540, Space.IMAGE_PX)


def test_a_point_outside_its_space_is_kept_and_warned_of():
    answer = read("qwen3_vl", tool("left_click", coordinate=[1200, 40]))
    assert answer.point == Point(1200, 40, Space.NORM1000)
    assert (answer.repairs, answer.warnings) == ((), ("outside_range",))
    assert read("aguvis", "pyautogui.click(x=320, y=0.5)").warnings == ("outside_range",)
    assert read("qwen2_5_vl", tool("left_click", coordinate=[1200, 40])).warnings == ()


def test_plain_points_need_a_declared_unit():
    answer = read("plain", "(0.25, 0.5)", Space.NORM1)
    assert (answer.kind, answer.point) == ("click", Point(0.25, 0.5, Space.NORM1))
    with pytest.raises(ModelError, match="does not show"):
        get_parser("plain")
    with pytest.raises(ModelError, match="leave it out"):
        get_parser("ui_tars", Space.NORM1)
    with pytest.raises(ModelError, match="os_atlas"):
        get_parser("qwen")


def test_pixels_or_fractions_of_pyautogui():
    answer = read("pyautogui", "pyautogui.click(881.5, 16)", Space.IMAGE_PX)
    assert answer.point == Point(881.5, 16, Space.IMAGE_PX)


def test_counts_say_what_was_mended():
    parser = get_parser("agentcpm")
    texts = ['{"POINT":[1,2]}', "{'POINT':[1,2],}", '{"POINT":[1]}', "", "no"]
    counts = count_parsing(map(parser.parse, texts))
    assert (counts.total, counts.parsed, counts.clean) == (5, 2, 1)
    assert counts.repairs == {"single_quotes": 1, "trailing_comma": 1}
    assert counts.failures == {"bad_coordinates": 1, "empty": 1, "no_call": 1}
    assert counts.lines()[0] == "2 of 5 answers read, 1 without repair"


def test_every_dialect_can_be_made():
    for name, dialect in DIALECTS.items():
        parser = get_parser(name, Space.NORM1 if dialect.make_in else None)
        assert parser.name == name
        assert parser.parse("").failure == "empty"
