from coepg.train.arguments import last_checkpoint
from coepg.train.grpo import StepOrder


def rounds(order, num_prompts):
    return [
        [order[i] for i in range(u, u + num_prompts)] for u in range(0, len(order), num_prompts)
    ]


def test_the_updates_of_a_round_share_its_steps_and_every_step_has_its_turn():
    order = StepOrder(list(range(12)), num_rounds=4, num_prompts=3, num_iterations=2, seed=0)
    drawn = rounds(order, 3)
    assert len(drawn) == 8
    assert drawn[0::2] == drawn[1::2]
    assert sorted(sum(drawn[0::2], [])) == list(range(12))


def test_equal_seeds_draw_equally_and_others_do_not():
    a, b, c = (StepOrder(list(range(30)), 5, 3, 1, seed) for seed in (1, 1, 2))
    assert rounds(a, 3) == rounds(b, 3) != rounds(c, 3)


def test_half_written_checkpoints_are_dropped(tmp_path):
    for step, state in ((10, "{}"), (20, '{"global_step"'), (30, None)):
        folder = tmp_path / "checkpoints" / f"checkpoint-{step}"
        folder.mkdir(parents=True)
        if state is not None:
            (folder / "trainer_state.json").write_text(state)
    assert last_checkpoint(tmp_path) == str(tmp_path / "checkpoints" / "checkpoint-10")
    assert not (tmp_path / "checkpoints" / "checkpoint-20").exists()
