"""The papers' tables as LaTeX and CSV: read back by a small reader, and compiled where LaTeX is installed."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.results import ModelUse, Report
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.reporting.latex import latex_escape, latex_table, write_latex
from pytest_vqamt.reporting.paper_tables import named_paper_tables
from pytest_vqamt.reporting.table_export import write_tables_csv
from pytest_vqamt.reporting.view.tables import text_table
from pytest_vqamt.stats.model_tables import summaries
from tests.reporting.html.made import TINY, report, result

ODD = ModelUse(name=r"[hf]:a_b&c%\x{y}^~#$<|> é 猫 --k", fingerprint="odd", tasks=("vqa",))


def of_two_models() -> Report:
    groups = {"present_groups": {"2": Tally(cases=1_200, holds=300, violated=900)}}
    results = [
        result("metavqa.partition[object]", tally=groups["present_groups"]["2"], breakdown=groups, model=model)
        for model in (TINY, ODD)
    ]
    return report(*results, summaries=summaries(results))


def read_back(text: str) -> str:
    """What LaTeX shows of a text without commands of its own."""
    names = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textless": "<", "textgreater": ">"}
    shown = re.sub(r"\\(text\w+)\{\}", lambda found: {**names, "textbar": "|"}[found[1]].replace("\\", "\0"), text)
    shown = shown.replace("-{}", "-")
    assert not re.search(r"(?<!\\)[&%$#_{}~^<>|]", re.sub(r"[~^<>|]", "", shown)), "all that is special is escaped"
    return re.sub(r"\\([&%$#_{}])", r"\1", shown).replace("\0", "\\")


@pytest.mark.parametrize("text", [r"a_b&c%\x{y}^~#$<|>", "5 %", "--vqamt", "---", "{}", "\\\\", "é"])
def test_what_is_escaped_is_shown_as_it_was(text: str) -> None:
    assert read_back(latex_escape(text)) == text


def test_a_letter_that_needs_a_package_is_its_code_point() -> None:
    assert latex_escape("猫 đ") == "U+732B U+0111"
    assert "\n" not in latex_escape("two\nlines")


def test_a_table_to_the_letter() -> None:
    table = text_table(
        [("model", "rate", "cases"), ("a_b", "5.0 %", "1,200"), ("  [x]", "-", "3")], caption="a & b", notes=["one"]
    )
    assert latex_table(table, "a-b").splitlines() == [
        r"% \usepackage{booktabs}",
        r"\begin{table*}",
        r"\centering\small\setlength{\tabcolsep}{4pt}",
        r"\caption{A \& b. One. Shares are in percent.}",
        r"\label{tab:a-b}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"model & rate & cases \\",
        r"\midrule",
        r"a\_b & 5.0 & 1,200 \\",
        r"\quad {}[x] & - & 3 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table*}",
    ]


def test_each_table_is_a_file_with_as_many_cells_in_each_row(tmp_path: Path) -> None:
    assert write_latex(of_two_models(), tmp_path / "tex") == 2
    files = sorted(file.name for file in (tmp_path / "tex").iterdir())
    assert files == ["metavqa-error-rate-by-groups-in-the-picture-on-gqa-dir.tex", "metavqa-error-rate-on-gqa-dir.tex"]
    for file in (tmp_path / "tex").iterdir():
        text = file.read_text(encoding="utf-8")
        columns = re.search(r"\\begin\{tabular\}\{(l+r+)\}", text)
        assert columns
        rows = [line.removesuffix(r" \\") for line in text.splitlines() if line.endswith(r" \\")]
        assert {len(re.split(r"(?<!\\)&", row)) for row in rows} == {len(columns[1])}
        assert len(rows) > 3
        assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")


def test_two_tables_of_one_name_are_two_files() -> None:
    one = of_two_models()
    twice = report(*one.relations, summaries=one.summaries * 2)
    assert [name for name, _ in named_paper_tables(twice)][2:] == [
        "metavqa-error-rate-on-gqa-dir-2",
        "metavqa-error-rate-by-groups-in-the-picture-on-gqa-dir-2",
    ]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_each_compiles_in_a_minimal_document(tmp_path: Path) -> None:
    write_latex(of_two_models(), tmp_path)
    for file in list(tmp_path.glob("*.tex")):
        document = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n\\input{%s}\n\\end{document}\n"
        (tmp_path / "document.tex").write_text(document % file.name, encoding="utf-8")
        done = subprocess.run(
            ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "document.tex"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            errors="replace",
        )
        assert done.returncode == 0, done.stdout[-2_000:]


def test_csv_has_numbers(tmp_path: Path) -> None:
    assert write_tables_csv(of_two_models(), tmp_path) == 2
    with (tmp_path / "metavqa-error-rate-on-gqa-dir.csv").open(encoding="utf-8", newline="") as lines:
        head, tiny, odd, cases, first, *_ = csv.reader(lines)
    assert head == ["model", "partition (%)"]
    assert (tiny, odd) == (["tiny", "75.0"], [ODD.name, "75.0"])
    assert (cases, first) == (["cases of each above", "1200"], ["GridFeat+MoVie+ (published)", "95.0"])
    with (tmp_path / "metavqa-error-rate-by-groups-in-the-picture-on-gqa-dir.csv").open(encoding="utf-8") as lines:
        assert list(csv.reader(lines))[1:3] == [["tiny, 2 groups", "75.0"], [f"{ODD.name}, 2 groups", "75.0"]]


def test_a_part_is_named_after_its_row(tmp_path: Path) -> None:
    groups = {"present_groups": {name: Tally(cases=int(name), holds=int(name)) for name in ("1", "2")}}
    results = [result("metavqa.reorder[object]", tally=Tally(cases=3, holds=3), breakdown=groups)]
    write_tables_csv(report(*results, summaries=summaries(results)), tmp_path)
    with (tmp_path / "metavqa-error-rate-by-groups-in-the-picture-on-gqa-dir.csv").open(encoding="utf-8") as lines:
        assert list(csv.reader(lines))[1:] == [
            ["tiny, 1 group", "0.0"],
            ["tiny, 1 group / cases", "1"],
            ["tiny, 2 groups", "0.0"],
            ["tiny, 2 groups / cases", "2"],
        ]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OptionError, match="Expected a folder that can be written to, but got --latex="):
        write_latex(of_two_models(), tmp_path / "file")
