"""What may not be read is told as clearly as what is broken."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.data.catalogue import load
from tests.malformed.good import KINDS
from tests.malformed.outcomes import unclear, use

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="whoever runs this may read everything"
)


@pytest.fixture
def closed(request: pytest.FixtureRequest) -> Iterator[tuple[str, Path]]:
    """The spec of a data set, and the file or folder in it that may not be read."""
    kind, what = request.param
    data = KINDS[kind]()
    spec = data.write(Path("data"))
    photo = Path("data", sorted(data.photos)[1])
    path = {"file": Path("data", sorted(data.files)[0]), "photo": photo, "folder": Path("data")}[what]
    mode = path.stat().st_mode
    path.chmod(0)
    yield spec, path
    path.chmod(mode)


@pytest.mark.parametrize("closed", [(kind, "file") for kind in KINDS], ids=str, indirect=True)
def test_a_file(closed: tuple[str, Path]) -> None:
    spec, path = closed
    with pytest.raises(VqamtError) as caught:
        load(spec, allow_bad_records=True)
    assert unclear(str(caught.value), (path.name, "Permission denied")) == []


@pytest.mark.parametrize("closed", [(kind, "photo") for kind in KINDS], ids=str, indirect=True)
def test_a_photo(closed: tuple[str, Path]) -> None:
    spec, path = closed
    source = load(spec, allow_bad_records=True)
    used = use(source)
    assert len(used.scenes) == 2
    lines = (*source.bad_records, *used.refused)
    assert any(unclear(line, (path.name, "Permission denied")) == [] for line in lines), lines


@pytest.mark.parametrize("closed", [(kind, "folder") for kind in ("graphs", "photos")], ids=str, indirect=True)
def test_a_folder(closed: tuple[str, Path]) -> None:
    spec, path = closed
    with pytest.raises(VqamtError) as caught:
        load(spec)
    assert unclear(str(caught.value), (path.name, "Permission denied")) == []
