"""Muon for the matrices of the blocks, AdamW for everything else, as one optimizer.

Muon (Jordan et al., 2024) orthogonalises the momentum of each matrix; with the update scaled to
AdamW's root mean square (``match_rms_adamw``, Liu et al., 2025) both parts share one schedule.
"""

from __future__ import annotations

from typing import Any

import torch


class MuonAdamW(torch.optim.Optimizer):
    """Two optimizers behind one interface, so that schedulers and checkpoints see one.

    Args:
        model: its 2-D weights outside embeddings go to Muon, all other parameters to AdamW.
        muon_learning_rate: peak rate of the matrices.
        adamw_learning_rate: peak rate of the rest.
        weight_decay: of the matrices.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        muon_learning_rate: float,
        adamw_learning_rate: float,
        weight_decay: float = 0.0,
    ) -> None:
        matrices: list[torch.nn.Parameter] = []
        rest: list[torch.nn.Parameter] = []
        for name, parameter in model.named_parameters():
            is_matrix = parameter.dim() == 2 and "embed" not in name and "lm_head" not in name
            (matrices if is_matrix else rest).append(parameter)
        self.muon = torch.optim.Muon(
            matrices,
            lr=muon_learning_rate,
            momentum=0.95,
            weight_decay=weight_decay,
            adjust_lr_fn="match_rms_adamw",
        )
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
