"""The tiny models' tokenizer: byte-level BPE with Qwen's special tokens and chat format.

The vocabulary is small on purpose. A tiny model reads a word from pixels letter by letter, so
long merges would only hide letters; the frequent words of instructions still become one token.
Two groups of tokens are added: the tags of the planner's answer, and ``<loc_00>`` to
``<loc_99>``, a 100 x 100 grid for points (as PaliGemma and Florence-2 do).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from coepg.models.answers import NUM_LOC_BINS

SPECIAL_TOKENS = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>",
    "<|box_start|>", "<|box_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
    "<|image_pad|>", "<|video_pad|>",
)  # fmt: skip
"""The special tokens of Qwen2-VL and its successors."""

ANSWER_TAGS = ("<plan>", "</plan>", "<type>", "</type>", "<value>", "</value>")

LOC_TOKENS = tuple(f"<loc_{i:02d}>" for i in range(NUM_LOC_BINS))

CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}{% else %}"
    "{% for part in message.content %}"
    "{% if part.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ part.text }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""Qwen's chat format; no default system message."""

_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""Word, single digit, punctuation: the split rule of Qwen's tokenizers."""


def train_tokenizer(texts: Iterable[str], num_merged: int = 256) -> Any:
    """Train the tokenizer on instructions and expressions.

    Args:
        texts: what the models will read and write, without tags.
        num_merged: how many tokens to add to the 256 bytes.

    Returns:
        A ``transformers.PreTrainedTokenizerFast``.
    """
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=256 + num_merged,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens([AddedToken(t, special=True) for t in SPECIAL_TOKENS])
    tokenizer.add_tokens(
        [AddedToken(t, special=False, normalized=False) for t in (*ANSWER_TAGS, *LOC_TOKENS)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        chat_template=CHAT_TEMPLATE,
        clean_up_tokenization_spaces=False,
    )


def shipped_tokenizer() -> Any:
    """The tokenizer in the package, shared by all tiny models."""
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast.from_pretrained(
        Path(__file__).parent.parent / "assets" / "models" / "tokenizer"
    )
