"""Encoded pictures, kept for the next question on the same screen."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

import torch

from coepg.models.base import ImageStore
from coepg.models.local.load import LocalModel

DEFAULT_CACHE_BYTES = 256 * 2**20
"""Enough for 800 screens of 160 x 160 px, or for 5 of 1920 x 1080 px."""


@dataclass(slots=True)
class EncodedPictures:
    """Patches by content hash; the least recently used go first.

    Attributes:
        local: whose picture processor encodes.
        images: where pictures come from.
        max_bytes: of all kept patches together.
        num_bytes: kept now.
    """

    local: LocalModel
    images: ImageStore
    max_bytes: int = DEFAULT_CACHE_BYTES
    num_bytes: int = 0
    _kept: OrderedDict[str, tuple[torch.Tensor, torch.Tensor]] = field(default_factory=OrderedDict)

    def __call__(self, image_hash: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Patches and patch grid of a picture."""
        if image_hash in self._kept:
            self._kept.move_to_end(image_hash)
            return self._kept[image_hash]
        pixel_values, grid, _ = self.local.encode_image(self.images.image(image_hash))
        self._kept[image_hash] = (pixel_values, grid)
        self.num_bytes += pixel_values.nbytes
        while self.num_bytes > self.max_bytes and len(self._kept) > 1:
            _, (oldest, _) = self._kept.popitem(last=False)
            self.num_bytes -= oldest.nbytes
        return pixel_values, grid
