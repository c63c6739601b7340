"""However threads overlap, transformers is quiet while any of them wants it, and afterwards as it was."""

from __future__ import annotations

from collections.abc import Iterator
from logging import ERROR, INFO
from threading import Barrier, Thread

import pytest
from transformers.utils import logging

from pytest_vqamt.models.transformers.checkpoint import quiet


@pytest.fixture(autouse=True)
def _loud() -> Iterator[None]:
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_info()  # type: ignore[no-untyped-call]  # transformers does not annotate it
    logging.enable_progress_bar()  # type: ignore[no-untyped-call]  # as above
    yield
    logging.set_verbosity(level)
    if not bars:
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # as above


def settings() -> tuple[int, bool]:
    return logging.get_verbosity(), logging.is_progress_bar_enabled()


LOUD, QUIET = (INFO, True), (ERROR, False)


def test_it_is_quiet_within_and_as_before_afterwards() -> None:
    with quiet():
        assert settings() == QUIET
        with quiet():
            assert settings() == QUIET
        assert settings() == QUIET
    assert settings() == LOUD


def test_the_first_to_come_may_be_the_first_to_leave() -> None:
    """The second would put back the silence that it found, for good, if each put back what it had found."""
    entered, left = Barrier(2, timeout=10), Barrier(2, timeout=10)
    found: list[tuple[int, bool]] = []

    def second() -> None:
        with quiet():
            entered.wait()
            left.wait()
            found.append(settings())

    other = Thread(target=second)
    with quiet():
        other.start()
        entered.wait()
    left.wait()
    other.join()
    assert found == [QUIET]
    assert settings() == LOUD


def test_an_exception_ends_it_too() -> None:
    with pytest.raises(ValueError, match="too loud"), quiet():
        raise ValueError("too loud")
    assert settings() == LOUD
