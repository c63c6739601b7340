"""The papers' tables as LaTeX and CSV: read back by a small reader, and compiled where LaTeX is installed."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pytest_vqamt.core.case import MILLION, Figure
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.pairs import Pairs, PairTally
from pytest_vqamt.core.results import ModelDifference, ModelUse, Report
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally, Tally
from pytest_vqamt.reporting.latex import ROWS_AT_MOST, latex_escape, latex_table, write_latex
from pytest_vqamt.reporting.paper_tables import named_paper_tables
from pytest_vqamt.reporting.table_export import write_tables_csv
from pytest_vqamt.reporting.view.format import ColumnUnit, text_table
from pytest_vqamt.stats.model_tables import summaries
from pytest_vqamt.stats.papers import ISSUE, VEGLUE_RELATIONS, coverage_tables
from tests.reporting.html.made import OTHER, TINY, report, result

ODD = ModelUse(name=r"[hf]:a_b&c%\x{y}^~#$<|> é 猫 --k", fingerprint="odd", tasks=("vqa",))


def of_two_models() -> Report:
    groups = {"present_groups": {"2": Tally(cases=1_200, holds=300, violated=900)}}
    results = [
        result("metavqa.partition[object]", tally=groups["present_groups"]["2"], breakdown=groups, model=model)
        for model in (TINY, ODD)
    ]
    return report(*results, summaries=summaries(results))


def all_tables() -> Report:
    """A report with a table of each kind, with a share below 0.1 % and columns without a value."""
    groups = {"present_groups": {"2": Tally(cases=1_200, holds=300, violated=900)}}
    pairs = Pairs(
        tally=PairTally(pairs=10_000, consistent=1, right_first=1, right_second=1, yes=19_999, other=1),
        right=0b11,
        by={"answers": {"binary": PairTally(pairs=1_500, consistent=1_500)}},
    )
    figures = {
        "metaic.object_appearance[0]": {"suspicious": Figure(4, 3 * MILLION), "omission": Figure(4, 2 * MILLION)},
        "metaic.singular_plural[0]": {"suspicious": Figure(4, MILLION)},
        **{item: {ISSUE: Figure(10, 2 * MILLION)} for item in VEGLUE_RELATIONS},
        **{
            f"basic_questions.noise[{number}]": {"clean": Figure(10, 8 * MILLION), "noisy": Figure(10, 7 * MILLION)}
            for number in range(1, 8)
        },
    }
    results = [
        *(
            result("metavqa.partition[object]", tally=groups["present_groups"]["2"], breakdown=groups, model=model)
            for model in (TINY, OTHER)
        ),
        *(
            result(item, tally=Tally(cases=10_000, holds=1, violated=9_999), pairs=pairs, model=model)
            for item in ("carets.rephrase", "carets.visual[blur3]", "carets.visual[crop]")
            for model in (TINY, OTHER)
        ),
        *(result(item, figures=found) for item, found in figures.items()),
        result("veglue.corruption[snow-object]"),
    ]
    differences = [
        ModelDifference(
            item=item,
            data="gqa:DIR",
            presumed=item == "ours.b",
            models=("tiny", "other"),
            paired=PairedClusters((PairedSceneTally(0, 1, 0, 0, lost), PairedSceneTally(1, 0, 0, 0, 1_200 - lost))),
            interval=(-0.125, 0.0),
            p=p,
            p_holm=None if item.startswith("control") else p,
        )
        for item, lost, p in (("ours.a", 1, 0.5), ("ours.b", 150, 1e-9), ("control.repeat", 0, 1.0))
    ]
    return report(
        *results,
        summaries=summaries(results),
        coverage=coverage_tables(results),
        differences=tuple(differences),
    )


def read_back(text: str) -> str:
    """What LaTeX shows of a text without commands of its own."""
    names = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textless": "<", "textgreater": ">"}
    shown = re.sub(r"\\(text\w+)\{\}", lambda found: {**names, "textbar": "|"}[found[1]].replace("\\", "\0"), text)
    shown = shown.replace("-{}", "-")
    assert not re.search(r"(?<!\\)[&%$#_{}~^<>|]", re.sub(r"[~^<>|]", "", shown)), "all that is special is escaped"
    return re.sub(r"\\([&%$#_{}])", r"\1", shown).replace("\0", "\\")


def is_share(cell: str) -> bool:
    return bool(re.fullmatch(r"(\\text(less|greater)\{\})?\d{1,3}\.\d( to \d{1,3}\.\d)?", cell))


def is_count(cell: str) -> bool:
    return bool(re.fullmatch(r"\d{1,3}(,\d{3})*", cell))


def is_difference(cell: str) -> bool:
    return bool(re.fullmatch(r"[+-]?\d+\.\d( \([+-]?\d+\.\d to [+-]?\d+\.\d\))?", cell))


def is_score(cell: str) -> bool:
    return bool(re.fullmatch(r"(<|\\textless\{\})?[01]\.\d{2,4}", cell))


IN_LATEX = {r"(\%)": is_share, "(count)": is_count, "(points)": is_difference, "(0 to 1)": is_score}
"""What a cell is, by the unit in the second row of the head."""
IN_CSV: Mapping[str, Callable[[str], bool]] = {
    "%": lambda cell: 0 <= float(cell) <= 100 and "." in cell,
    "count": lambda cell: cell.isdecimal() and int(cell) >= 0,
    "points": lambda cell: -100 <= float(cell) <= 100 and "." in cell,
    "0 to 1": lambda cell: 0 <= float(cell) <= 1,
}
"""The same, by the unit at the end of the name."""


@pytest.mark.parametrize("text", [r"a_b&c%\x{y}^~#$<|>", "5 %", "--vqamt", "---", "{}", "\\\\", "é"])
def test_what_is_escaped_is_shown_as_it_was(text: str) -> None:
    assert read_back(latex_escape(text)) == text


def test_a_letter_that_needs_a_package_is_its_code_point() -> None:
    assert latex_escape("猫 đ") == "U+732B U+0111"
    assert "\n" not in latex_escape("two\nlines")


def test_a_table_to_the_letter() -> None:
    table = text_table(
        [("model", "rate", "cases"), ("a_b", "5.0 %", "1,200"), ("  [x]", "-", "3")],
        caption="a & b",
        notes=["one"],
        units=[ColumnUnit.TEXT, ColumnUnit.PERCENT, ColumnUnit.COUNT],
    )
    assert latex_table(table, "a-b").splitlines() == [
        r"% \usepackage{booktabs}",
        r"\begin{table*}",
        r"\centering\small\setlength{\tabcolsep}{4pt}",
        r"\caption{A \& b. One.}",
        r"\label{tab:a-b}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"model & rate & cases \\",
        r" & (\%) & (count) \\",
        r"\midrule",
        r"a\_b & 5.0 & 1,200 \\",
        r"\quad {}[x] & - & 3 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table*}",
    ]


def rows_of(text: str) -> list[list[str]]:
    """The cells of each row of the tables of a file."""
    return [re.split(r"(?<!\\)&", line.removesuffix(r" \\")) for line in text.splitlines() if line.endswith(r" \\")]


def test_each_table_is_a_file_with_as_many_cells_in_each_row(tmp_path: Path) -> None:
    told = all_tables()
    assert write_latex(told, tmp_path / "tex") == len(list(named_paper_tables(told)))
    names = {file.name for file in (tmp_path / "tex").iterdir()}
    assert {
        "metavqa-error-rate-by-groups-in-the-picture-on-gqa-dir.tex",
        "metavqa-cases-of-error-rate-on-gqa-dir.tex",
        "differences-of-models-other-against-tiny-on-gqa-dir.tex",
    } < names
    for file in (tmp_path / "tex").iterdir():
        text = file.read_text(encoding="utf-8")
        columns = re.search(r"\\begin\{tabular\}\{(l+r+)\}", text)
        assert columns
        head, units, *rows = rows_of(text)
        assert {len(row) for row in (head, units, *rows)} == {len(columns[1])}
        assert rows
        for unit, *cells in list(zip(units, *rows, strict=True))[1:]:
            assert all(cell.strip() in ("-", "") or IN_LATEX[unit.strip()](cell.strip()) for cell in cells), file.name
        assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")


def test_a_long_table_is_two_floats() -> None:
    many = [("relation", "cases"), *((f"r{number}", "1") for number in range(ROWS_AT_MOST + 1))]
    text = latex_table(text_table(many, caption="all", units=[ColumnUnit.TEXT, ColumnUnit.COUNT]), "all")
    assert [text.count(part) for part in (r"\end{table*}", r"\caption{All.}", r"\caption{All, continued.}")] == [
        2,
        1,
        1,
    ]
    assert re.findall(r"label\{(.*)\}", text) == ["tab:all", "tab:all-2"]
    assert len(rows_of(text)) == ROWS_AT_MOST + 1 + 2 * 2


def test_the_tables_of_a_shard_say_so() -> None:
    whole = dict(named_paper_tables(all_tables()))
    part = dict(named_paper_tables(replace(all_tables(), shard="1/2")))
    assert "carets-cons-on-gqa-dir-shard-1-2-of-the-cases" in part
    assert all(each.caption.endswith(", shard 1/2 of the cases") for each in part.values())
    assert len(part) == len(whole)
    assert not any("shard" in f"{name} {each.caption}" for name, each in whole.items())


def test_two_tables_of_one_name_are_two_files() -> None:
    one = of_two_models()
    twice = report(*one.relations, summaries=one.summaries * 2)
    assert [name for name, _ in named_paper_tables(twice, joined=True)][2:] == [
        "metavqa-error-rate-on-gqa-dir-2",
        "metavqa-error-rate-by-groups-in-the-picture-on-gqa-dir-2",
    ]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_each_compiles_in_a_minimal_document(tmp_path: Path) -> None:
    write_latex(of_two_models(), tmp_path)
    write_latex(all_tables(), tmp_path)
    tables = "\n".join(f"\\input{{{file.name}}}" for file in sorted(tmp_path.glob("*.tex")))
    document = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n%s\n\\end{document}\n"
    (tmp_path / "document.tex").write_text(document % tables, encoding="utf-8")
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
        head, tiny, odd, first, *_ = csv.reader(lines)
    assert head == ["model", "partition (%)", "partition cases (count)"]
    assert (tiny, odd) == (["tiny", "75.0", "1200"], [ODD.name, "75.0", "1200"])
    assert first == ["GridFeat+MoVie+ (published)", "95.0", "142213"]
    with (tmp_path / "metavqa-error-rate-by-groups-in-the-picture-on-gqa-dir.csv").open(encoding="utf-8") as lines:
        assert list(csv.reader(lines))[1:3] == [
            ["tiny, 2 groups", "75.0", "1200"],
            [f"{ODD.name}, 2 groups", "75.0", "1200"],
        ]


def test_each_cell_is_of_the_unit_that_its_head_names(tmp_path: Path) -> None:
    told = all_tables()
    write_tables_csv(told, tmp_path)
    tables = {}
    for file in tmp_path.iterdir():
        with file.open(encoding="utf-8", newline="") as lines:
            head, *rows = csv.reader(lines)
        tables[file.stem] = head, rows
        assert rows
        for name, *cells in list(zip(head, *rows, strict=True))[1:]:
            unit = re.search(r" \((%|count|points|0 to 1)\)$", name)
            assert unit, (file.name, name)
            assert all(not cell or IN_CSV[unit[1]](cell) for cell in cells), (file.name, name, cells)
    # One summary of each kind, two tables of pairs of each model, the pairs that both have right, and the differences.
    assert len(tables) == 2 + 3 + 1 + 1 + 3 + 2 * 2 + 1 + 1
    head, rows = tables["differences-of-models-other-against-tiny-on-gqa-dir"]
    assert head == [
        "relation", "tiny (%)", "other (%)", "difference (points)", "difference, low (points)",
        "difference, high (points)", "p after Holm (0 to 1)", "only first holds (count)", "only second holds (count)",
        "cases (count)",
    ]  # fmt: skip
    assert rows == [
        ["ours.b (presumed)", "100.0", "87.5", "-12.5", "-12.5", "0.0", "1e-09", "150", "0", "1200"],
        ["ours.a", "100.0", "99.9", "-0.1", "-12.5", "0.0", "0.5000", "1", "0", "1200"],
        ["control.repeat", "100.0", "100.0", "0.0", "-12.5", "0.0", "", "0", "0", "1200"],
    ]
    head, rows = tables["pairs-of-questions-tiny-on-gqa-dir"]
    assert rows[0] == ["carets.rephrase", "10000", "0.01", "0.01", "0.01", "0.01", "0.0", "96.6"]
    head, rows = tables["verdicts-on-hypotheses-veglue-tiny-on-gqa-dir"]
    assert dict(zip(head, rows[0], strict=True)) == {
        "relation": "veglue.mr1_joint_erase", "GNUM (count)": "10", "INUM (count)": "2", "IFR (%)": "20.0",
        "inconsistent (%)": "", "source right (%)": "", "published IFR, lowest (%)": "43.9",
        "published IFR, highest (%)": "86.8",
    }  # fmt: skip


def test_a_part_is_named_after_its_row(tmp_path: Path) -> None:
    groups = {"present_groups": {name: Tally(cases=int(name), holds=int(name)) for name in ("1", "2")}}
    results = [result("metavqa.reorder[object]", tally=Tally(cases=3, holds=3), breakdown=groups)]
    write_tables_csv(report(*results, summaries=summaries(results)), tmp_path)
    with (tmp_path / "metavqa-error-rate-by-groups-in-the-picture-on-gqa-dir.csv").open(encoding="utf-8") as lines:
        assert list(csv.reader(lines))[1:] == [
            ["tiny, 1 group", "0.0", "1"],
            ["tiny, 2 groups", "0.0", "2"],
        ]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OptionError, match="Expected a folder that can be written to, but got --latex="):
        write_latex(of_two_models(), tmp_path / "file")
