"""Muon for the matrices of the blocks, AdamW for everything else, as one optimizer.

Muon (Jordan et al., 2024) orthogonalises the momentum of each matrix; with the update scaled to
AdamW's root mean square (``match_rms_adamw``, Liu et al., 2025) both parts share one schedule.

`torch.optim.Muon` always orthogonalises in bfloat16, for which many CPUs have no instructions:
there it took half the time of a whole training step. Here it is done in the matrices' own
precision, all matrices of one shape together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch

NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
NEWTON_SCHULZ_STEPS = 5


def orthogonalised(matrices: torch.Tensor) -> torch.Tensor:
    """The nearest orthogonal matrices, roughly: singular values become 0.7 to 1.2.

        X <- G / ||G||_F, then five times  X <- a X + (b A + c A A) X  with  A = X X^T

    (Jordan et al., 2024: a quintic Newton-Schulz iteration with a = 3.4445, b = -4.7750,
    c = 2.0315, chosen for the steepest slope at zero.)

    Args:
        matrices: ``(n, rows, columns)``.

    Returns:
        The same shape and type.
    """
    a, b, c = NEWTON_SCHULZ
    is_tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.transpose(1, 2) if is_tall else matrices
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    for _ in range(NEWTON_SCHULZ_STEPS):
        gram = x @ x.transpose(1, 2)
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.transpose(1, 2) if is_tall else x


class Muon(torch.optim.Optimizer):
    """Momentum, orthogonalised, in the precision of the parameters.

        M <- mu M + (1 - mu) g,   W <- W - 0.2 lr sqrt(max(rows, columns)) O((1 - mu) g + mu M)

    Args:
        matrices: 2-D parameters.
        lr: learning rate, on AdamW's scale.
        momentum: mu.
    """

    def __init__(
        self, matrices: Iterable[torch.nn.Parameter], lr: float, momentum: float = 0.95
    ) -> None:
        super().__init__(matrices, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """One step of all matrices that have a gradient."""
        for group in self.param_groups:
            by_shape: dict[tuple[torch.Size, torch.device], list[torch.nn.Parameter]] = defaultdict(
                list
            )
            for parameter in group["params"]:
                if parameter.grad is not None:
                    by_shape[parameter.shape, parameter.device].append(parameter)
            for (shape, _), same in by_shape.items():
                moved = torch.stack([self._momentum(p, group["momentum"]) for p in same])
                rate = 0.2 * group["lr"] * max(shape) ** 0.5
                for parameter, direction in zip(same, orthogonalised(moved), strict=True):
                    parameter.add_(direction, alpha=-rate)

    def _momentum(self, parameter: torch.nn.Parameter, momentum: float) -> torch.Tensor:
        """Nesterov's look-ahead, after the gradient has entered the momentum."""
        gradient = parameter.grad
        assert gradient is not None
        state = self.state[parameter]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(gradient)
        buffer: torch.Tensor = state["momentum_buffer"].lerp_(gradient, 1 - momentum)
        return gradient.lerp(buffer, momentum)


class MuonAdamW(torch.optim.Optimizer):
    """Two optimizers behind one interface, so that schedulers and checkpoints see one.

    Args:
        model: its 2-D weights outside embeddings go to Muon, all other parameters to AdamW.
        muon_learning_rate: peak rate of the matrices.
        adamw_learning_rate: peak rate of the rest.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        muon_learning_rate: float,
        adamw_learning_rate: float,
    ) -> None:
        matrices: list[torch.nn.Parameter] = []
        rest: list[torch.nn.Parameter] = []
        for name, parameter in model.named_parameters():
            is_matrix = parameter.dim() == 2 and "embed" not in name and "lm_head" not in name
            (matrices if is_matrix else rest).append(parameter)
        self.muon = Muon(matrices, muon_learning_rate)
        self.adamw = torch.optim.AdamW(
            rest, lr=adamw_learning_rate, betas=(0.9, 0.98), weight_decay=0
        )
        super().__init__(matrices + rest, {})
        self.param_groups = self.muon.param_groups + self.adamw.param_groups

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """One step of both."""
        self.muon.step()
        self.adamw.step()

    def state_dict(self) -> dict[str, Any]:
        """The states of both."""
        return {"muon": self.muon.state_dict(), "adamw": self.adamw.state_dict()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore both."""
        self.muon.load_state_dict(state_dict["muon"])
        self.adamw.load_state_dict(state_dict["adamw"])
        self.param_groups = self.muon.param_groups + self.adamw.param_groups
