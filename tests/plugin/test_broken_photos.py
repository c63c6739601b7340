"""A photo of which only the pixels are broken: its cases are errors that name it, and no model sees anything of it."""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from tests.plugin.conftest import Run
from tests.reporting.reported import cases_in, report_in

pytestmark = pytest.mark.full

Rows = list[dict[str, Any]]

REVERSION = "--vqamt-relations=metavqa.reversion[object]"
ALLOW = "--vqamt-allow-bad-records"

SCENES = 12
SIZE = (120, 90)
BROKEN = ("3", "5", "7")

# A model that says yes to all, and writes down what it was shown: whose photo, how many edits, and the first pixel.
LOOKS = """
    class Model:
        batch_size = 8

        def answer(self, batch):
            answers = []
            for each in batch:
                red, green, blue = each.image.getpixel((0, 0))
                picture = each.query.picture
                with open("seen.txt", "a") as log:
                    log.write(f"{picture.scene.id} {len(picture.edits)} {red} {green} {blue}\\n")
                answers.append("yes")
            return answers
"""


def colour_of(number: int) -> tuple[int, int, int]:
    return (20 * number, 255 - 20 * number, 7)


def photo_of(number: int) -> Image.Image:
    return Image.new("RGB", SIZE, colour_of(number))


def encoded(image: Image.Image, kind: str = "PNG") -> bytes:
    stream = BytesIO()
    image.save(stream, kind)
    return stream.getvalue()


def flipped_png(number: int) -> bytes:
    """A PNG of which one bit of the pixels is wrong."""
    data = bytearray(encoded(photo_of(number)))
    data[(data.index(b"IDAT") + data.index(b"IEND")) // 2] ^= 8
    return bytes(data)


def closed_jpeg(_number: int) -> bytes:
    """Half a JPEG with the mark of its end: viewers show grey for the rest."""
    data = encoded(Image.effect_noise(SIZE, 60).convert("RGB"), "JPEG")
    return data[: len(data) // 2] + b"\xff\xd9"


def torn_bmp(number: int) -> bytes:
    """A BMP that lacks its last rows."""
    return encoded(photo_of(number), "BMP")[:-3000]


@pytest.fixture
def broken_photos(pytester: pytest.Pytester) -> str:
    """The spec of twelve scenes, of which three photos have a good head and broken pixels.

    On each a dog or a cat, and a car with a mask, which is larger on the broken photos: all cars that are large enough
    to be inserted elsewhere are theirs.
    """
    pytester.makepyfile(looks=LOOKS)
    how = dict(zip(BROKEN, (flipped_png, closed_jpeg, torn_bmp), strict=True))
    rows: Rows = []
    for number in range(SCENES):
        name = str(number)
        w, h = (44, 33) if name in BROKEN else (36, 27)
        corners = [10, 10, 10 + w, 10, 10 + w, 10 + h, 10, 10 + h]
        car = {"id": "c", "name": "car", "box": [10, 10, w, h], "mask": [corners]}
        pet = {"id": "p", "name": "dog" if number % 2 else "cat", "box": [70, 60, 20, 20]}
        rows.append(
            {"id": name, "photo": f"{name}.png", "width": 120, "height": 90, "objects": [car, pet],
             "exhaustive": ["dog", "cat", "car", "cow"]}
        )  # fmt: skip
        (pytester.path / f"{name}.png").write_bytes(how[name](number) if name in how else encoded(photo_of(number)))
    (pytester.path / "graphs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return "graphs:graphs.jsonl"


def seen(pytester: pytest.Pytester) -> list[tuple[str, int, tuple[int, int, int]]]:
    """What the model was shown: whose photo, how many edits, and the first pixel."""
    lines = (pytester.path / "seen.txt").read_text().splitlines()
    return [(scene, int(edits), (int(r), int(g), int(b))) for scene, edits, r, g, b in map(str.split, lines)]


def cases(pytester: pytest.Pytester) -> Rows:
    return cases_in(pytester.path / "out")


def test_each_case_on_a_broken_photo_is_an_error_that_names_it(
    pytester: pytest.Pytester, run: Run, broken_photos: str, workers: tuple[str, ...]
) -> None:
    result = run(
        REVERSION, "--vqamt-report=out", "--vqamt-shrink=0", *workers,
        model="python:looks:Model", data=[broken_photos], max_cases=60,
    )  # fmt: skip
    result.assert_outcomes(failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    failed = [row for row in cases(pytester) if row["verdict"] == "error"]
    assert {row["scene"] for row in failed} == set(BROKEN)
    for row in failed:
        assert row["reason"].startswith(f"DataError: Expected a photo, but '{row['scene']}.png' is broken (")
    assert {row["scene"] for row in cases(pytester)} - {row["scene"] for row in failed} == {
        str(number) for number in range(SCENES)
    } - set(BROKEN)
    (told,) = report_in(pytester.path / "out")["relations"]
    assert told["errors"] == len(failed)
    assert re.search(
        rf"{len(failed)} of {told['cases']} cases had no answer, more than --vqamt-max-error-rate=0 allows; "
        r"the first: DataError: Expected a photo, but '[357]\.png' is broken",
        result.stdout.str(),
    )
    assert "Traceback" not in result.stdout.str()


def test_the_model_is_shown_nothing_of_a_broken_photo(pytester: pytest.Pytester, run: Run, broken_photos: str) -> None:
    relations = "--vqamt-relations=metavqa.reversion[object],control.reencode[spaces],metavqa.cutting*"
    result = run(relations, "--vqamt-shrink=0", model="python:looks:Model", data=[broken_photos], max_cases=40)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    shown = seen(pytester)
    assert {scene for scene, _, _ in shown} == {str(number) for number in range(SCENES)} - set(BROKEN)
    for scene, _, pixel in shown:
        assert pixel == colour_of(int(scene))


def test_nothing_of_a_broken_photo_is_shown_beside_another(
    pytester: pytest.Pytester, run: Run, broken_photos: str
) -> None:
    result = run(
        "--vqamt-relations=count.compose", "--vqamt-report=out", "--vqamt-shrink=0",
        model="python:looks:Model", data=[broken_photos], max_cases=30,
    )  # fmt: skip
    result.assert_outcomes(failed=1)
    failed = [row for row in cases(pytester) if row["verdict"] == "error"]
    assert [row for row in failed if row["scene"] not in BROKEN] != []
    for row in failed:
        assert re.match(r"DataError: Expected a photo, but '[357]\.png' is broken \(", row["reason"])
    assert {scene for scene, edits, _ in seen(pytester) if edits}.isdisjoint(BROKEN)


def test_nothing_is_cut_out_of_a_broken_photo(pytester: pytest.Pytester, run: Run, broken_photos: str) -> None:
    """Every car that is large enough is on one, and what cannot be looked at is not inserted."""
    result = run("--vqamt-relations=metavqa.insertion[exists]", model="python:looks:Model", data=[broken_photos])
    result.assert_outcomes(skipped=1)
    assert not (pytester.path / "seen.txt").exists()


def test_as_many_errors_as_are_tolerated_do_not_fail_the_run(
    pytester: pytest.Pytester, run: Run, broken_photos: str
) -> None:
    result = run(
        REVERSION, "--vqamt-max-error-rate=0.5", model="python:looks:Model", data=[broken_photos], max_cases=60
    )
    result.assert_outcomes(passed=1)
    assert re.search(r"\d+ of \d+ cases had no answer; the first: DataError: .*\.png' is broken", result.stdout.str())


def test_a_photo_that_is_cut_off_is_found_before_the_model_is_asked(
    pytester: pytest.Pytester, run: Run, broken_photos: str
) -> None:
    photo = pytester.path / "8.png"
    photo.write_bytes(photo.read_bytes()[:-30])
    options = (REVERSION, "--vqamt-max-error-rate=1", "--vqamt-report=out")
    result = run(*options, model="python:looks:Model", data=[broken_photos], max_cases=60)
    result.assert_outcomes(errors=1)
    assert "\nExpected a whole photo, but '8.png' is truncated: fetch it again\n" in result.stdout.str()
    result = run(*options, ALLOW, model="python:looks:Model", data=[broken_photos], max_cases=60)
    result.assert_outcomes(passed=1)
    (data,) = report_in(pytester.path / "out")["data"]
    assert data["bad_records"] == ["Expected a whole photo, but '8.png' is truncated: fetch it again"]
    assert "1 bad record was left out:\n  Expected a whole photo, but '8.png' is truncated" in result.stdout.str()
    assert "8" not in {scene for scene, _, _ in seen(pytester)}
