"""``coepg view``: look at a dataset, a run or answers, step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def view(
    path: Annotated[
        str,
        typer.Argument(help="A dataset, a run, answers (.jsonl, .parquet), or miniwob."),
    ],
    dataset: Annotated[
        str | None,
        typer.Option(help="The steps that were answered, where they are not found by themselves."),
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write one HTML file instead of opening a browser.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Steps in an exported file.")] = 100,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 8700,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address.")
    ] = False,
) -> None:
    """Show steps with pictures, gold boxes, plans, points and verdicts, in the browser.

    Large datasets are read a page at a time; a run may still be at work.
    """
    from coepg.view.api import ViewerApi
    from coepg.view.export import export_html
    from coepg.view.server import ViewerServer
    from coepg.view.sources.open import open_source

    source = open_source(path, dataset)
    if export is not None:
        count = export_html(source, export, limit)
        typer.echo(f"wrote {export}: {count} steps")
        return
    for collection in source.collections()[:1]:
        collection.index()  # what cannot be read is said here rather than in the page
    with ViewerServer(ViewerApi(source), host, port) as server:
        typer.echo(f"{source.kind} {source.title} at {server.url} (Ctrl+C stops)")
        if not no_browser:
            import webbrowser

            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            typer.echo("stopped")
