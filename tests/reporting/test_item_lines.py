"""The lines of an item: what is said beside the queries is read without them, whatever stands in the texts."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.codec import encode
from pytest_vqamt.core.meaning import Annotated
from pytest_vqamt.core.report_json import case_line
from pytest_vqamt.reporting.cases import CaseLine, CountedItem, item_lines
from tests.reporting.reported import query_of, row_of

IMITATIONS = st.sampled_from([',"queries":[', '],"answers":[', '"', "\\", '\\"', "é", "\u2028"])
TEXTS = st.lists(st.one_of(IMITATIONS, st.text(max_size=3)), max_size=4).map("".join).filter(str.isprintable)


def read(line: bytes, cases: int = 1) -> CaseLine:
    (found,) = item_lines(BytesIO(line), CountedItem("ours.test", "m", "pictures:20", cases), "cases.jsonl")
    return found


@given(texts=st.tuples(*[TEXTS] * 6))
def test_a_line_is_read_without_its_queries_and_whole(texts: tuple[str, ...]) -> None:
    asked, answer, expected, reason, scene, fact = texts
    # The meaning of a question that people have answered has a field "answers", too.
    annotated = {**query_of(asked), "meaning": encode(Annotated(answers=((answer, 1.0),)))}
    row: dict[str, Any] = row_of(
        "1" * 16,
        queries=[query_of(asked), annotated],
        answers=[answer, None],
        expected=expected,
        reason=reason,
        scene=scene,
        facts={"queries": fact, "answers": fact},
        tags=["presumed"],
    )
    found = read(f"{case_line(row)}\n".encode())
    assert found.whole == row
    assert found.row == {name: value for name, value in row.items() if name != "queries"}


def test_a_line_that_was_written_otherwise_is_read_as_it_is() -> None:
    row = row_of("1" * 16)
    found = read(json.dumps(row, indent=None).encode() + b"\n")
    assert (found.row, found.whole) == (row, row)
