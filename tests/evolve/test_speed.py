from coepg.evolve.speed import STAGE_COLUMNS, stage_rows, stage_table

LOG = [
    {"iteration": 0, "stage": "data", "stage_seconds": 1.0},
    {"iteration": 1, "stage": "grpo", "sample_s": 2.0, "idle_share": 0.2, "loss": 1.0},
    {"iteration": 1, "stage": "grpo", "sample_s": 3.0, "idle_share": 0.4, "padding_share": 0.1},
    {"iteration": 1, "stage": "grpo", "stage_seconds": 7.0},
]


def test_times_add_up_and_speeds_are_averaged_where_they_were_logged():
    data, grpo = stage_rows(LOG)
    assert tuple(data) == tuple(grpo) == STAGE_COLUMNS
    assert (data["share"], data["num_updates"], data["sample_s"]) == (0.125, "", "")
    assert (grpo["sample_s"], grpo["num_updates"]) == (5.0, 2)
    assert abs(grpo["idle_share"] - 0.3) < 1e-12 and grpo["padding_share"] == 0.1


def test_the_slowest_stage_stands_first():
    text = stage_table(stage_rows(LOG))
    assert text.index("grpo") < text.index("data") and "87.5 %" in text
