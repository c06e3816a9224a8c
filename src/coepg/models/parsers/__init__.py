"""Parsers of what models really answer, one module a dialect; see docs/reference/answers.md.

    parser = get_parser("qwen2_5_vl")
    answer = parser.parse(text)
    point_px = answer.point_px(frame)

Parsing evaluates nothing, raises nothing and takes time linear in the text. What cannot be read
is a `ParsedAnswer` with a reason; what had to be mended says so by name.
"""

from coepg.models.parsers.base import AnswerParser, ParsedAnswer, as_scroll
from coepg.models.parsers.counts import ParsingCounts, count_parsing
from coepg.models.parsers.registry import DIALECTS, get_parser
from coepg.models.parsers.vocabulary import FAILURES, REPAIRS, WARNINGS

__all__ = [
    "DIALECTS",
    "FAILURES",
    "REPAIRS",
    "WARNINGS",
    "AnswerParser",
    "ParsedAnswer",
    "ParsingCounts",
    "as_scroll",
    "count_parsing",
    "get_parser",
]
