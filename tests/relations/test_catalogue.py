"""Every relation by its name, and the globs that choose among them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pytest_vqamt.core.case import item_name
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.metavqa.reorder import Reorder
from pytest_vqamt.relations.user import Draft, UserRelation
from pytest_vqamt.relations.user import relation as user_relation

ALL = (
    "metavqa.partition[object]",
    "metavqa.partition[property]",
    "metavqa.reorder[object]",
    "metavqa.reorder[property]",
    "metavqa.reversion[object]",
    "metavqa.reversion[property]",
    "control.repeat",
    "control.reencode",
)


@pytest.fixture(autouse=True)
def only_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """No relation of this session's or of an installed package's."""
    monkeypatch.setattr(catalogue, "_registered", {})
    monkeypatch.setattr(catalogue, "entry_points", lambda **_: ())


def items(*wanted: str, excluded: tuple[str, ...] = ()) -> tuple[str, ...]:
    return tuple(item_name(relation.info.name, variant) for relation, variant in catalogue.select(wanted, excluded))


def mirror(name: str = "ours.mirror") -> UserRelation:
    return user_relation(name, expect=same_answer)(lambda *_: Draft(inputs=(), expected=""))


def test_all_relations_stand_in_the_order_of_the_papers() -> None:
    assert items() == ALL


@pytest.mark.parametrize("name", catalogue.TABLE)
def test_every_entry_of_the_table_is_a_relation_of_that_name(name: str) -> None:
    relation: Relation = catalogue.get(name)
    info = relation.info
    assert info.name == name
    assert info.claim.endswith(".")
    assert info.source
    assert info.version >= 1
    assert len(set(info.variants)) == len(info.variants) >= 1


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        (("metavqa.reorder",), ("metavqa.reorder[object]", "metavqa.reorder[property]")),
        (("metavqa.reorder[object]",), ("metavqa.reorder[object]",)),
        (("*[property]",), ALL[1:6:2]),
        (("control.*", "metavqa.partition[object]"), (ALL[0], *ALL[6:])),
        (("*",), ALL),
    ],
    ids=str,
)
def test_globs_choose_in_the_catalogues_order(wanted: tuple[str, ...], chosen: tuple[str, ...]) -> None:
    assert items(*wanted) == chosen


def test_what_is_excluded_is_left_out() -> None:
    assert items(excluded=("metavqa.*",)) == ALL[6:]
    assert items("metavqa.*", excluded=("*[property]",)) == ALL[0:6:2]
    assert items("control.repeat", excluded=("control.*",)) == ()


@pytest.mark.parametrize(("wanted", "excluded"), [(("metavqa.partitoin",), ()), ((), ("metavqa.partitoin",))])
def test_a_pattern_that_names_nothing_is_refused(wanted: tuple[str, ...], excluded: tuple[str, ...]) -> None:
    with pytest.raises(OptionError, match=r"'metavqa\.partitoin' names none; did you mean 'metavqa\.partition\["):
        catalogue.select(wanted, excluded)


def test_one_wrong_pattern_among_right_ones_is_refused() -> None:
    with pytest.raises(OptionError, match="'metaic"):
        catalogue.select(("metavqa.*", "metaic.*"))


def test_a_wrong_name_gets_a_hint() -> None:
    with pytest.raises(OptionError, match=r"got 'control\.repaet'; did you mean 'control\.repeat'\?"):
        catalogue.get("control.repaet")


def test_a_users_relation_comes_last() -> None:
    made = mirror()
    assert items() == (*ALL, "ours.mirror")
    assert catalogue.get("ours.mirror") is made
    assert items("ours.*") == ("ours.mirror",)


def test_a_users_relation_of_the_same_name_replaces_the_last() -> None:
    mirror()
    second = mirror()
    assert catalogue.get("ours.mirror") is second
    assert items().count("ours.mirror") == 1


def test_no_user_takes_a_name_of_ours() -> None:
    with pytest.raises(OptionError, match=r"name='metavqa\.partition': choose another prefix"):
        mirror("metavqa.partition")
    assert items() == ALL


@dataclass(frozen=True)
class Point:
    """An entry point of an installed package."""

    name: str
    value: object

    def load(self) -> object:
        return self.value


@pytest.mark.parametrize("value", [Reorder, Reorder()], ids=["class", "instance"])
def test_an_installed_package_adds_relations(monkeypatch: pytest.MonkeyPatch, value: object) -> None:
    point = Point("theirs.reorder", value)

    def entry_points(group: str, name: str | None = None) -> tuple[Point, ...]:
        assert group == "pytest_vqamt.relations"
        return (point,) if name in (None, point.name) else ()

    monkeypatch.setattr(catalogue, "entry_points", entry_points)
    assert catalogue.names()[-1] == "theirs.reorder"
    assert isinstance(catalogue.get("theirs.reorder"), Reorder)
