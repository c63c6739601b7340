"""LXMERT and its detector at their published sizes, with random weights, on real photos and through pytest."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from transformers import LxmertConfig, LxmertForQuestionAnswering

import pytest_vqamt.models.region_models.frcnn.detector  # noqa: F401  # pytester unloads what is loaded first in a session of it
from tests.models.region_models.small_detector import write_full_detector
from tests.models.small.tokenizers import bert_tokenizer
from tests.models.small.words import WORDS
from tests.plugin.conftest import Run
from tests.reporting.reported import cases_in, report_in

SHARED = Path(__file__).parents[2] / "../shared/data"
LIST = SHARED / "vocab" / "vqa_label2ans.json"
PHOTOS = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of ``unc-nlp/lxmert-vqa-uncased`` with the detector and the answers beside them: 1.1 GB."""
    folder = tmp_path_factory.mktemp("lxmert")
    config = LxmertConfig(num_qa_labels=3129)
    known = len(bert_tokenizer(folder, WORDS))
    bert_tokenizer(folder, [*WORDS, *(f"word{number}" for number in range(config.vocab_size - known))])
    model = LxmertForQuestionAnswering(config)
    assert sum(weight.numel() for weight in model.parameters()) > 210_000_000
    model.save_pretrained(folder)
    shutil.copy(LIST, folder / "trainval_label2ans.json")
    write_full_detector(folder / "detector")
    return folder


@pytest.fixture(scope="module")
def coco(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first photos of ../shared/data/coco with what is annotated on them."""
    folder = tmp_path_factory.mktemp("coco")
    content = json.loads((SHARED / "coco" / "instances.json").read_text())
    content["images"] = content["images"][:PHOTOS]
    kept = {image["id"] for image in content["images"]}
    content["annotations"] = [each for each in content["annotations"] if each["image_id"] in kept]
    (folder / "instances.json").write_text(json.dumps(content))
    (folder / "images").mkdir()
    for image in content["images"]:
        shutil.copy(SHARED / "coco" / "images" / image["file_name"], folder / "images")
    return folder


@pytest.mark.slow
@pytest.mark.skipif(not LIST.is_file(), reason="the photos and lists of ../shared/data are not here")
def test_three_photos_from_pixels_to_answers(pytester: pytest.Pytester, run: Run, folder: Path, coco: Path) -> None:
    """Texts are changed, and pictures blurred around what is asked about."""
    run(
        "--vqamt-relations=metavqa.partition[object],metavqa.reversion,carets.negation,carets.visual[blur6]",
        "--vqamt-device=cpu",
        "--vqamt-report=out",
        model=f"lxmert:{folder}",
        data=(f"coco:{coco}",),
        max_cases=3,
    )
    report = report_in(pytester.path / "out")
    rows = cases_in(pytester.path / "out")
    pictures = {query["picture"]["digest"] for row in rows for query in row["queries"]}
    (model,) = report["models"]
    assert model["usage"]["pictures through the detector"] == len(pictures) >= PHOTOS
    assert model["queries_asked"] >= 10
    assert not any(relation["errors"] for relation in report["relations"])
    answers = set(json.loads(LIST.read_text())) - {""}
    assert {answer for row in rows for answer in row["answers"]} <= answers
