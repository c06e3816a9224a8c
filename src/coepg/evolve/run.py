"""``coepg evolve``: the whole loop, top to bottom.

    D_0  <- pool
    for k in 1..K:
        planner_k, grounder_k <- SFT on D_{k-1}
        planner'_k            <- GRPO of planner_k, rewarded by {grounder_k, other members}
        D_k                   <- pool + {planner'_k, planner'_{k-1}}, {grounder_k, grounder_{k-1}}

Every arrow is a stage (`coepg.evolve.stage`): done once, found again by the next start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock, Timeout
from transformers.utils import logging as transformers_logging

from coepg.config.recipe import Recipe
from coepg.errors import ConfigError
from coepg.evolve import work
from coepg.evolve.console import Report, RunConsole
from coepg.evolve.context import BlankImages, Context
from coepg.evolve.members import Members
from coepg.evolve.outputs import write_outputs
from coepg.evolve.provenance import write_provenance
from coepg.evolve.stage import Stage, run_stage
from coepg.train.arguments import drop_checkpoints

Work = Callable[[Path, Report], Mapping[str, Any]]


class Run:
    """One run: names the stages, hands them their inputs, and runs them in order."""

    def __init__(
        self, recipe: Recipe, run_dir: Path, console: RunConsole, reuse: Sequence[Path] = ()
    ) -> None:
        self.recipe = recipe
        self.reuse = [other / "stages" for other in reuse]
        self.run_dir = run_dir
        self.console = console
        self.context = Context.open(recipe, run_dir)
        self.stages: dict[str, Stage] = {}

    def stage(self, name: str, inputs: list[Any], do: Work) -> Stage:
        """Run one stage under its progress bar, or find it done."""

        def work_in(folder: Path) -> Mapping[str, Any]:
            with self.console.stage(name) as report:
                return do(folder, report)

        def announce(name: str, is_done: bool) -> None:
            if is_done:
                self.console.say(f"{name}: found done")

        recipe = self.recipe
        everywhere = [recipe.run.seed, recipe.run.dtype, self.context.data_fingerprint]
        everywhere.append(self.context.models_fingerprint)
        stages_dir = self.run_dir / "stages"
        self.stages[name] = run_stage(
            stages_dir, name, [*everywhere, *inputs], work_in, announce, self.reuse
        )
        drop_checkpoints(self.stages[name].folder)
        return self.stages[name]

    def settings(self, *sections: str) -> list[Any]:
        """Sections of the recipe, as inputs of a stage."""
        return [self.recipe.model_dump(mode="json")[s] for s in sections]

    def data(
        self,
        k: int,
        planners: work.Generation,
        grounders: work.Generation,
        previous: Stage | None = None,
    ) -> Stage:
        """D_k."""
        generations = [[n for n, _ in planners], [n for n, _ in grounders]]
        inputs = [*self.settings("models", "pools", "data"), generations, *self._marks(k)]
        inputs.append(previous.fingerprint if previous else "first")
        inputs.append(self.recipe.grpo.max_completion_tokens)
        return self.stage(
            f"{k:02d}-6-data" if k else "00-data",
            inputs,
            lambda folder, report: work.enhance_data(
                self.context,
                planners,
                grounders,
                previous.folder if previous else None,
                folder,
                report,
            ),
        )

    def _marks(self, k: int) -> list[str]:
        """Fingerprints of the stages that made the trained members of D_k."""
        recent = [f"{i:02d}-" for i in range(max(1, k - 1), k + 1)]
        return [s.fingerprint for n, s in self.stages.items() if n[:3] in recent]

    def sft(self, k: int, role: str, start: Stage | None, data: Stage | None) -> Stage:
        """SFT of one model in iteration k."""
        inputs = [
            *self.settings("models", "sft", "sft_grounder", "finetune", "data"),
            start.fingerprint if start else "base",
            data.fingerprint if data else "gold",
        ]
        number = {"planner": 1, "grounder": 2, "actor": 1}[role]
        return self.stage(
            f"{k:02d}-{number}-sft-{role}",
            inputs,
            lambda folder, report: work.fine_tune(
                self.context,
                role,
                start.folder / "model" if start else None,
                data.folder if data else None,
                # The end-to-end model gets the updates of planner and grounder together.
                2.0 if role == "actor" else 1.0,
                folder,
                report,
            ),
        )

    def evaluate(self, name: str, planner: Stage, grounder: Stage | None, **options: Any) -> Stage:
        """Score an agent."""
        inputs = [*self.settings("evaluate", "data"), planner.fingerprint]
        inputs += [grounder.fingerprint if grounder else "end-to-end", sorted(options)]
        return self.stage(
            name,
            inputs,
            lambda folder, report: work.evaluate(
                self.context,
                planner.folder / "model",
                grounder.folder / "model" if grounder else None,
                folder,
                report,
                **options,
            ),
        )

    def grpo(self, k: int, planner: Stage, grounder: Stage | None) -> Stage:
        """GRPO of the planner (or of the end-to-end model, without a grounder)."""
        inputs = [
            *self.settings("models", "grpo", "finetune", "cdrem", "data"),
            planner.fingerprint,
        ]
        inputs.append(grounder.fingerprint if grounder else "end-to-end")

        def do(folder: Path, report: Report) -> Mapping[str, Any]:
            start = planner.folder / "model"
            if grounder is None:
                return work.reinforce_actor(self.context, start, folder, report)
            return work.reinforce_planner(
                self.context, start, grounder.folder / "model", folder, report
            )

        return self.stage(f"{k:02d}-4-grpo", inputs, do)

    def pair_loop(self) -> None:
        """The Co-EPG loop (module docstring)."""
        evolve, keep = self.recipe.evolve, self.recipe.pools.keep_generations
        planners: list[tuple[str, Path]] = []
        grounders: list[tuple[str, Path]] = []
        data = self.data(0, [], [])
        planner: Stage | None = None
        grounder: Stage | None = None
        is_warm = self.recipe.sft.init == "previous"
        for k in range(1, evolve.num_iterations + 1):
            sft_planner = self.sft(k, "planner", planner if is_warm else None, data)
            grounder = self.sft(k, "grounder", grounder if is_warm else None, data)
            planner = sft_planner
            if "sft" in evolve.arms:
                self.evaluate(f"{k:02d}-3-eval-sft", sft_planner, grounder)
            if evolve.grpo_enabled:
                planner = self.grpo(k, sft_planner, grounder)
                if "grpo" in evolve.arms:
                    self.evaluate(f"{k:02d}-5-eval-grpo", planner, grounder)
            planners = [*planners, (f"planner-{k}", planner.folder / "model")][-keep:]
            grounders = [*grounders, (f"grounder-{k}", grounder.folder / "model")][-keep:]
            if k < evolve.num_iterations:
                data = self.data(k, planners, grounders, data)
        assert planner is not None and grounder is not None
        self.probes(evolve.num_iterations, planner, grounder)

    def probes(self, k: int, planner: Stage, grounder: Stage) -> None:
        """The last agent without looking, and without the screen's text."""
        if self.recipe.evaluate.blank_image:
            blank = Members(self.context, BlankImages(self.context.table))
            self.evaluate(f"{k:02d}-7-eval-blank", planner, grounder, members=blank, sampled=False)
        has_text = self.recipe.data.observation.screen_text != "none"
        if self.recipe.evaluate.without_text and has_text:
            self.evaluate(
                f"{k:02d}-8-eval-no-text", planner, grounder, without_text=True, sampled=False
            )

    def end_to_end_loop(self) -> None:
        """The baseline: one model that answers with action and point, no plans, no new data."""
        evolve = self.recipe.evolve
        actor: Stage | None = None
        is_warm = self.recipe.sft.init == "previous"
        for k in range(1, evolve.num_iterations + 1):
            sft_actor = actor = self.sft(k, "actor", actor if is_warm else None, None)
            if "sft" in evolve.arms:
                self.evaluate(f"{k:02d}-3-eval-sft", sft_actor, None)
            if evolve.grpo_enabled:
                actor = self.grpo(k, sft_actor, None)
                if "grpo" in evolve.arms:
                    self.evaluate(f"{k:02d}-5-eval-grpo", actor, None)


def evolve(
    recipe: Recipe,
    run_dir: Path,
    console: RunConsole | None = None,
    reuse: Sequence[Path] = (),
) -> Path:
    """Run a recipe to its end, or continue it, and write metrics and report.

    Args:
        recipe: all settings.
        run_dir: the run folder; made if it is not there. One process at a time.
        console: where progress goes.
        reuse: run folders whose finished stages are copied where they were made from the same
            settings, data, weights and seed (the arms of a comparison share their beginning).

    Returns:
        The path of report.html.

    Raises:
        ConfigError: the folder belongs to another recipe, or another process works in it.
    """
    console = console or RunConsole()
    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()
    run_dir.mkdir(parents=True, exist_ok=True)
    if recipe.run.num_threads:
        torch.set_num_threads(recipe.run.num_threads)
    lock = FileLock(run_dir / ".lock", timeout=0)
    try:
        with lock:
            run = Run(recipe, run_dir, console, reuse)
            write_provenance(recipe, run_dir)
            if recipe.evolve.agent == "pair":
                run.pair_loop()
            else:
                run.end_to_end_loop()
            return write_outputs(run.context, run.stages, console)
    except Timeout:
        raise ConfigError(
            str(run_dir), found="another process is working in this run folder",
            expected="one at a time", fix="wait for it, or choose another --run folder",
        ) from None  # fmt: skip
