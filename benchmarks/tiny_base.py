"""What a tiny base can do on synthetic screens that it has never seen, from pixels alone.

    coepg synth --out /tmp/heldout --num-screens 2000 --seed 900001
    python benchmarks/tiny_base.py --model tiny --data /tmp/heldout --num-screens 500

Prints, with the same pictures blanked as a control:

* find: share of expressions whose point lies in the element's box, for text targets (the
  expression quotes visible text) and for others (shapes, colours, icons, places);
* describe: share of elements whose described expression is one of theirs;
* plan: share of tasks with the right type and value, and whose element expression is one of the
  gold element's (history and instruction given).
"""

import argparse
import io
import itertools
import json
from pathlib import Path

from PIL import Image

from coepg.evaluate.intervals import bootstrap_interval
from coepg.models.base import GroundingRequest, Observation, Sampling
from coepg.models.local import LocalDescriber, LocalGrounder, LocalPlanner, load_local
from coepg.rewards.gates import same_value
from coepg.synth.dataset import read_screens
from coepg.types import Box, Screenshot, Size, Step, has_target


class Screens:
    """Pictures of the synthetic screens, or white ones."""

    def __init__(self, screens, blank):
        self.png = {s.screen_id: s.png for s in screens}
        self.blank = blank

    def image(self, name):
        picture = Image.open(io.BytesIO(self.png[name])).convert("RGB")
        return Image.new("RGB", picture.size, "white") if self.blank else picture


def shot(screen):
    return Screenshot(screen.screen_id, Size(screen.width, screen.height))


def find(local, images, screens):
    """Hits of the simplest expression of every element, for text targets and others."""
    grounder = LocalGrounder(local, images, batch_size=32)
    rows = [[(e, e.expressions[0]) for e in s.elements if e.expressions] for s in screens]
    requests = [
        GroundingRequest(shot(s), tuple(x for _, x in row))
        for s, row in zip(screens, rows, strict=True)
    ]
    hits = {"find_text": [], "find_other": []}
    for row, answers in zip(rows, grounder.ground(requests), strict=True):
        for (element, expression), g in zip(row, answers, strict=True):
            kind = "find_text" if '"' in expression else "find_other"
            point = g.point_px
            hits[kind].append(float(point is not None and Box(*element.box_px).contains(point)))
    return hits


def as_step(screen, task, element, index):
    return Step(
        step_id=f"{screen.screen_id}/{index}",
        episode_id=f"{screen.screen_id}/{index}",
        task_name=task.kind,
        split="heldout",
        step_index=len(task.history),
        num_steps=len(task.history) + 1,
        instruction=task.instruction,
        history=tuple(task.history),
        screenshot=shot(screen),
        action_type=task.action_type,
        value=task.value,
        target_box_px=Box(*element.box_px) if element else None,
    )


def describe(local, images, screens):
    describer = LocalDescriber(local, images, batch_size=32)
    pairs = []
    for s in screens:
        for e in s.elements:
            if e.expressions:
                box = Box(*e.box_px)
                pairs.append(
                    (e, Step("x", "x", "t", "h", 0, 1, "", (), shot(s), "click", None, box))
                )
    texts = describer.describe([step for _, step in pairs], Sampling(max_tokens=48))
    return {
        "describe": [
            float(bool(row) and row[0] in e.expressions)
            for (e, _), row in zip(pairs, texts, strict=True)
        ]
    }


def plan(local, images, screens):
    planner = LocalPlanner(local, images, Observation(), batch_size=32)
    rows = []
    for s in screens:
        by_id = {e.element_id: e for e in s.elements}
        for i, task in enumerate(s.tasks):
            element = by_id.get(task.element_id) if task.element_id is not None else None
            if (element is not None) == has_target(task.action_type):
                rows.append((element, as_step(s, task, element, i)))
    groups = planner.plan([step for _, step in rows], Sampling(max_tokens=96))
    right = {"plan_operation": [], "plan_element": []}
    for (element, step), (rollout,) in zip(rows, groups, strict=True):
        p = rollout.plan
        same = p is not None and p.action_type == step.action_type
        right["plan_operation"].append(float(same and same_value(p.value, step.value)))
        if element is not None:
            right["plan_element"].append(float(p is not None and p.element in element.expressions))
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--num-screens", type=int, default=500)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    screens = list(itertools.islice(read_screens(args.data), args.num_screens))
    local = load_local(args.model)
    results = {}
    for blank in (False, True):
        images = Screens(screens, blank)
        values = find(local, images, screens) | describe(local, images, screens)
        values |= plan(local, images, screens)
        for name, row in values.items():
            e = bootstrap_interval(row)
            results[("blank_" if blank else "") + name] = [e.value, e.low, e.high, e.n]
            print(f"{'blank ' if blank else '      '}{name:16} {100 * e.value:5.1f} % "
                  f"[{100 * e.low:.1f}, {100 * e.high:.1f}]  n={e.n}")  # fmt: skip
    if args.json:
        args.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
