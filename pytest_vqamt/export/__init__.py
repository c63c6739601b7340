"""Files made from a run for other work: labelled sets to train on.

From Python::

    from pathlib import Path
    from pytest_vqamt.export import Only, Terms, Wanted, export_report

    export_report(Path("found"), Path("found-set"), Terms(wanted=Wanted(only=Only.ALL), split=0.9))
"""

from __future__ import annotations

from pytest_vqamt.export.cases import Only, Wanted
from pytest_vqamt.export.export import Exported, Terms, export_report
from pytest_vqamt.export.export_files import Layout

__all__ = ["Exported", "Layout", "Only", "Terms", "Wanted", "export_report"]
