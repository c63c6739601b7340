"""``vqamt probe --scores`` on llama.cpp with random weights, and behind gateways with faults."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.probing.against.comparison import compare
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probe import MOST_REQUESTS
from pytest_vqamt.probing.scores.probe import SETTINGS, probe_scores
from tests.models.openai.small_llama import llama_server
from tests.probing.proxy import GATEWAYS, honest, proxied

pytestmark = pytest.mark.full

pytest.importorskip("xllamacpp", exc_type=ImportError)
pytest.importorskip("gguf")
pytest.importorskip("httpx2")

_OF_LLAMA = [FindingKind.EXIF, FindingKind.ALPHA]
"""stb_image decodes pixels as they are stored, and llama.cpp drops the alpha channel: seen in raw requests, too."""

_NAMED = {
    "cache by text": FindingKind.TEXT_KEYED,
    "pictures sorted": FindingKind.PERMUTED,
    "cropped": FindingKind.CROPPED,
    "JPEG as BGR": FindingKind.JPEG,
    "second picture dropped": FindingKind.FIRST_ONLY,
    "system message dropped": FindingKind.SYSTEM_IGNORED,
    "answers exchanged": FindingKind.SWAPPED_ANSWERS,
}

_EXPLAINED = {
    "channels exchanged": "pixels: A answers as B does to the picture red and blue exchanged",
    "pictures reversed": "parts: A answers as B does to the pictures in reverse order",
    "cropped": "pixels: A answers as B does to the picture cropped to its centre",
}

_NOT_HERE = "EXIF removed"
"""llama.cpp looks at no EXIF in any case."""


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("llama")) as url:
        yield url


def loaded(url: str) -> LoadedModel:
    return ModelCatalogue().load(f"openai:random@{url}", ModelOptions(settings=dict(SETTINGS)))


def test_every_gateway_is_tried() -> None:
    assert _NAMED.keys() | _EXPLAINED.keys() | {_NOT_HERE} == GATEWAYS.keys()


@pytest.mark.parametrize("seed", range(3))
def test_llama_cpp_has_the_two_findings_that_are_true(llama: str, seed: int) -> None:
    result = probe_scores(loaded(llama), limit=MOST_REQUESTS, seed=seed)

    assert [each.kind for each in result.findings] == _OF_LLAMA
    assert "the orientation is ignored" in result.findings[0].detail
    assert result.skipped == []


def test_llama_cpp_does_not_differ_from_itself(llama: str) -> None:
    result = compare(loaded(llama), loaded(llama), limit=MOST_REQUESTS)

    assert result.parted == ""
    assert result.has_scores
    assert result.complete


@pytest.mark.parametrize("fault", _NAMED)
def test_a_gateway_with_a_fault_is_named(llama: str, fault: str) -> None:
    with proxied(llama, GATEWAYS[fault]()) as url:
        result = probe_scores(loaded(url), limit=MOST_REQUESTS)

    kinds = [each.kind for each in result.findings]
    assert [each for each in kinds if each not in _OF_LLAMA] == [_NAMED[fault]]


@pytest.mark.parametrize("fault", _EXPLAINED)
def test_a_reference_explains_a_gateway_with_a_fault(llama: str, fault: str) -> None:
    with proxied(llama, GATEWAYS[fault]()) as url, proxied(llama, honest) as other:
        result = compare(loaded(url), loaded(other), limit=MOST_REQUESTS)

    assert result.parted == _EXPLAINED[fault]
