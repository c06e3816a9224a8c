"""The tiny models' tokenizer: byte-level BPE with Qwen's special tokens and chat format.

The vocabulary is small on purpose. A tiny model reads an unknown word from pixels letter by
letter, so fragments of words ("tt", "ro") would only hide letters: frequent words are one token
each, every other word is spelt in bytes (a BPE with whole words and no merges).
Two groups of tokens are added: the tags of the planner's answer, and ``<loc_00>`` to
``<loc_99>``, a 100 x 100 grid for points (as PaliGemma and Florence-2 do).
"""

from __future__ import annotations

from collections import Counter
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

_SPLIT = r" ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]|\s"
"""Word with the space before it, single digit, single punctuation mark, single white space."""


def train_tokenizer(texts: Iterable[str], num_words: int = 256) -> Any:
    """Train the tokenizer on instructions and expressions.

    Args:
        texts: what the models will read and write, without tags.
        num_words: how many of the most frequent words get a token, beside the 256 bytes.

    Returns:
        A ``transformers.PreTrainedTokenizerFast``.
    """
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    split = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    counts = Counter(
        word for text in texts for word, _ in split.pre_tokenize_str(text) if len(word) > 1
    )
    words = sorted(counts, key=lambda word: (-counts[word], word))[:num_words]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate([*alphabet, *words])}
    tokenizer = Tokenizer(models.BPE(vocabulary, [], ignore_merges=True))
    tokenizer.pre_tokenizer = split
    tokenizer.decoder = decoders.ByteLevel()
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
