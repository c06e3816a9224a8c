import resource
import subprocess
import sys

HEAVY = ("torch", "transformers", "pandas", "pyarrow", "numpy", "pydantic", "PIL", "rapidocr")
BUDGET_S = 0.5


def cpu_time_s(command):
    """CPU time of one run: unlike the clock, it does not grow on a busy machine."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def test_help_answers_in_half_a_second():
    command = [sys.executable, "-m", "coepg.cli.main", "--help"]
    best_s = min(cpu_time_s(command) for _ in range(5))
    assert best_s < BUDGET_S, f"`coepg --help` took {best_s:.2f} s of CPU time"


def test_the_command_line_imports_nothing_heavy():
    code = f"import coepg.cli.main, sys; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
