from coepg.models.base import ActorRollout
from coepg.train.actor_rewards import actor_reward
from coepg.types import Box, Plan, Point, Rollout, Screenshot, Size, Step


def gold(action_type="click", value=None, box=Box(0, 0, 10, 10)):  # noqa: B008
    return Step(
        "a/0", "a", "t", "train", 0, 1, "do", (), Screenshot("h", Size(50, 50)), action_type,
        value, box,
    )  # fmt: skip


def acted(plan, point=None):
    return ActorRollout(Rollout("a/0", 0, "", plan, (), ()), point)


def test_point_and_gates_decide():
    inside, outside = Point(5, 5), Point(20, 20)
    assert actor_reward(acted(Plan(None, "click"), inside), gold(), 0.5).total == 1.0
    assert actor_reward(acted(Plan(None, "click"), outside), gold(), 0.5).total == 0.0
    assert actor_reward(acted(Plan(None, "type", "x"), inside), gold(), 0.5).total == 0.0
    assert actor_reward(acted(Plan(None, "click"), None), gold(), 0.5).total == 0.0
    assert actor_reward(acted(None), gold(), 0.5).total == 0.0


def test_without_a_target_the_gates_are_enough():
    step = gold("scroll", "down", None)
    assert actor_reward(acted(Plan(None, "scroll", "down")), step, 0.5).total == 1.0
    assert actor_reward(acted(Plan(None, "scroll", "up")), step, 0.5).total == 0.0
