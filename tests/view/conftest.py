"""A report with everything in it, made of drawn screens."""

import io
import math
import random

import pytest
from PIL import Image, ImageDraw

from coepg.evaluate.metrics import ResultRow
from coepg.types import Box, Grounding, Plan, Point, Screenshot, Size, Step, content_hash
from coepg.view.curves import curves_from_metrics, stage_times_from_metrics
from coepg.view.data import ExampleCard, ReportData, TaskRow, example_card

TASKS = ("click-button", "enter-text", "choose-list", "click-tab", "use-slider", "email-inbox")
WORDS = ("Submit", "Cancel", "Open", "Delete", "Reply", "Search", "Next", "Previous")
MEMBERS = ("grounder", "other", "ocr")


def draw_screen(rng: random.Random) -> tuple[bytes, list[tuple[str, Box]]]:
    """A small page of buttons, as encoded PNG, and where they are."""
    image = Image.new("RGB", (160, 210), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 159, 49), fill="#ffff66")
    draw.text((4, 8), "Click the right button,\nthen stop.", fill="black")
    buttons = []
    for row, word in enumerate(rng.sample(WORDS, 4)):
        x, y = rng.randint(4, 80), 58 + 38 * row
        draw.rectangle((x, y, x + 64, y + 20), fill="#e7e7e7", outline="#888888")
        draw.text((x + 8, y + 5), word, fill="black")
        buttons.append((word, Box(x, y, x + 64, y + 20)))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue(), buttons


def make_card(index: int) -> ExampleCard:
    """Card number ``index``: every fourth is unparsable, scrolls, or misses."""
    from coepg.evaluate.judging import judge_step
    from coepg.rewards import RewardSettings, score_plan

    rng = random.Random(index)
    png, buttons = draw_screen(rng)
    word, box_px = rng.choice(buttons)
    kind = ("click", "scroll", "type", "click")[index % 4]
    has_target = kind != "scroll"
    step = Step(
        step_id=f"{TASKS[index % 6]}-{index}/2",
        episode_id=f"{TASKS[index % 6]}-{index}",
        task_name=TASKS[index % 6],
        split=("test_seed", "test_task")[index % 2],
        step_index=2,
        num_steps=4,
        instruction=f'Press "{word}" <now> & stop',
        history=() if index % 3 == 0 else ("[button] Open -> click", "[textbox] Name -> type: bob"),
        screenshot=Screenshot(content_hash(png), Size(160, 210)),
        action_type=kind,
        value={"scroll": "down", "type": "bob smith"}.get(kind),
        target_box_px=box_px if has_target else None,
        target_repr=f"[button] {word}" if has_target else "",
    )
    plan = (
        None
        if index % 7 == 6
        else Plan(f'the button "{word}" in the middle of the page', kind, step.value)
        if has_target
        else Plan(None, "scroll", "down")
    )
    answers: dict[str, Grounding | None] = {}
    if plan is not None and has_target:
        for member in MEMBERS:
            x, y = rng.uniform(-10, 74), rng.uniform(-4, 24)
            point = Point(box_px.x0 + x, box_px.y0 + y) if rng.random() > 0.1 else None
            logprobs = (-rng.random(), -rng.random()) if member != "ocr" else ()
            answers[member] = Grounding(point, logprobs)
    reward = score_plan(plan, step, answers, RewardSettings(priors={"grounder": 2.0}))
    acting = answers.get("grounder")
    return example_card(
        step,
        png,
        plan=plan,
        plan_text="<plan>the button</plan> <type>click</type> <value>None</value>"
        if plan
        else "I would <b>press</b> </script> something",
        verdict=judge_step(plan, acting.point_px if acting else None, step),
        iteration=3,
        arm=("grpo", "sft")[index % 5 == 4],
        reward=reward,
    )


def metric_rows() -> list[dict[str, object]]:
    """Rows as in metrics.jsonl."""
    rng = random.Random(0)
    rows: list[dict[str, object]] = []
    for iteration in (1, 2, 3):
        for step in range(400):
            loss = 2 * math.exp(-step / 80) + 0.2 / iteration + 0.05 * rng.random()
            rows.append(
                {"stage": "sft_planner", "iteration": iteration, "step": step, "loss": loss}
            )
        rows.append({"stage": "sft_planner", "iteration": iteration, "stage_seconds": 92.5})
        for step in range(60):
            gain = 0.5 + 0.1 * iteration + 0.15 * step / 60
            rows.append(
                {
                    "stage": "grpo",
                    "iteration": iteration,
                    "step": step,
                    "loss": 0.01 * rng.gauss(0, 1),
                    "reward_mean": gain + 0.03 * rng.gauss(0, 1),
                    "zero_variance_share": 0.3 + 0.3 * step / 60,
                    "member_accuracy": {m: gain - 0.1 * i for i, m in enumerate(MEMBERS)},
                    "member_weight": {"grounder": 0.5, "other": 0.28, "ocr": 0.22},
                    "grad_norm": None,
                }
            )
        rows.append(
            {"stage": "grpo", "iteration": iteration, "stage_seconds": 140 + 20 * iteration}
        )
        rows.append({"stage": "data", "iteration": iteration, "stage_seconds": 65.0})
    return rows


def result_rows() -> list[ResultRow]:
    rows = []
    for split, base in (("test_seed", 0.6), ("test_task", 0.3)):
        for iteration in (1, 2, 3):
            for arm in ("sft", "grpo"):
                value = base + 0.07 * iteration + (0.03 if arm == "grpo" else 0)
                for i, metric in enumerate(("ele_acc", "op_f1", "step_sr", "plan_purity")):
                    v = min(1.0, value + (0.05, 0.12, 0.0, 0.02)[i])
                    rows.append(
                        ResultRow(iteration, arm, split, metric, v, 412, v - 0.04, min(1, v + 0.03))
                    )
                rows.append(
                    ResultRow(iteration, arm, split, "plan_diversity", 1.2 + value, 412, 1.5, 2.5)
                )
                rows.append(
                    ResultRow(iteration, arm, split, "episode_sr", value / 2, 150, 0.2, 0.4)
                )
    return rows


def make_report(num_examples: int = 12) -> ReportData:
    return ReportData(
        title="Co-EPG on MiniWoB++",
        recipe="default",
        description="Three iterations with the shipped tiny models; 2 CPU cores.",
        recipe_toml='name = "default"\n[grpo]\nnum_generations = 7\n',
        versions={"coepg": "0.1.0", "python": "3.11.7", "torch": "2.9.0"},
        hardware={"processor": "2 cores", "memory": "24 GiB", "accelerator": "none"},
        results=tuple(result_rows()),
        curves=curves_from_metrics(metric_rows()),
        stage_times=stage_times_from_metrics(metric_rows()),
        tasks=tuple(
            TaskRow(3, arm, split, task, 30 + i, 0.9 - 0.1 * i, 0.95, max(0, 0.8 - 0.15 * i))
            for split in ("test_seed", "test_task")
            for arm in ("sft", "grpo")
            for i, task in enumerate(TASKS)
        ),
        examples=tuple(make_card(i) for i in range(num_examples)),
        notes=("Screens with a blank picture score 21 % Step SR: the rest is seen.",),
    )


@pytest.fixture(scope="session")
def report() -> ReportData:
    return make_report()
