"""A preset names relations that there are, and sets what they take."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.catalogue import PRESETS, preset


@pytest.mark.parametrize("name", PRESETS)
def test_each_glob_names_a_relation(name: str) -> None:
    for glob in preset(name).relations:
        assert [each for each in catalogue.TABLE if fnmatchcase(each, glob)], glob


@pytest.mark.parametrize(("name", "setting"), [(name, each) for name in PRESETS for each in PRESETS[name].settings])
def test_each_setting_is_one_of_the_relations_and_takes_the_value(name: str, setting: str) -> None:
    chosen = preset(name)
    infos = [relation.info for relation, _ in catalogue.select(chosen.relations)]
    [known] = {each for info in infos for each in info.settings if each.name == setting}
    assert known.takes(chosen.settings[setting])


def test_an_unknown_name_is_told_the_nearest() -> None:
    with pytest.raises(OptionError, match=r"basic-questions.*got preset='metaik'; did you mean .*metaic"):
        preset("metaik")
