"""Fail when a file of src/ exceeds 400 lines or a function 60 (its docstring not counted)."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60


def function_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if ast.get_docstring(node, clean=False) is not None:
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def findings(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    total = len(text.splitlines())
    if total > MAX_FILE_LINES:
        yield f"{path}: {total} lines; at most {MAX_FILE_LINES}: split it by what changes together"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = function_lines(node)
            if lines > MAX_FUNCTION_LINES:
                yield (
                    f"{path}:{node.lineno}: function {node.name} has {lines} lines; "
                    f"at most {MAX_FUNCTION_LINES}"
                )


def main(folder: str = "src") -> int:
    found = [line for path in sorted(Path(folder).rglob("*.py")) for line in findings(path)]
    print("\n".join(found) or f"sizes: all files of {folder} are within limits")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
