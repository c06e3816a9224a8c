"""The ``coepg`` program: one verb family a module, and one place that reports failures."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from coepg import __version__
from coepg.cli import bench, compare, data, doctor, eval, evolve, pretrain, recipes, synth, view
from coepg.cli.failures import explain


class ReportingGroup(TyperGroup):
    """Runs a command; turns failures that a user can mend into a message and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        try:
            return super().invoke(ctx)
        except (Exception, KeyboardInterrupt) as error:
            failure = explain(error, sys.argv[1:])
            if failure is None:
                raise
            typer.echo(failure.text, err=True)
            raise typer.Exit(failure.exit_code) from None


app = typer.Typer(
    cls=ReportingGroup,
    help="Train and run GUI agents whose planner and grounder make each other better.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("evolve")(evolve.evolve)
app.command("compare")(compare.compare)
app.command("eval")(eval.eval_)
app.add_typer(data.app, name="data")
app.command("synth")(synth.synth)
app.command("pretrain")(pretrain.pretrain)
app.add_typer(bench.app, name="bench")
app.command("recipes")(recipes.recipes)
app.command("view")(view.view)
app.command("doctor")(doctor.doctor)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"coepg {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Train and run GUI agents whose planner and grounder make each other better."""


def main() -> None:
    """Entry point of the ``coepg`` program."""
    app(prog_name="coepg")


if __name__ == "__main__":
    main()
