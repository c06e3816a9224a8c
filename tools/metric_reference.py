"""Write docs/reference/metrics.md from the metrics' definitions. Run it after changing one."""

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from coepg.evaluate.benchmarks import (
    aitw,
    aitz,
    gui_odyssey,
    mind2web,
    omniact,
    screenspot,
    screenspot_pro,
)
from coepg.evaluate.benchmarks.androidcontrol import rules, semi_online
from coepg.evaluate.definitions import METRICS, MetricDefinition
from coepg.evaluate.predictions.registry import READERS, reader_class

PATH = Path(__file__).parent.parent / "docs" / "reference" / "metrics.md"
HEAD = """# Metrics reference

Every metric by name, with version, definition, source, and how it differs from its sisters.
Written by `tools/metric_reference.py` from the definitions in `coepg.evaluate`; do not edit.

Two numbers are comparable if name *and* version agree, and if they are of the same data. The rules
of one benchmark give different numbers for the same answers, so a number without its rule says
little. All share-like metrics lie in 0..1 and are shown in per cent. Intervals are
bootstrap intervals of 95 % that draw whole episodes, tasks or pictures (see
[What the numbers mean](../concepts/metrics.md)).

An answer that could not be parsed is wrong, stays in the denominator, and is counted apart.

## Score a result file

```
coepg eval --predictions result.json --format screenspot_pro --json report.json
coepg eval --formats
```

The report prints counts, parse failures, the mean over steps and the mean over groups, intervals,
and the definition of each number; `--json` writes the same. Unit and order of points and boxes are
declared by the format (the table at the end) and never guessed: a field that does not fit stops
with an error that names file and row. Where a file stores verdicts, they must come out again.

In Python, each benchmark is a file of `coepg.evaluate.benchmarks` with pure functions on small
frozen objects:

```python test
from coepg.evaluate.benchmarks.screenspot import ScreenSpotAnswer, screenspot_report
from coepg.types import Box, Point

answers = [
    ScreenSpotAnswer("a.png", "web", "text", Box(10, 10, 30, 20), Point(12, 15)),
    ScreenSpotAnswer("b.png", "web", "icon", Box(10, 10, 30, 20), None),
]
report = screenspot_report(answers, "v1")
print(report.score("screenspot_v1_acc").estimate.value)  # 0.5
```

## Known traps

- **Two averages.** SeeClick and UGround print the plain mean of ScreenSpot's six categories, later
  papers the mean over instructions. GUI-Odyssey's script calls the mean over steps "macro" and the
  mean of categories "micro".
- **OmniACT by UGround's scripts is too low.** They lower-case the gold lines and not the answer, so
  `rightClick`, `doubleClick`, `moveTo`, `dragTo` and texts with capitals never match; and the few
  tasks without a gold script weigh -0.9 each. `omniact_uground_*` repeats this for comparison,
  `omniact_*` does not.
- **OS-Atlas compares one word.** Of typed text and app names only the first word is compared, with
  its bracket: `[york]` is not `[york`.
- **Empty text is contained in every text**, so it is right by the rules that ask for containment.
- **UI-S1 accepts every scroll**, whatever its direction.
- **AITW does not tell up from down.**
- **CoAT's script compares clicks with the point (0, 0)**; here they are compared with the touch.
- **SeeClick's ScreenSpot script leaves unparsable answers out of its list.** The report warns when
  the number of answers is not that of the benchmark.
- **Mind2Web's splits differ** between the text and the multimodal edition; so do SeeClick's
  pictures.
"""
SECTIONS = (
    ("coepg's own", tuple(METRICS.values())),
    ("ScreenSpot and ScreenSpot-v2", screenspot.METRICS),
    ("ScreenSpot-Pro", screenspot_pro.METRICS),
    ("Mind2Web", mind2web.METRICS),
    ("AndroidControl", rules.METRICS + semi_online.METRICS),
    ("GUI-Odyssey", gui_odyssey.METRICS),
    ("OmniACT", omniact.METRICS),
    ("AITW", aitw.METRICS),
    ("AITZ", aitz.METRICS),
)


def common_rule(texts: Sequence[str]) -> str:
    """The sentences with which all texts end, if there are several texts."""
    if len(texts) < 2:
        return ""
    rule: list[str] = []
    for sentences in zip(*(reversed(text.split(". ")) for text in texts), strict=False):
        if len(set(sentences)) > 1:
            break
        rule.insert(0, sentences[0])
    return ". ".join(rule)


def family(metrics: list[MetricDefinition]) -> Iterator[str]:
    """Metrics of one source: their shared rule once, then each."""
    rule = common_rule([m.text for m in metrics])
    for metric in metrics:
        text = metric.text.removesuffix(rule).strip() or metric.text
        yield f"- **`{metric.name}`** (version {metric.version}): {text}"
    about = (("Rule", rule), ("Source", metrics[0].source), ("Differs", metrics[0].differs))
    yield "\n" + "\n".join(f"{name}: {text}  " for name, text in about if text) + "\n"


def formats() -> Iterator[str]:
    yield "\n## Formats of result files\n"
    yield "| `--format` | points | boxes | written by | `--gold` |"
    yield "|---|---|---|---|---|"
    for name in sorted(READERS):
        form = reader_class(name).format
        boxes = "none" if form.box_unit == "none" else f"{form.box_unit}, {form.box_order}"
        yield f"| `{name}` | {form.point_unit} | {boxes} | {form.url} | {form.gold or '-'} |"
    yield ""
    for name in sorted(READERS):
        cls = reader_class(name)
        text = " ".join((cls.__doc__ or "").replace("``", "`").split())
        yield f"- **`{name}`**: {text}"
        for key, meaning in cls.format.options.items():
            yield f"  - `--option {key}=...`: {meaning}"


def page() -> str:
    lines = [HEAD.rstrip()]
    for title, metrics in SECTIONS:
        lines.append(f"\n## {title}\n")
        for _, group in groupby(metrics, key=lambda m: (m.source, m.differs)):
            lines += family(list(group))
    lines += formats()
    text = "\n".join(line.rstrip(" ") if line == "" else line for line in lines)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.rstrip() + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(PATH.read_text(encoding="utf-8") != page())
    PATH.write_text(page(), encoding="utf-8")
