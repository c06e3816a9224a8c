"""What the documentation says still works: marked blocks run, links lead somewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
BLOCK = re.compile(r"^```(bash|python) test\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")
PAGES_WITH_BLOCKS = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


def name(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES_WITH_BLOCKS, ids=name)
def test_marked_blocks_run(page, tmp_path):
    """Blocks of one page run in order, in one empty folder."""
    commands = {"bash": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for language, code in BLOCK.findall(page.read_text(encoding="utf-8")):
        done = subprocess.run(
            [*commands[language], code],
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_to_files(page):
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_recipe_reference_is_current():
    tool = ROOT / "tools" / "recipe_reference.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], check=False)
    assert done.returncode == 0, "run: python tools/recipe_reference.py"
