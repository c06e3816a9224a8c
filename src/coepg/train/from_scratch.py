"""What every training from scratch shares: Muon, a fixed order, and the order itself."""

from __future__ import annotations

from collections.abc import Sized
from functools import lru_cache
from typing import Any, cast

import numpy as np
import torch
from torch.utils.data import SequentialSampler

from coepg.train.muon import MuonAdamW
from coepg.train.throughput import MeteredTrainer


class FromScratchTrainer(MeteredTrainer):
    """The Hugging Face Trainer with Muon, and with the order that its dataset gives.

    Attributes:
        learning_rates: peaks of Muon and AdamW; set before training.
    """

    learning_rates: tuple[float, float]

    def _get_train_sampler(self, train_dataset: Any = None) -> SequentialSampler:
        return SequentialSampler(cast(Sized, train_dataset or self.train_dataset))

    def create_optimizer(self, *args: Any, **kwargs: Any) -> torch.optim.Optimizer:
        """Muon for the matrices, AdamW for the rest."""
        if self.optimizer is None:
            assert isinstance(self.model, torch.nn.Module)
            self.optimizer = MuonAdamW(self.model, *self.learning_rates)
        return self.optimizer


@lru_cache(maxsize=4)
def epoch_order(seed: int, stream: int, epoch: int, size: int) -> np.ndarray:
    """The order of ``size`` things in an epoch; ``stream`` keeps purposes apart. Read only."""
    order = np.random.default_rng([seed, stream, epoch]).permutation(size)
    order.flags.writeable = False
    return order
