"""Messages spell options as they were given, in the block and on the threads that it starts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from pytest_vqamt.core.daemon_executor import DaemonExecutor
from pytest_vqamt.core.spelling import Spelling, option, setting, settings, spelt

OF_RUN = Spelling(names={"seed": "seed", "option": "settings", "no-cache": "cache=None"}, is_python=True)
OF_INI = Spelling(names={"seed": "vqamt_seed", "option": "vqamt_option"})


def test_each_way_of_giving_an_option() -> None:
    assert (option("seed", 3), option("plan")) == ("--vqamt-seed=3", "--vqamt-plan")
    with spelt(OF_INI):
        assert (option("seed", 3), option("plan")) == ("vqamt_seed=3", "--vqamt-plan")
        assert setting("erase", "mean") == "vqamt_option erase=mean"
    with spelt(OF_RUN):
        assert (option("seed", "x"), option("no-cache")) == ("seed='x'", "cache=None")
        assert settings({"erase": "mean", "severity": 2}) == "settings={'erase': 'mean', 'severity': '2'}"
        assert setting("erase") == "the setting 'erase'"
        with spelt(OF_INI):
            assert option("seed") == "vqamt_seed"
        assert option("seed") == "seed"
    assert option("seed") == "--vqamt-seed"


def test_a_value_with_blanks_can_be_pasted_into_a_shell() -> None:
    assert setting("body.x", '{"a": false}') == """--vqamt-option 'body.x={"a": false}'"""


def test_threads_of_a_run_spell_as_the_run_does() -> None:
    with spelt(OF_RUN), DaemonExecutor(2, "test") as executor:
        assert executor.submit(lambda: option("seed")).result() == "seed"
    with DaemonExecutor(1, "test") as executor:
        assert executor.submit(lambda: option("seed")).result() == "--vqamt-seed"
    with spelt(OF_RUN), ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: option("seed")).result() == "--vqamt-seed", "why DaemonExecutor copies the context"
