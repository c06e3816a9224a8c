"""What each kind of stage does: bootstrap and enhance data, SFT, GRPO, evaluate."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.autograd.profiler import record_function

from coepg.data.chunks import chunk
from coepg.data.plans import PlanRecord, plans_by_step, read_plans, write_plans
from coepg.evaluate.agent import Evaluation, Store, evaluate_actor, evaluate_pair
from coepg.evolve.console import Report
from coepg.evolve.context import Context
from coepg.evolve.enhance import propose, verify
from coepg.evolve.members import Members
from coepg.models.base import Sampling
from coepg.models.local import LocalActor, LocalModel, save_local
from coepg.models.prompts import Prompt
from coepg.rollouts.scoring import score_rollouts
from coepg.train.actor_rewards import actor_rollouts
from coepg.train.grpo import Sampler, run_grpo
from coepg.train.sft import run_sft
from coepg.train.trees import (
    Example,
    act_prompt,
    actor_example,
    grounder_example,
    planner_example,
    step_prompt,
)
from coepg.types import Rollout, Step

Generation = Sequence[tuple[str, Path]]
"""Trained models in a pool: (member name, model folder)."""


def enhance_data(
    context: Context,
    planners: Generation,
    grounders: Generation,
    previous_dir: Path | None,
    work_dir: Path,
    report: Report,
) -> dict[str, Any]:
    """Write and verify the plans of one dataset D_k.

    Args:
        context: of the run.
        planners: trained planners in the pool.
        grounders: trained grounders in the pool.
        previous_dir: the folder of D_{k-1}, whose answers are not asked for again.
        work_dir: of the stage.
        report: progress.
    """
    members = Members(context)
    steps = context.train_steps
    pools = context.recipe.pools
    writers = members.writers(planners)
    num_units = (len(writers) + 1) * len(steps)
    proposals, unparsed = propose(
        writers, steps, work_dir, lambda d, t: report(d, num_units), previous_dir
    )
    written = len(writers) * len(steps)
    records = verify(
        members.verifiers(grounders), steps, proposals, pools, work_dir,
        lambda d, t: report(written + d, num_units), previous_dir,
    )  # fmt: skip
    write_plans(work_dir, records)
    return data_record(steps, proposals, records) | {"unparsed": unparsed}


def data_record(
    steps: Sequence[Step], proposals: Sequence[Sequence[Any]], records: Sequence[PlanRecord]
) -> dict[str, Any]:
    """Counts of a dataset: what was written, kept, by whom, verified by whom."""
    num_written = sum(len(row) for row in proposals)
    by_writer: dict[str, int] = {}
    by_voter: dict[str, int] = {}
    for r in records:
        by_writer[r.writer] = by_writer.get(r.writer, 0) + 1
        for voter in r.voters:
            by_voter[voter] = by_voter.get(voter, 0) + 1
    covered = len({r.step_id for r in records})
    return {
        "num_steps": len(steps),
        "num_steps_with_plans": covered,
        "num_distinct_plans_written": num_written,
        "num_plans_kept": len(records),
        "plans_per_step": len(records) / max(1, len(steps)),
        "kept_by_writer": by_writer,
        "votes_by_verifier": by_voter,
    }


def _examples(
    context: Context, local: LocalModel, role: str, data_dir: Path | None
) -> list[Example]:
    if role == "actor":
        return [actor_example(local, s, context.observation) for s in context.train_steps]
    assert data_dir is not None
    grouped = plans_by_step(read_plans(data_dir))
    rows: list[Example | None] = []
    for step in context.train_steps:
        records = grouped.get(step.step_id)
        if not records:
            continue
        if role == "planner":
            rows.append(planner_example(local, step, records, context.observation))
        else:
            rows.append(grounder_example(local, step, records))
    return [row for row in rows if row is not None]


def fine_tune(
    context: Context,
    role: str,
    start: Path | None,
    data_dir: Path | None,
    budget_factor: float,
    work_dir: Path,
    report: Report,
) -> dict[str, Any]:
    """SFT of the planner, the grounder, or the end-to-end actor; the model goes to ``model/``.

    Args:
        context: of the run.
        role: ``planner``, ``grounder`` or ``actor``.
        start: model folder to start from; None: the recipe's base.
        data_dir: the plan table D_{k-1}; None for the actor, which learns from gold actions.
        budget_factor: multiplies the recipe's epochs or updates (the end-to-end actor gets the
            budget of planner and grounder together).
        work_dir: of the stage.
        report: progress.
    """
    base = "grounder" if role == "grounder" else "planner"
    local = context.load(start) if start is not None else context.load_base(base)
    config = context.recipe.sft_of("grounder" if role == "grounder" else "planner")
    longer: dict[str, Any] = {"num_epochs": config.num_epochs * budget_factor}
    if config.max_steps is not None:
        longer["max_steps"] = round(config.max_steps * budget_factor)
    config = config.model_copy(update=longer)
    examples = _examples(context, local, role, data_dir)
    seed = context.seed("sft", role, work_dir.name)
    log = run_sft(
        local, context.table, examples, config, context.recipe.run, context.recipe.finetune,
        work_dir, seed=seed, progress=report,
    )  # fmt: skip
    save_local(local, work_dir / "model")
    write_log(work_dir, log)
    return {"num_examples": len(examples), "num_updates": len(log)}


def reinforce_planner(
    context: Context, planner_dir: Path, grounder_dir: Path, work_dir: Path, report: Report
) -> dict[str, Any]:
    """GRPO of the planner with the ensemble's reward."""
    local, reference = context.load(planner_dir), _reference(context, planner_dir)
    members = Members(context)
    ensemble = members.ensemble(context.load(grounder_dir))
    planner = members.trained_planner(local)
    grpo = context.recipe.grpo
    settings = members.reward_settings()

    def sampler(steps: Sequence[Step], seed: int) -> list[list[Rollout]]:
        sampling = Sampling(
            grpo.num_generations, grpo.temperature, grpo.max_completion_tokens, seed
        )
        with record_function("grpo.rollout"):
            answers = planner.plan(steps, sampling)
        with record_function("grpo.reward"):
            return score_rollouts(ensemble, steps, answers, settings)

    return _reinforce(
        context, local, reference, sampler,
        lambda step: step_prompt(local, step, context.observation), work_dir, report,
    )  # fmt: skip


def reinforce_actor(
    context: Context, actor_dir: Path, work_dir: Path, report: Report
) -> dict[str, Any]:
    """GRPO of the end-to-end baseline: 1 if type and value pass their gates and the point hits."""
    local, reference = context.load(actor_dir), _reference(context, actor_dir)
    grpo = context.recipe.grpo
    actor = LocalActor(local, context.table, context.observation)

    def sampler(steps: Sequence[Step], seed: int) -> list[list[Rollout]]:
        sampling = Sampling(
            grpo.num_generations, grpo.temperature, grpo.max_completion_tokens, seed
        )
        return actor_rollouts(actor.act(steps, sampling), steps, grpo.value_f1_threshold)

    return _reinforce(
        context, local, reference, sampler,
        lambda step: act_prompt(local, step, context.observation), work_dir, report,
    )  # fmt: skip


def _reinforce(
    context: Context,
    local: LocalModel,
    reference: Any,
    sampler: Sampler,
    prompt_of: Callable[[Step], Prompt],
    work_dir: Path,
    report: Report,
) -> dict[str, Any]:
    def prompt_tree(step: Step) -> tuple[list[int], torch.Tensor, torch.Tensor]:
        picture = context.table.image(step.screenshot.image_hash)
        pixel_values, grid, _ = local.encode_image(picture)
        return local.prompt_ids(prompt_of(step), grid), pixel_values, grid

    log = run_grpo(
        local, reference, context.train_steps, sampler, prompt_tree, context.recipe.grpo,
        context.recipe.run, context.recipe.finetune, work_dir,
        seed=context.seed("grpo", work_dir.name), progress=report,
    )  # fmt: skip
    save_local(local, work_dir / "model")
    write_log(work_dir, log)
    return {"num_updates": len(log)}


def _reference(context: Context, folder: Path) -> Any:
    """The frozen SFT model for the KL term, or None if there is none."""
    if context.recipe.grpo.kl_beta == 0:
        return None
    model = context.load(folder).model.eval()
    model.requires_grad_(False)
    return model


def evaluate(
    context: Context,
    planner_dir: Path,
    grounder_dir: Path | None,
    work_dir: Path,
    report: Report,
    *,
    members: Members | None = None,
    without_text: bool = False,
    sampled: bool = True,
) -> dict[str, Any]:
    """Score an agent on every evaluation split; ``grounder_dir`` None means end to end.

    Predictions go to ``predictions-<split>.jsonl``.
    """
    members = members or Members(context)
    config = context.recipe.evaluate
    local = context.load(planner_dir)
    trained = context.load(grounder_dir) if grounder_dir is not None else None
    record: dict[str, Any] = {}
    for done, (split, steps) in enumerate(context.eval_steps.items()):
        report(done, len(context.eval_steps))
        if without_text:
            steps = [_without_text(s) for s in steps]
        store = _store(work_dir, split)
        if trained is None:
            actor = LocalActor(local, members.images, context.observation)
            result = evaluate_actor(
                actor,
                steps,
                max_tokens=config.max_completion_tokens,
                seed=context.seed("eval"),
                store=store,
            )
        else:
            result = evaluate_pair(
                members.trained_planner(local), members.trained_grounder(trained), steps,
                max_tokens=config.max_completion_tokens,
                num_sampled_plans=config.num_sampled_plans if sampled else 0,
                temperature=config.sampling_temperature, seed=context.seed("eval"), store=store,
            )  # fmt: skip
        write_predictions(work_dir / f"predictions-{split}.jsonl", result)
        record[split] = {
            name: [e.value, e.n, e.low, e.high] for name, e in result.estimates.items()
        }
    report(len(context.eval_steps), len(context.eval_steps))
    return record


def _store(work_dir: Path, split: str) -> Store:
    return lambda name, make: chunk(work_dir, f"{split}-{name}", make)


def _without_text(step: Step) -> Step:
    from dataclasses import replace

    return replace(step, screen_text=())


def write_predictions(path: Path, result: Evaluation) -> None:
    """One JSON line per step: the answer, the point, the verdict."""
    with path.open("w", encoding="utf-8") as file:
        for prediction in result.predictions:
            file.write(json.dumps(prediction.to_record(), ensure_ascii=False) + "\n")


def write_log(work_dir: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """The training log of a stage, one JSON line per update."""
    with (work_dir / "log.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")
