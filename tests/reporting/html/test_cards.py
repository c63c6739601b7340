"""The cards of the page say what the cases say, and their pictures show it; the whole stays within its bytes."""

from __future__ import annotations

import json
from base64 import b64decode
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, features

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.edits import Fill
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.recipes import picture_recipe
from pytest_vqamt.core.results import Report
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.imaging.inpainters import telea
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.reporting.html import case_cards as module
from pytest_vqamt.reporting.html.case_cards import (
    PageCases,
    PictureRequest,
    Thumbnail,
    by_use,
    select_cards,
    thumbnail,
    thumbnails,
)
from pytest_vqamt.reporting.html.case_selection import Images
from pytest_vqamt.reporting.merging import merge_folders
from tests.reporting.erratic import SPEC
from tests.reporting.html.made import gate, report, result
from tests.reporting.reported import cases_in, query_of, row_of, write_rows
from tests.reporting.running import run_into, world

Card = dict[str, Any]

RELATIONS = ("metavqa.insertion[count]", "metavqa.removal[count]", "metavqa.partition[object]", "control.repeat")


def at_hand(spec: str) -> SceneSource:
    return world(spec)


def away(spec: str) -> None:
    return None


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, Path]:
    """A run with violations of three relations."""
    folder = tmp_path_factory.mktemp("run")
    return run_into(folder, model=SPEC, relations=RELATIONS, max_cases=12), folder


@pytest.fixture(scope="module")
def everything(run: tuple[Report, Path]) -> dict[str, Any]:
    return parsed(select_cards(*run, at_hand, Images.ALL))


def rows(folder: Path) -> list[Card]:
    return cases_in(folder)


def parsed(shown: PageCases) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(shown.json)
    assert len(made["cards"]) == shown.shown
    return made


def of(report: Report, count: int) -> Report:
    """The report of a file of ``count`` cases, as far as cards are concerned."""
    return replace(report, relations=(replace(report.relations[0], tally=Tally(cases=count), presumed=None),))


def test_violations_have_cards_and_then_two_cases_of_each_item_that_hold(run: tuple[Report, Path]) -> None:
    shown = select_cards(*run, at_hand, Images.VIOLATIONS)
    violated = [row["case_id"] for row in rows(run[1]) if row["verdict"] != "holds"]
    holds = Counter(row["relation"] for row in rows(run[1]) if row["verdict"] == "holds")
    assert len(violated) > 5
    cards = parsed(shown)["cards"]
    assert sorted(card["id"] for card in cards[: len(violated)]) == sorted(violated)
    assert {card["verdict"] for card in cards[len(violated) :]} == {"holds"}
    assert Counter(card["item"] for card in cards[len(violated) :]) == {
        item: min(2, count) for item, count in holds.items()
    }
    assert (shown.shown, shown.left_out, shown.notes) == (len(cards), 0, ())


def test_gates_and_regressions_come_first_and_one_case_of_each_item_before_two_of_any() -> None:
    told = report(
        result("ours.strong", interval=(0.5, 0.9)),
        result("ours.weak", interval=(0.0, 0.2)),
        result("ours.gated", interval=(0.0, 0.95), gate=gate(0.9, met=False)),
    )
    names = ("strong", "strong", "weak", "weak", "gated", "gated")
    told_rows = [
        row_of(f"{name}{n}", item=f"ours.{name}", model="tiny", data="gqa:DIR") for n, name in enumerate(names)
    ]
    told_rows += [
        row_of("regressed", item="ours.strong", model="tiny", data="gqa:DIR", before="holds"),
        row_of("error", "error", item="ours.weak", model="tiny", data="gqa:DIR"),
    ]
    assert [str(row["case_id"]).rstrip("f") for row in by_use(told, told_rows)] == [
        "regressed", "gated4", "gated5", "weak2", "strong0", "weak3", "strong1", "error",
    ]  # fmt: skip


def test_a_card_says_what_the_case_says(run: tuple[Report, Path], everything: dict[str, Any]) -> None:
    cards = {card["id"]: card for card in everything["cards"]}
    assert len(cards) == len(rows(run[1]))
    for row in rows(run[1]):
        card = cards[row["case_id"]]
        same = ("model", "data", "scene", "verdict", "expected", "reason", "facts")
        assert {name: card[name] for name in same} == {name: row[name] for name in same}
        assert (card["id"], card["item"], card["before"]) == (row["case_id"], row["relation"], None)
        assert (card["presumed"], card["waived"]) == (False, False)
        told = [(each["text"], each["picture"], each["answer"], each["reading"]) for each in card["queries"]]
        assert told == [
            (query["text"], query["picture"]["digest"], answer, reading)
            for query, answer, reading in zip(row["queries"], row["answers"], row["readings"], strict=True)
        ]
        assert [each["manner"] for each in card["queries"]] == [
            "asked again" if query.get("trial") else "" for query in row["queries"]
        ]


def test_all_that_is_asked_about_has_a_picture(run: tuple[Report, Path], everything: dict[str, Any]) -> None:
    asked = {query["picture"] for card in everything["cards"] for query in card["queries"]}
    assert set(everything["pictures"]) == asked
    assert all(each["uri"].startswith("data:image/webp;base64,") for each in everything["pictures"].values())
    shown = parsed(select_cards(*run, at_hand, Images.VIOLATIONS))
    assert set(shown["pictures"]) == {query["picture"] for card in shown["cards"] for query in card["queries"]} < asked
    assert parsed(select_cards(*run, at_hand, Images.NONE)) == {
        "cards": [{**card, "queries": without_regions(card)} for card in shown["cards"]],
        "totals": shown["totals"],
        "claims": shown["claims"],
        "pictures": {},
    }


def without_regions(card: Card) -> list[Card]:
    return [{**query, "asked": []} for query in card["queries"]]


def test_what_was_inserted_is_outlined_and_named(everything: dict[str, Any], run: tuple[Report, Path]) -> None:
    inserting = [row for row in rows(run[1]) if row["relation"] == "metavqa.insertion[count]"]
    cards = {card["id"]: card for card in everything["cards"]}
    for row in inserting:
        (edit,) = row["queries"][1]["picture"]["edits"]
        name, box = edit["cutout"]["thing"]["name"], edit["box"]
        before, after = cards[row["case_id"]]["queries"]
        assert (before["edits"], after["edits"]) == ("", f"inserted {name}")
        assert everything["pictures"][before["picture"]]["regions"] == []
        (region,) = everything["pictures"][after["picture"]]["regions"]
        # The picture world's pictures are of 224 x 224 pixels, and what is inserted lies within.
        assert region == {
            "kind": "edit",
            "label": f"inserted {name}",
            "x": pytest.approx(box["x"] / 224, abs=1e-3),
            "y": pytest.approx(box["y"] / 224, abs=1e-3),
            "w": pytest.approx(box["w"] / 224, abs=1e-3),
            "h": pytest.approx(box["h"] / 224, abs=1e-3),
        }
        assert name in cards[row["case_id"]]["objects"]


def test_what_is_asked_about_is_outlined_in_each_question_of_its_own(
    everything: dict[str, Any], run: tuple[Report, Path]
) -> None:
    row = next(row for row in rows(run[1]) if row["facts"].get("present_groups") == 2 and len(row["queries"]) == 3)
    card = next(card for card in everything["cards"] if card["id"] == row["case_id"])
    names = [group["name"] for group in row["queries"][0]["meaning"]["groups"]]
    assert card["objects"] == names
    scene = next(scene for scene in map(world("pictures:20").scene, range(20)) if scene.id == row["scene"])
    boxes = [[thing.box for thing in scene.objects if thing.name == name] for name in names]
    for query, wanted in zip(card["queries"], ([*boxes[0], *boxes[1]], *boxes), strict=True):
        assert {each["kind"] for each in query["asked"]} == {"asked"}
        assert [each["x"] for each in query["asked"]] == [round(box.x / 224, 3) for box in wanted]
        assert all(0 <= each["x"] <= each["x"] + each["w"] <= 1.001 for each in query["asked"])


def test_the_cards_of_merged_shards_are_those_of_one_run(run: tuple[Report, Path], tmp_path: Path) -> None:
    for number in (1, 2):
        run_into(
            tmp_path / str(number),
            shard=(number, 2),
            model=SPEC,
            relations=RELATIONS,
            max_cases=12,
        )
    report = merge_folders([tmp_path / "2", tmp_path / "1"], tmp_path / "out")
    assert select_cards(report, tmp_path / "out", at_hand, Images.ALL) == select_cards(*run, at_hand, Images.ALL)


def test_where_the_data_is_not_at_hand_there_are_cards_without_pictures(run: tuple[Report, Path]) -> None:
    shown = select_cards(*run, away, Images.VIOLATIONS)
    made = parsed(shown)
    assert made["pictures"] == {}
    assert len(made["cards"]) > 5
    (note,) = shown.notes
    assert note.startswith("The pictures of pictures:20 are not shown: the data was not at hand")
    assert select_cards(*run, away, Images.NONE).notes == ()


def test_a_picture_that_is_not_what_it_was_is_not_shown(run: tuple[Report, Path], tmp_path: Path) -> None:
    report, folder = run
    broken = [row for row in rows(folder) if row["verdict"] != "holds"]
    for row in broken[:2]:
        for query in row["queries"]:
            query["picture"]["digest"] = f"other than {query['picture']['photo']}"
    write_rows(tmp_path, broken)
    shown = select_cards(of(report, len(broken)), tmp_path, at_hand, Images.VIOLATIONS)
    made = parsed(shown)
    drawn = {
        card["id"]: all(query["picture"] in made["pictures"] for query in card["queries"]) for card in made["cards"]
    }
    assert drawn == {row["case_id"]: place > 1 for place, row in enumerate(broken)}
    (note,) = shown.notes
    assert "could not be drawn; the first: Expected the photo that the picture was made of" in note


def test_only_some_of_the_pictures_that_take_long_are_drawn(
    run: tuple[Report, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_vqamt.imaging.inpainters.biharmonic", telea)  # which is slow by its name alone here
    monkeypatch.setitem(module.SLOW_AT_MOST, Images.VIOLATIONS, 2)
    pictures = [
        scene.picture.erase(Box(10, 10, 9, 9), Fill.INPAINT, method=method)
        for scene, method in zip(map(world("pictures:20").scene, range(5)), ("telea", *["biharmonic"] * 4), strict=True)
    ]
    written = [
        row_of(name, queries=[{**query_of("?"), "picture": picture_recipe(picture)}])
        for name, picture in zip("abcde", pictures, strict=True)
    ]
    write_rows(tmp_path, written)
    shown = select_cards(of(run[0], 5), tmp_path, at_hand, Images.VIOLATIONS)
    assert set(parsed(shown)["pictures"]) == {each.digest for each in pictures[:3]}
    (note,) = shown.notes
    assert note.startswith("2 pictures are not shown: the page would be too large, or too slow to draw")


HOSTILE = '</script><img src=x onerror="alert(1)"><!--\u2028\u2029 ]]>'


def test_nothing_ends_the_script_element_that_it_stands_in(run: tuple[Report, Path], tmp_path: Path) -> None:
    query = {**rows(run[1])[0]["queries"][0], "text": HOSTILE}
    fields = dict.fromkeys(("scene", "expected", "reason", "item", "model"), HOSTILE)
    row = row_of("a", answers=[HOSTILE], readings=[HOSTILE], facts={HOSTILE: HOSTILE}, queries=[query], **fields)
    write_rows(tmp_path, [row])
    shown = select_cards(of(run[0], 1), tmp_path, at_hand, Images.VIOLATIONS)
    assert "<" not in shown.json
    assert "\u2028" not in shown.json
    assert "\u2029" not in shown.json
    (card,) = parsed(shown)["cards"]
    seen = HOSTILE.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    assert (card["item"], card["reason"], card["facts"]) == (seen, seen, {seen: seen})
    assert card["queries"][0]["text"] == card["queries"][0]["answer"] == seen


def test_an_answer_that_there_is_none_of_is_null(run: tuple[Report, Path], tmp_path: Path) -> None:
    write_rows(tmp_path, [row_of("a", "error", answers=[None], readings=[], waived=True, tags=["presumed"])])
    (card,) = parsed(select_cards(of(run[0], 1), tmp_path, away, Images.VIOLATIONS))["cards"]
    assert (card["queries"][0]["answer"], card["queries"][0]["reading"]) == (None, None)
    assert (card["verdict"], card["waived"], card["presumed"]) == ("error", True, True)


def test_half_of_a_pair_of_characters_is_no_end(run: tuple[Report, Path], tmp_path: Path) -> None:
    row = json.dumps(row_of("a", answers=["half \ud83d"]))
    (tmp_path / "cases.jsonl").write_text(f"{row}\n", encoding="ascii")
    (card,) = parsed(select_cards(of(run[0], 1), tmp_path, away, Images.VIOLATIONS))["cards"]
    assert card["queries"][0]["answer"] == "half \\ud83d"


def test_long_texts_are_shortened(run: tuple[Report, Path], tmp_path: Path) -> None:
    write_rows(tmp_path, [row_of("a", answers=["word " * 10_000], reason="x" * 9_000, facts={"long": "y" * 9_000})])
    shown = select_cards(of(run[0], 1), tmp_path, away, Images.VIOLATIONS)
    (card,) = parsed(shown)["cards"]
    assert card["queries"][0]["answer"] == f"{'word ' * 100}... (50,000 characters)"
    assert (card["reason"], card["facts"]["long"]) == tuple(f"{each * 500}... (9,000 characters)" for each in "xy")


class Noisy(PictureWorld):
    """A world whose photos are as hard to make small as any."""

    def photo(self, photo: Photo) -> Image.Image:
        values = np.random.default_rng(self.place(photo.id)).integers(0, 256, (56, 56, 3), dtype=np.uint8)
        return Image.fromarray(values).resize((224, 224), Image.Resampling.NEAREST)


@pytest.mark.parametrize("room", [pytest.param(120_000, marks=pytest.mark.full), 90_000])
def test_pictures_that_are_hard_to_make_small_stay_within_their_bytes(
    run: tuple[Report, Path], monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    noisy = Noisy(20)
    monkeypatch.setitem(module.BYTES_AT_MOST, Images.VIOLATIONS, room)
    shown = select_cards(*run, lambda _spec: noisy, Images.VIOLATIONS)
    assert len(shown.json.encode()) <= room
    widths = [each["width"] for each in parsed(shown)["pictures"].values()]
    assert len(widths) > 20
    assert max(widths) < 224


@pytest.mark.parametrize("room", [100_000, 70_000])
def test_the_text_stays_within_its_bytes(run: tuple[Report, Path], monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    whole = select_cards(*run, at_hand, Images.VIOLATIONS)
    assert len(whole.json.encode()) > 100_000
    monkeypatch.setitem(module.BYTES_AT_MOST, Images.VIOLATIONS, room)
    shown = select_cards(*run, at_hand, Images.VIOLATIONS)
    assert len(shown.json.encode()) <= room
    made = parsed(shown)
    assert len(made["cards"]) == whole.shown
    assert made["pictures"]
    missing = len(parsed(whole)["pictures"]) - len(made["pictures"])
    assert bool(missing) == (room == 70_000)
    told = [f"{missing} pictures are not shown: the page would be too large, or too slow to draw;"] if missing else []
    assert [note.partition(" the pictures of a case")[0] for note in shown.notes] == told
    # Every item has its share of what is drawn.
    drawn = {card["item"] for card in made["cards"] if card["queries"][0]["picture"] in made["pictures"]}
    assert drawn == {card["item"] for card in made["cards"]}


def test_cards_that_take_too_much_room_are_fewer(run: tuple[Report, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = select_cards(*run, at_hand, Images.VIOLATIONS)
    monkeypatch.setitem(module.BYTES_AT_MOST, Images.VIOLATIONS, 24_000)
    monkeypatch.setitem(module.CARDS_AT_MOST, Images.VIOLATIONS, 64)
    shown = select_cards(*run, at_hand, Images.VIOLATIONS)
    assert len(shown.json.encode()) <= 24_000
    violated = sum(card["verdict"] != "holds" for card in parsed(whole)["cards"])
    assert (shown.shown, shown.shown + shown.left_out) == (16, violated)
    assert parsed(shown)["pictures"]


def test_more_violations_than_a_page_holds_are_counted(
    run: tuple[Report, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(module.CARDS_AT_MOST, Images.VIOLATIONS, 4)
    violated = [row for row in rows(run[1]) if row["verdict"] != "holds"]
    shown = select_cards(*run, at_hand, Images.VIOLATIONS)
    assert (shown.shown, shown.left_out) == (4, len(violated) - 4)
    items = {row["relation"] for row in violated}
    assert {card["item"] for card in parsed(shown)["cards"]} == items


def test_cases_that_are_not_those_of_the_report_are_refused(run: tuple[Report, Path], tmp_path: Path) -> None:
    write_rows(tmp_path, rows(run[1])[1:])
    with pytest.raises(DataError, match=r"Expected 48 cases, as the report counts, but got 47 in the cases of"):
        select_cards(run[0], tmp_path, at_hand, Images.VIOLATIONS)


def test_a_recipe_of_another_version_leaves_its_card(run: tuple[Report, Path], tmp_path: Path) -> None:
    row = rows(run[1])[0]
    query = row["queries"][0]
    query["meaning"] = {"is": "Unheard", "of": 1}
    query["picture"]["edits"] = [{"is": "Sparkle"}, "nonsense"]
    write_rows(tmp_path, [{**row_of("a"), "queries": [query]}])
    shown = select_cards(of(run[0], 1), tmp_path, at_hand, Images.VIOLATIONS)
    (card,) = parsed(shown)["cards"]
    assert (card["objects"], card["queries"][0]["edits"], card["queries"][0]["asked"]) == ([], "", [])
    (note,) = shown.notes
    assert note.startswith("1 picture could not be drawn; the first: Expected a recipe that this version reads")


def noise(width: int, height: int) -> Image.Image:
    """The hardest there is to make small."""
    return Image.fromarray(np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8))


def opened(small: Thumbnail) -> Image.Image:
    _, _, text = small.uri.partition(";base64,")
    return Image.open(BytesIO(b64decode(text))).convert("RGB")


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ((448, 224), (224, 112)),
        ((224, 224), (224, 224)),
        ((60, 448), (30, 224)),
        ((50, 40), (50, 40)),
        ((1, 1), (1, 1)),
    ],
)
def test_the_longer_side_is_224_pixels_at_most(size: tuple[int, int], shown: tuple[int, int]) -> None:
    small = thumbnail(Image.new("RGB", size, (200, 30, 30)), 100_000)
    assert (small.width, small.height) == shown
    assert opened(small).size == shown


def test_a_long_strip_keeps_a_pixel() -> None:
    assert opened(thumbnail(Image.new("RGB", (4000, 3)), 100_000)).size == (224, 1)


def test_it_shows_the_picture() -> None:
    source = load("pictures:20")
    image = source.photo(source.scene(3).photo)
    small = opened(thumbnail(image, 100_000))
    difference = np.abs(np.asarray(small, dtype=int) - np.asarray(image.resize(small.size), dtype=int))
    assert difference.mean() < 3


def test_what_is_hard_to_make_small_is_made_smaller_until_it_fits() -> None:
    image = noise(640, 480)
    sizes = [thumbnail(image, most) for most in (100_000, 12_000, 3_000, 10)]
    assert [each.bytes <= most for each, most in zip(sizes, (100_000, 12_000, 3_000, 10), strict=True)] == [
        True, True, True, False,
    ]  # fmt: skip
    assert [each.width for each in sizes] == sorted((each.width for each in sizes), reverse=True)
    assert sizes[0].width == 224
    assert sizes[-1].width == 32
    assert all(len(b64decode(each.uri.partition(",")[2])) == each.bytes for each in sizes)


def test_without_webp_it_is_jpeg(monkeypatch: pytest.MonkeyPatch) -> None:
    assert thumbnail(noise(64, 64), 100_000).uri.startswith("data:image/webp;base64,UklGR")
    monkeypatch.setattr(features, "check", lambda feature: feature != "webp")
    module.picture_format.cache_clear()
    try:
        small = thumbnail(noise(64, 64), 100_000)
    finally:
        module.picture_format.cache_clear()
    assert small.uri.startswith("data:image/jpeg;base64,/9j/")
    assert opened(small).size == (64, 64)


def test_any_number_of_threads_draws_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    source = load("pictures:20")
    pictures = [source.scene(index).picture for index in range(8)]
    wanted = [PictureRequest(each, source) for picture in pictures for each in (picture, picture.blur(sigma=4))]
    told: list[int] = []
    made = []
    for cores in (1, 3):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        made.append(list(thumbnails(wanted, 4_000, lambda: told.append(1))))
    assert made[0] == made[1]
    assert len({each.uri for each in made[0] if isinstance(each, Thumbnail)}) == 16
    assert len(told) == 32


def test_a_picture_that_cannot_be_drawn_says_why_and_the_others_are_drawn() -> None:
    class Photos(PictureWorld):
        """Has lost the photo of one scene, and fails in its own way on another."""

        def photo(self, photo: Photo) -> Image.Image:
            if photo.id == "pictures-0-1":
                raise DataError("Expected a photo, but got none")
            if photo.id == "pictures-0-2":
                raise MemoryError
            return super().photo(photo)

    world = Photos(20)
    made = list(thumbnails([PictureRequest(world.scene(index).picture, world) for index in range(4)], 4_000))
    assert [isinstance(each, Thumbnail) for each in made] == [True, False, False, True]
    assert made[1:3] == ["Expected a photo, but got none", "MemoryError"]


def test_the_claims_of_relations_are_there_in_words(run: tuple[Report, Path], everything: dict[str, Any]) -> None:
    assert {card["item"] for card in everything["cards"]} <= set(everything["claims"])
    assert everything["claims"]["metavqa.partition[object]"] == (
        "The count of two groups together equals the sum of their counts."
    )
