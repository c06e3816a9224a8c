"""Features of a frozen vision tower, computed once per picture and kept on disk.

Where the tower does not move, every epoch, every iteration and the reference model would compute
the same features of the same screenshots again. The cache stands in front of the tower: known
pictures are read, the others go through the tower together. Keys are hashes of the pixels, their
grid, the tower's weights and the number format, so a file can never be stale.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

Features = dict[str, torch.Tensor]
"""``merged`` and one ``deepstack.N`` per deepstack layer: ``(merged tokens, width)`` each."""


def weights_key(tower: nn.Module) -> str:
    """A hash of every weight of a tower."""
    digest = hashlib.blake2b(digest_size=16)
    for name, tensor in sorted(tower.state_dict().items()):
        digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
        digest.update(_bytes(tensor))
    return digest.hexdigest()


def _bytes(tensor: torch.Tensor) -> bytes:
    return tensor.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes()


class VisionCache:
    """Files of features, the least recently used ones deleted where they outgrow their room.

    Args:
        folder: made if it is not there; several processes may share it.
        max_bytes: room on disk.

    Attributes:
        num_hits, num_misses: pictures found and computed so far.
    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self.folder = folder
        self.max_bytes = max_bytes
        self.num_hits = self.num_misses = 0
        folder.mkdir(parents=True, exist_ok=True)
        self._used = sum(p.stat().st_size for p in folder.glob("*.safetensors"))

    def get(self, key: str) -> Features | None:
        """What is stored under a key; a damaged file counts as not there."""
        path = self.folder / f"{key}.safetensors"
        try:
            features = load_file(path)
            os.utime(path)
        except (OSError, SafetensorError):
            self.num_misses += 1
            return None
        self.num_hits += 1
        return features

    def put(self, key: str, features: Features) -> None:
        """Store features. A full disk costs time, not the run: they are then computed again."""
        draft = self.folder / f".{key}.{os.getpid()}.tmp"
        path = self.folder / f"{key}.safetensors"
        try:
            save_file({n: t.detach().cpu().contiguous() for n, t in features.items()}, draft)
            os.replace(draft, path)
            self._used += path.stat().st_size
        except (OSError, SafetensorError):
            draft.unlink(missing_ok=True)
        if self._used > self.max_bytes:
            self._make_room()

    def _make_room(self) -> None:
        """Down to nine tenths of the room, oldest use first."""
        files = sorted((p.stat().st_mtime_ns, p.stat().st_size, p) for p in self._files())
        self._used = sum(size for _, size, _ in files)
        for _, size, path in files:
            if self._used <= 0.9 * self.max_bytes:
                break
            path.unlink(missing_ok=True)
            self._used -= size

    def _files(self) -> list[Path]:
        return [p for p in self.folder.glob("*.safetensors") if p.is_file()]

    @contextmanager
    def installed(self, model: Any) -> Iterator[None]:
        """Put the cache in front of a Qwen-VL model's vision tower, which must be frozen."""
        tower = model.model.visual
        if any(p.requires_grad for p in tower.parameters()):
            raise ValueError("the vision tower is trained: its features cannot be cached")
        plain = tower.forward
        key = weights_key(tower)

        def forward(pixels: torch.Tensor, grid_thw: torch.Tensor, **options: Any) -> Any:
            return self._forward(plain, tower, key, pixels, grid_thw, options)

        tower.forward = forward
        try:
            yield
        finally:
            del tower.forward  # the class's method shows again

    def _forward(
        self,
        plain: Any,
        tower: Any,
        tower_key: str,
        pixels: torch.Tensor,
        grid_thw: torch.Tensor,
        options: dict[str, Any],
    ) -> Any:
        pictures = pixels.split([int(n) for n in grid_thw.prod(dim=1)])
        dtype = torch.get_autocast_dtype(pixels.device.type) if torch.is_autocast_enabled(
            pixels.device.type) else pixels.dtype  # fmt: skip
        keys = [
            hashlib.blake2b(
                _bytes(p) + f"{g.tolist()}{dtype}{tower_key}".encode(), digest_size=16
            ).hexdigest()
            for p, g in zip(pictures, grid_thw, strict=True)
        ]
        found = [self.get(key) for key in keys]
        missing = [i for i, features in enumerate(found) if features is None]
        if missing:
            with torch.no_grad():
                output = plain(
                    torch.cat([pictures[i] for i in missing]), grid_thw[missing], **options
                )
            merge = int(tower.spatial_merge_size)
            sizes = [int(grid_thw[i].prod()) // merge**2 for i in missing]
            for i, features in zip(missing, _split(output, sizes), strict=True):
                found[i] = features
                self.put(keys[i], features)
        known = [{n: t.to(pixels.device) for n, t in f.items()} for f in found if f is not None]
        return _join(tower, known)


def _split(output: Any, sizes: list[int]) -> list[Features]:
    """One mapping a picture, from a tower's output for all of them."""
    parts = {"merged": output.pooler_output.split(sizes)}
    for n, layer in enumerate(getattr(output, "deepstack_features", None) or ()):
        parts[f"deepstack.{n}"] = layer.split(sizes)
    return [{name: part[i] for name, part in parts.items()} for i in range(len(sizes))]


def _join(tower: Any, features: list[Features]) -> Any:
    """A tower's output again. The unmerged states, which nothing reads, are left out."""
    merged = torch.cat([f["merged"] for f in features])
    names = sorted((n for n in features[0] if n != "merged"), key=lambda n: int(n[10:]))
    deepstack = [torch.cat([f[n] for f in features]) for n in names]
    if hasattr(tower, "deepstack_visual_indexes"):
        from transformers.models.qwen3_vl.modeling_qwen3_vl import (
            BaseModelOutputWithDeepstackFeatures,
        )

        return BaseModelOutputWithDeepstackFeatures(
            pooler_output=merged, deepstack_features=deepstack
        )
    from transformers.modeling_outputs import BaseModelOutputWithPooling

    return BaseModelOutputWithPooling(pooler_output=merged)
