"""Reading the text on a picture with RapidOCR (ONNX, offline, CPU)."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from coepg.errors import InfrastructureError
from coepg.types import Box, ScreenText, TextSource

UPSCALE = 3
"""Small screens are enlarged first: text of 10 px is too small for the recogniser."""


class TextReader:
    """Finds and reads text. Loads its models on first use.

    Args:
        upscale: how much to enlarge a picture before reading it.
        threads: CPU threads of the models.
        min_score: leave out what the recogniser is less sure of.
    """

    def __init__(self, *, upscale: int = UPSCALE, threads: int = 1, min_score: float = 0.5) -> None:
        self.upscale = upscale
        self.threads = threads
        self.min_score = min_score
        self._engine: Any = None

    def read(self, picture: Image.Image) -> tuple[ScreenText, ...]:
        """The lines of text on a picture, top to bottom, with boxes in its own pixels."""
        large = picture.convert("RGB").resize(
            (picture.width * self.upscale, picture.height * self.upscale), Image.Resampling.BICUBIC
        )
        result = self._loaded()(np.asarray(large)[:, :, ::-1], use_cls=False)
        if result.txts is None:
            return ()
        pieces = zip(result.txts, result.boxes, result.scores, strict=True)
        return tuple(
            ScreenText(text, self._box(corners, picture), TextSource.OCR, score=float(score))
            for text, corners, score in pieces
            if text.strip() and score >= self.min_score
        )

    def _box(self, corners: Any, picture: Image.Image) -> Box:
        low, high = corners.min(axis=0) / self.upscale, corners.max(axis=0) / self.upscale
        x0, x1 = (min(max(round(float(v), 1), 0.0), picture.width) for v in (low[0], high[0]))
        y0, y1 = (min(max(round(float(v), 1), 0.0), picture.height) for v in (low[1], high[1]))
        return Box(x0, y0, x1, y1)

    def _loaded(self) -> Any:
        if self._engine is None:
            try:
                from rapidocr import RapidOCR
            except ImportError as error:
                raise InfrastructureError(
                    "RapidOCR is not installed: pip install 'coepg[ocr]'"
                ) from error
            self._engine = RapidOCR(
                params={
                    "Global.log_level": "error",
                    "Global.text_score": self.min_score,
                    "Det.limit_type": "max",
                    "Det.limit_side_len": 4096,
                    "EngineConfig.onnxruntime.intra_op_num_threads": self.threads,
                    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                }
            )
        return self._engine
