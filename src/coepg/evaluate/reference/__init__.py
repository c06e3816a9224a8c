"""Published numbers, to stand beside one's own; see docs/how-to/compare.md.

for row in reference_rows("multimodal_mind2web", split="cross_task", metric="step_sr"):
    print(row.model, row.value, row.source, row.comparison_note(own_protocol))
"""

from coepg.evaluate.reference.rows import (
    ReferenceRow,
    benchmarks,
    load_reference,
    reference_rows,
)

__all__ = ["ReferenceRow", "benchmarks", "load_reference", "reference_rows"]
