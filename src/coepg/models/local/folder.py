"""Reading the files of a model folder, and saying what is wrong with them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from coepg.errors import ModelError

MEBIBYTE = 2**20
FORMAT_VERSION = 1
"""Version of ``coepg.json``."""

MODEL_CLASSES = {
    "qwen2_5_vl": "Qwen2_5_VLForConditionalGeneration",
    "qwen3_vl": "Qwen3VLForConditionalGeneration",
}
"""Classes of transformers by the ``model_type`` of ``config.json``."""


SHIPPED = ("tiny", "micro")
"""Models in the package."""


def model_folder(name_or_path: str | Path) -> Path:
    """The folder of a shipped model's name or of a path."""
    if str(name_or_path) in SHIPPED:
        return Path(__file__).parents[2] / "assets" / "models" / str(name_or_path)
    return Path(name_or_path)


def model_fingerprint(name_or_path: str | Path) -> str:
    """A hash that changes with a model's files: names, sizes, and both ends of each.

    Weights of many gigabytes are not read whole: training changes every tensor, and the last
    megabyte of a shard with them.
    """
    path = model_folder(name_or_path)
    digest = hashlib.sha256()
    for file in sorted(path.iterdir()) if path.is_dir() else ():
        if file.suffix not in (".json", ".safetensors", ".jinja"):
            continue
        size = file.stat().st_size
        digest.update(f"{file.name}:{size}\n".encode())
        with file.open("rb") as content:
            digest.update(content.read(MEBIBYTE))
            content.seek(max(MEBIBYTE, size - MEBIBYTE))
            digest.update(content.read())
    return digest.hexdigest()[:16]


def require_file(path: Path, file: str) -> None:
    """Raise a `ModelError` that lists the folder if a file is not in it."""
    if not (path / file).is_file():
        listing = ", ".join(sorted(p.name for p in path.iterdir())[:12]) or "an empty folder"
        raise ModelError(
            f"model folder {path}",
            found=f"no {file} (there: {listing})",
            expected="a folder that transformers' save_pretrained or coepg wrote",
            fix=f"copy {file} from where the model came from",
        )


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ModelError(
            str(path), found=f"not JSON: {error}", expected="a JSON object", fix="copy it again"
        ) from error
    if not isinstance(content, dict):
        raise ModelError(str(path), found=type(content).__name__, expected="a JSON object")
    return content


def named_profile(path: Path) -> str | None:
    """The profile that ``coepg.json`` names, or None without such a file."""
    file = path / "coepg.json"
    if not file.is_file():
        return None
    content = read_json(file)
    if content.get("format_version") != FORMAT_VERSION:
        raise ModelError(
            f"{file}: format_version",
            found=repr(content.get("format_version")),
            expected=str(FORMAT_VERSION),
            fix="use the version of coepg that wrote the model",
        )
    name = content.get("profile")
    return str(name) if name is not None else None


def load_weights(path: Path, model_type: str, options: dict[str, Any]) -> Any:
    """The model, with a value for every parameter."""
    import transformers
    from safetensors import SafetensorError

    if not list(path.glob("*.safetensors")):
        require_file(path, "model.safetensors")
    cls = getattr(transformers, MODEL_CLASSES[model_type])
    try:
        model, info = cls.from_pretrained(
            path, output_loading_info=True, local_files_only=True, **options
        )
    except (SafetensorError, OSError, RuntimeError, ValueError) as error:
        raise ModelError(
            f"weights in {path}",
            found=f"{type(error).__name__}: {str(error).splitlines()[0]}",
            expected="complete *.safetensors files that fit config.json",
            fix="copy or save the model again",
        ) from error
    missing = sorted(info["missing_keys"])
    if missing:
        raise ModelError(
            f"weights in {path}",
            found=f"no value for {len(missing)} parameters, the first is {missing[0]}",
            expected="every parameter of the model",
            fix="copy or save the model again",
        )
    return model


def load_tokenizer(path: Path) -> Any:
    """The tokenizer."""
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(path, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(
            f"tokenizer in {path}",
            found=f"{type(error).__name__}: {str(error).splitlines()[0]}",
            expected="tokenizer.json and tokenizer_config.json",
            fix="copy the tokenizer's files from where the model came from",
        ) from error


def load_image_processor(path: Path) -> Any:
    """The picture processor."""
    # The PIL processor needs no torchvision; both give the same patches up to rounding.
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    return Qwen2VLImageProcessorPil.from_pretrained(path, local_files_only=True)
