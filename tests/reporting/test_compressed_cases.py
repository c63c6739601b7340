"""A compressed file of cases has the same lines, and everything that reads a report reads either."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_vqamt.core.case_store import GZIP_NAME, PLAIN_NAME, case_rows, find_cases_file
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.integration.replaying import find_case
from pytest_vqamt.reporting.audit.sample import AuditTarget, SampleSettings, draw_sample
from pytest_vqamt.reporting.blessing import bless
from pytest_vqamt.reporting.case_writer import remove_report, start_parts
from pytest_vqamt.reporting.compare.comparison import compare
from pytest_vqamt.reporting.compare.comparison_text import comparison_json
from pytest_vqamt.reporting.compare.runs import open_report_run, open_run
from pytest_vqamt.reporting.files import read_report, write_pages
from pytest_vqamt.reporting.html.case_selection import Images
from pytest_vqamt.reporting.merging import merge_folders
from pytest_vqamt.reporting.table_export import write_csv
from tests.reporting.running import run_into


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a report of each sort, whose times are the same, and two shards of the same run of each."""
    folder = tmp_path_factory.mktemp("made")
    run_into(folder / PLAIN_NAME)
    run_into(folder / GZIP_NAME, cases_name=GZIP_NAME)
    shutil.copy(folder / PLAIN_NAME / "report.json", folder / GZIP_NAME)
    for number in (1, 2):
        run_into(folder / "plain" / str(number), shard=(number, 2))
        run_into(folder / "packed" / str(number), shard=(number, 2), cases_name=GZIP_NAME)
    return folder


def test_it_has_the_same_lines_and_stands_alone(made: Path) -> None:
    assert {each.name for each in (made / GZIP_NAME).iterdir()} == {GZIP_NAME, "report.json"}
    plain = (made / PLAIN_NAME / PLAIN_NAME).read_bytes()
    assert gzip.decompress((made / GZIP_NAME / GZIP_NAME).read_bytes()) == plain


def away(_spec: str) -> None:
    """No data is at hand."""


def page(folder: Path, out: Path) -> object:
    write_pages(folder, source_of=away, images=Images.NONE, out=out)
    return [(out / name).read_bytes() for name in ("report.html", "summary.md")]


def blessed(folder: Path, out: Path) -> object:
    bless(folder, out / "base.gz")
    return (out / "base.gz").read_bytes()


def table(folder: Path, out: Path) -> object:
    write_csv(folder, out / "cases.csv")
    return (out / "cases.csv").read_bytes()


def sample(folder: Path, out: Path) -> object:
    drawn = draw_sample(read_report(folder), folder, SampleSettings(of=AuditTarget.ALL, sample=7))
    return [(each.case_id, each.where.rpartition(":")[2], each.row) for each in drawn.cases]


def compared(folder: Path, out: Path) -> object:
    shutil.copytree(folder.parent / PLAIN_NAME, out / "before")
    row = json.loads(comparison_json(compare(open_run(out / "before"), open_report_run(folder))))
    return {name: value for name, value in row.items() if name not in ("before", "after")}


def replayed(folder: Path, out: Path) -> object:
    case_id = str(next(case_rows(folder))["case_id"])
    found = find_case(case_id[:12], folder)
    assert found.file.name == folder.name
    return found.id, [row for _, row in found.rows], found.settings


@pytest.mark.parametrize(
    "read", [page, blessed, table, sample, compared, replayed], ids=lambda read: str(read.__name__)
)
def test_what_reads_a_report_reads_either(made: Path, tmp_path: Path, read: Callable[[Path, Path], object]) -> None:
    outs = [tmp_path / name for name in (PLAIN_NAME, GZIP_NAME)]
    for out in outs:
        out.mkdir()
    assert read(made / GZIP_NAME, outs[1]) == read(made / PLAIN_NAME, outs[0])


def test_shards_are_merged_into_what_the_first_of_them_has(made: Path, tmp_path: Path) -> None:
    shards = {name: [made / name / number for number in "12"] for name in ("plain", "packed")}
    merge_folders(shards["packed"], tmp_path / "packed")
    assert (tmp_path / "packed" / GZIP_NAME).read_bytes() == (made / GZIP_NAME / GZIP_NAME).read_bytes()
    merge_folders([shards["plain"][0], shards["packed"][1]], tmp_path / "plain")
    assert (tmp_path / "plain" / PLAIN_NAME).read_bytes() == (made / PLAIN_NAME / PLAIN_NAME).read_bytes()
    # What lies in the folder already makes way, whatever it is called.
    merge_folders(shards["packed"], tmp_path / "plain")
    assert {each.name for each in (tmp_path / "plain").iterdir()} == {GZIP_NAME, "report.json"}


def test_a_report_is_removed_whatever_its_cases_are_called(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / GZIP_NAME, tmp_path, dirs_exist_ok=True)
    (tmp_path / f".{GZIP_NAME}.17").touch()
    start_parts(tmp_path)
    assert {each.name for each in tmp_path.iterdir()} == {GZIP_NAME, "report.json"}
    remove_report(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_where_both_are_nobody_knows_which_is_meant(made: Path, tmp_path: Path) -> None:
    for name in (PLAIN_NAME, GZIP_NAME):
        shutil.copy(made / name / name, tmp_path)
    with pytest.raises(DataError) as told:
        find_cases_file(tmp_path)
    assert str(told.value) == (
        f"Expected one file of cases, but got both cases.jsonl and cases.jsonl.gz in {str(tmp_path)!r}: remove one"
    )


def test_the_content_tells_whether_it_is_compressed(made: Path, tmp_path: Path) -> None:
    # Some servers and browsers unpack what they hand on and leave it its name.
    (tmp_path / GZIP_NAME).write_bytes((made / PLAIN_NAME / PLAIN_NAME).read_bytes())
    assert list(case_rows(tmp_path)) == list(case_rows(made / PLAIN_NAME))


def test_a_file_that_breaks_off_is_told(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / GZIP_NAME, tmp_path, dirs_exist_ok=True)
    shutil.copytree(made / GZIP_NAME, tmp_path / "whole")
    file = tmp_path / GZIP_NAME
    file.write_bytes(file.read_bytes()[:-100])
    reads: list[Callable[[], object]] = [
        lambda: list(case_rows(tmp_path)),
        lambda: page(tmp_path, tmp_path / "out"),
        lambda: blessed(tmp_path, tmp_path),
        lambda: compare(open_report_run(tmp_path), open_report_run(tmp_path / "whole")),
        lambda: find_case("f" * 16, tmp_path),
        lambda: merge_folders([tmp_path], tmp_path / "merged"),
    ]
    for read in reads:
        with pytest.raises(DataError, match=r"cases\.jsonl\.gz cannot be read to its end \(Compressed file ended"):
            read()
