"""What users are told."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.errors import DataError, ModelError, OptionError, RenderError, VqamtError, did_you_mean
from pytest_vqamt.core.query import Task


@pytest.mark.parametrize("kind", [OptionError, DataError, ModelError, RenderError])
def test_every_error_is_one_that_users_can_mend(kind: type[Exception]) -> None:
    assert issubclass(kind, VqamtError)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("orcale", "did you mean 'oracle'?"),
        ("tinny", "did you mean 'tiny'?"),
        ("metavqa.partitoin", "did you mean 'metavqa.partition'?"),
        ("zebra", "known: oracle, tiny, metavqa.partition"),
        ("", "known: oracle, tiny, metavqa.partition"),
    ],
)
def test_the_nearest_name_is_suggested_else_all_are_listed(name: str, said: str) -> None:
    assert did_you_mean(name, ["oracle", "tiny", "metavqa.partition"]) == said


def test_any_collection_of_names_will_do() -> None:
    assert did_you_mean("tini", iter(["tiny"])) == "did you mean 'tiny'?"


def test_a_member_of_an_enumeration_is_shown_as_users_type_it() -> None:
    assert did_you_mean("captioninng", Task) == "did you mean 'captioning'?"
    assert did_you_mean("zebra", Task) == "known: vqa, entailment, captioning"
