"""The notebook of the documentation runs, and is small enough to be read as a file."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

NOTEBOOK = Path(__file__).parents[1] / "docs" / "tutorial" / "notebook.ipynb"


def notebook_of_the_docs() -> nbformat.NotebookNode:
    notebook: nbformat.NotebookNode = nbformat.reads(  # type: ignore[no-untyped-call]
        NOTEBOOK.read_text(encoding="utf-8"), as_version=4
    )
    return notebook


def outputs(notebook: nbformat.NotebookNode) -> list[list[str]]:
    """What each cell of code shows, by type."""
    return [
        sorted(kind for output in cell.outputs for kind in (output.get("data") or {output.get("name"): ""}))
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_the_notebook_has_been_run_and_is_small() -> None:
    notebook = notebook_of_the_docs()
    nbformat.validate(notebook)
    assert NOTEBOOK.stat().st_size < 80_000
    shown = outputs(notebook)
    assert "text/html" in shown[1]
    assert all(output.output_type != "error" for cell in notebook.cells for output in cell.get("outputs", ()))


@pytest.mark.full
def test_the_notebook_runs_and_shows_the_same_kinds_of_output(tmp_path: Path) -> None:
    from nbclient import NotebookClient

    before = outputs(notebook_of_the_docs())
    notebook = notebook_of_the_docs()
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, kernel_name="python3", timeout=600, resources=where).execute()
    assert outputs(notebook) == before
    assert (tmp_path / "before" / "report.html").is_file()
