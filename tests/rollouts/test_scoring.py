import pytest

from coepg.errors import InfrastructureError
from coepg.rewards.plan_reward import RewardSettings
from coepg.rollouts.scoring import ground_elements, score_plans
from coepg.types import Box, Grounding, Plan, Point, Screenshot, Size, Step

SETTINGS = RewardSettings(weighting="uniform", confidence="none")


def step(step_id="a/0", action_type="click", value=None, box=(0, 0, 10, 10)):
    return Step(
        step_id=step_id,
        episode_id="a",
        task_name="t",
        split="train",
        step_index=0,
        num_steps=1,
        instruction="do",
        history=(),
        screenshot=Screenshot("h", Size(100, 100)),
        action_type=action_type,
        value=value,
        target_box_px=Box(*box) if box else None,
    )


class Fixed:
    """A grounder that always points at one place and counts what it is asked."""

    def __init__(self, x, y):
        self.name = "fixed"
        self.point = Point(x, y)
        self.asked = []

    def ground(self, requests):
        self.asked += [e for r in requests for e in r.elements]
        return [[Grounding(self.point, (-0.1,)) for _ in r.elements] for r in requests]


class Down:
    name = "down"

    def ground(self, requests):
        raise InfrastructureError("server is down")


def test_votes_are_weighed_and_repeats_asked_once():
    hit, miss = Fixed(5, 5), Fixed(50, 50)
    plans = [[Plan("ok", "click"), Plan("ok", "click"), Plan("other", "click")]]
    ((a, b, c),) = score_plans({"hit": hit, "miss": miss}, [step()], plans, SETTINGS)
    assert a.total == b.total == c.total == pytest.approx(0.5)
    assert hit.asked == ["ok", "other"]


def test_gated_plans_cost_no_grounding():
    member = Fixed(5, 5)
    plans = [[Plan("ok", "type", "x"), None, Plan("ok", "hover")]]
    (rewards,) = score_plans({"m": member}, [step()], plans, SETTINGS)
    assert [r.total for r in rewards] == [0.0, 0.0, 0.0]
    assert member.asked == []


def test_a_plan_without_words_earns_nothing_though_a_grounder_would_hit():
    member = Fixed(5, 5)
    plans = [[Plan('"', "click"), Plan("...", "click"), Plan("K", "click")]]
    (rewards,) = score_plans({"m": member}, [step()], plans, SETTINGS)
    assert [r.total for r in rewards] == [0.0, 0.0, 1.0]
    assert member.asked == ["K"]


def test_a_member_that_is_down_is_left_out_and_its_weight_shared():
    plans = [[Plan("ok", "click")]]
    ((reward,),) = score_plans({"up": Fixed(5, 5), "down": Down()}, [step()], plans, SETTINGS)
    assert reward.total == 1.0
    assert reward.weights == {"up": 1.0}


def test_all_members_down_is_a_fault_and_never_a_reward_of_zero():
    with pytest.raises(InfrastructureError, match="server is down"):
        score_plans({"a": Down(), "b": Down()}, [step()], [[Plan("ok", "click")]], SETTINGS)


def test_actions_without_a_target_need_no_members():
    scroll = step(action_type="scroll", value="down", box=None)
    ((right, wrong),) = score_plans(
        {"m": Down()},
        [scroll],
        [[Plan(None, "scroll", "down"), Plan(None, "scroll", "up")]],
        SETTINGS,
    )
    assert right.total == 1.0
    assert wrong.total == 0.0


def test_answers_keep_the_order_of_steps():
    left, right = step("a/0"), step("b/0")
    answers = ground_elements({"m": Fixed(1, 2)}, [left, right], [[], ["x"]])
    assert answers[0] == {}
    assert answers[1]["x"]["m"].point_px == Point(1, 2)
