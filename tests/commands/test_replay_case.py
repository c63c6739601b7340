"""``vqamt replay CASE-ID`` finds a case in a report and writes its pictures, with no model at hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageOps

from pytest_vqamt.cli import main
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Outcome, Verdict
from pytest_vqamt.core.codec import Json, replace
from pytest_vqamt.core.edits import Fill
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.meaning import Exists, Group
from pytest_vqamt.core.query import Answer, Failure, Query
from pytest_vqamt.core.report_json import case_line, case_row
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.imaging import inpainters, inpainting
from pytest_vqamt.imaging.outlines import STROKES, OutlineKind
from pytest_vqamt.integration.replaying import find_case
from pytest_vqamt.picture_world.source import PictureWorld
from tests.integration.half_bad import half_bad

SOURCE = PictureWorld(6)
VIOLATED = Verdict(outcome=Outcome.VIOLATED, reason="all answers must be the same, but got yes, no")
SAID = (Answer("yes"), Answer("no"))


def case_of(index: int) -> Case:
    """Is there one of the first thing? In the photo, and where that thing is erased and the rest mirrored."""
    scene = SOURCE.scene(index)
    thing = scene.objects[0]
    meaning = Exists(group=Group(name=thing.name))
    edited = scene.picture.erase(thing.box).mirror()
    return Case(
        relation="ours.erase",
        variant="object",
        scene=scene.id,
        queries=tuple(
            Query(picture=picture, text=f"Is there a {thing.name}?", meaning=meaning)
            for picture in (scene.picture, edited)
        ),
        expected="first = second",
    )


CASES = tuple(case_of(index) for index in range(4))


def row(
    case: Case,
    answers: Sequence[Answer | Failure] = SAID,
    verdict: Verdict = VIOLATED,
    *,
    model: str = "tiny",
    data: str = "pictures:6",
) -> dict[str, Json]:
    return case_row(case, answers, verdict, model=model, data=data)


def report(folder: Path, *rows: dict[str, Json]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "cases.jsonl"
    file.write_text("".join(case_line(each) + "\n" for each in rows), encoding="utf-8")
    return file


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *typed: str) -> list[str]:
    assert main(["replay", *typed]) == 0
    return capsys.readouterr().out.splitlines()


def refusal(capsys: pytest.CaptureFixture[str], *typed: str) -> str:
    assert main(["replay", *typed]) == 2
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    return printed.err.removeprefix("vqamt: ").rstrip()


def refusal_after_printing(capsys: pytest.CaptureFixture[str], *typed: str) -> str:
    assert main(["replay", *typed]) == 2
    return capsys.readouterr().err


def opened(file: Path) -> Image.Image:
    with Image.open(file) as image:
        assert image.format == "PNG"
        return image.convert("RGB")


def test_what_was_said_is_told_and_the_pictures_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    report(Path("out"), *map(row, CASES))
    case = CASES[2]
    folder = Path("vqamt-replay") / case.id
    asked, edited = case.queries[0].text, " [erased (white); mirrored]"
    assert told(capsys, case.id) == [
        "from out/cases.jsonl",
        f"case {case.id}: ours.erase[object], scene {case.scene}, on tiny",
        f"    {asked}{' ' * len(edited)}  ->  'yes'  ({folder / '1.png'})",
        f"    {asked}{edited}  ->  'no'  ({folder / '2.png'})",
        "  expected: first = second",
        "  violated: all answers must be the same, but got yes, no",
        f"  side by side: {folder / 'sheet.png'}",
    ]
    assert sorted(each.name for each in folder.iterdir()) == ["1.png", "2.png", "sheet.png"]
    photo = SOURCE.photo(SOURCE.scene(2).photo)
    assert ImageChops.difference(opened(folder / "1.png"), photo).getbbox() is None
    # The mirrored photo, but for a white patch where the first thing was.
    patch = SOURCE.scene(2).objects[0].box.mirrored(photo.width)
    changed = ImageChops.difference(opened(folder / "2.png"), ImageOps.mirror(photo)).getbbox()
    assert changed is not None
    assert changed[0] >= patch.x - 1
    assert changed[1] >= patch.y - 1
    assert changed[2] <= patch.x1 + 1
    assert changed[3] <= patch.y1 + 1


def test_the_sheet_outlines_what_was_edited_and_what_is_asked_about(capsys: pytest.CaptureFixture[str]) -> None:
    report(Path("out"), row(CASES[0]))
    told(capsys, CASES[0].id)
    pixels = np.asarray(opened(Path("vqamt-replay") / CASES[0].id / "sheet.png"))
    for shows in (OutlineKind.EDITED, OutlineKind.ASKED):
        strong = (pixels == np.array(STROKES[shows].colour, dtype=np.uint8)).all(axis=-1)
        assert strong[60:].sum() > 100, "below the legend"


def test_the_beginning_of_an_id_is_enough(capsys: pytest.CaptureFixture[str]) -> None:
    report(Path("out"), *map(row, CASES))
    others = {case.id for case in CASES[1:]}
    length = next(n for n in range(1, 17) if not any(other.startswith(CASES[0].id[:n]) for other in others))
    assert told(capsys, CASES[0].id[:length])[1].startswith(f"case {CASES[0].id}: ")


def test_what_begins_several_ids_is_refused_with_some_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    report(Path("out"), *map(row, CASES))
    with pytest.raises(OptionError) as refused:
        find_case("", Path("out"))
    assert str(refused.value) == (
        f"Expected the id of one case, but got '', with which 4 begin ({', '.join(case.id for case in CASES)}): "
        "type more of it"
    )
    assert refusal(capsys, "") == "Expected a value for each argument, but got '' after 'replay': give one"


def test_all_that_several_models_said_is_told_and_each_picture_written_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    same = (Answer("yes"), Answer("yes"))
    holds = Verdict(outcome=Outcome.HOLDS)
    report(Path("out"), row(CASES[0]), row(CASES[1]), row(CASES[0], same, holds, model="lxmert"))
    lines = told(capsys, CASES[0].id, "--out", "seen")
    assert [line for line in lines if line.startswith("case ")] == [
        f"case {CASES[0].id}: ours.erase[object], scene {CASES[0].scene}, on {model}" for model in ("tiny", "lxmert")
    ]
    assert "  holds" in lines
    assert sorted(each.name for each in Path("seen").iterdir()) == ["1.png", "2.png", "sheet.png"]


def test_an_answer_that_a_model_failed_to_give(capsys: pytest.CaptureFixture[str]) -> None:
    failed = Verdict(outcome=Outcome.ERROR, reason="out of memory")
    report(Path("out"), row(CASES[0], (Answer("yes"), Failure(reason="out of memory")), failed))
    lines = told(capsys, CASES[0].id)
    assert "  ->  no answer  (" in lines[3]
    assert "  error: out of memory" in lines


@pytest.mark.parametrize("place", [".", "out", "runs/monday"])
def test_reports_are_looked_for_where_they_usually_are(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = report(Path(place), row(CASES[0]))
    assert told(capsys, CASES[0].id)[0] == f"from {file}"


def test_other_reports_with_the_case_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    report(Path("runs/monday"), row(CASES[0], model="old"))
    report(Path("out"), row(CASES[0]))
    lines = told(capsys, CASES[0].id)
    assert lines[0] == "from out/cases.jsonl; also in runs/monday/cases.jsonl: name one with --report"
    lines = told(capsys, CASES[0].id, "--report", "runs/monday")
    assert lines[0] == "from runs/monday/cases.jsonl"
    assert lines[1].endswith(", on old")


def test_a_violation_that_was_only_shown_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    report(Path("out"), row(CASES[0]))
    kept = Path(".pytest_cache/d/vqamt/answers.sqlite")
    with AnswerStore(kept) as store:
        store.keep_case(CASES[1].id, case_line(row(CASES[1])))
    assert told(capsys, CASES[1].id)[:2] == [
        f"from {kept}",
        f"case {CASES[1].id}: ours.erase[object], scene {CASES[1].scene}, on tiny",
    ]
    assert f"it is not in out/cases.jsonl, {kept}; " in refusal(capsys, "0" * 16)


def test_a_simplified_violation_is_found_in_its_report_alone(capsys: pytest.CaptureFixture[str]) -> None:
    report(Path("out"), row(CASES[0]))
    report(Path("other"), row(CASES[0]))
    Path("out/simplified.jsonl").write_text(f"{case_line(row(CASES[1]))}\n", encoding="utf-8")
    assert told(capsys, CASES[1].id)[0] == "from out/simplified.jsonl"
    assert told(capsys, CASES[1].id[:8], "--report", "out")[0] == "from out/simplified.jsonl"
    with AnswerStore(Path(".pytest_cache/d/vqamt/answers.sqlite")) as store:
        store.keep_case(CASES[1].id, case_line(row(CASES[1])))
    assert refusal(capsys, CASES[1].id, "--report", "other").endswith(
        "it is not in other/cases.jsonl or simplified.jsonl beside it"
    )


def test_an_unknown_id_says_where_it_was_looked_for(capsys: pytest.CaptureFixture[str]) -> None:
    report(Path("out"), row(CASES[0]))
    report(Path("runs/monday"), row(CASES[1]))
    assert refusal(capsys, "nonsense") == (
        "Expected the id of a case of a report, or its beginning, but got 'nonsense': it is not in "
        "out/cases.jsonl, runs/monday/cases.jsonl; if the report is elsewhere, name it with --report=DIR"
    )


def test_without_any_report_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no report in this folder or below it; if the report is elsewhere, name it with --report=DIR" in (
        refusal(capsys, CASES[0].id)
    )


def test_a_folder_without_a_report_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(capsys, CASES[0].id, "--report", "out") == (
        "Expected a folder that --vqamt-report wrote, but got 'out': it has no cases.jsonl and no cases.jsonl.gz"
    )


def test_the_data_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    report(Path("out"), row(CASES[3], data="coco:no/longer/here"))
    assert "no/longer/here" in refusal(capsys, CASES[3].id)
    assert told(capsys, CASES[3].id, "--data", "pictures:4")[1].startswith(f"case {CASES[3].id}")
    assert refusal(capsys, CASES[3].id, "--data", "pictures:2") == (
        "out/cases.jsonl:1: Expected a photo of pictures:2, but got photo='pictures-0-3': take it from its scenes; "
        "if that run had other data, name it with --data"
    )


def test_data_that_the_recorded_path_does_not_lead_to_come_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    report(Path("out"), row(CASES[3], data="coco:no/longer/here"))
    told = refusal(capsys, CASES[3].id)
    assert told.startswith("out/cases.jsonl:1: ")
    assert told.endswith("; a relative path is followed from the current folder: name the data of that run with --data")
    assert "relative path" not in refusal(capsys, CASES[3].id, "--data", "photos:no/longer/here")


def test_data_with_bad_records_are_those_of_the_run_that_allowed_them(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = sources.load(half_bad(here), allow_bad_records=True)
    scene = source.scene(0)
    query = Query(picture=scene.picture, text="Is there a dog?", meaning=Exists(group=Group(name="dog")))
    case = Case(relation="ours.one", variant="all", scene=scene.id, queries=(query,), expected="yes")
    report(Path("out"), row(case, SAID[:1], data=source.spec))
    assert told(capsys, case.id)[1].startswith(f"case {case.id}: ours.one")


def test_what_a_checkpoint_made_is_made_again_where_it_is_given(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    from tests.integration.small_lama import checkpoint

    setting = checkpoint(here / "small.pt")
    scene = SOURCE.scene(0)
    box = Box(8, 8, 40, 40)
    edited = scene.picture.erase(box, Fill.INPAINT, None, inpainting.method_of(setting))
    queries = tuple(replace(each, picture=edited) for each in CASES[0].queries[:1])
    case = replace(CASES[0], queries=queries)
    report(Path("out"), row(case, SAID[:1]))
    inpainters._loaded.cache_clear()  # as in another process
    monkeypatch.setattr(inpainting, "_checkpoints", {})
    assert "(vqamt: --option inpaint=lama:PATH)" in refusal_after_printing(capsys, case.id)
    assert told(capsys, case.id, f"--option=inpaint={setting}")
    filled = opened(Path("vqamt-replay") / case.id / "1.png").crop((8, 8, 48, 48))
    assert filled.getextrema() == ((0, 0),) * 3
    assert "No such file" in refusal(capsys, case.id, "--option=inpaint=lama:no/such.pt")


def without(name: str) -> dict[str, Json]:
    return {key: value for key, value in row(CASES[0]).items() if key != name}


@pytest.mark.parametrize(
    "broken",
    [without("answers"), without("model"), without("queries"), row(CASES[0]) | {"answers": ["yes"]}],
    ids=["no answers", "no model", "no queries", "too few answers"],
)
def test_a_line_that_is_not_whole_is_named(broken: dict[str, Json], capsys: pytest.CaptureFixture[str]) -> None:
    report(Path("out"), row(CASES[1]), broken)
    assert refusal(capsys, CASES[0].id).startswith("out/cases.jsonl:2: Expected a whole ")
    assert not Path("vqamt-replay").exists()


def test_a_line_that_is_cut_off_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    file = report(Path("out"), row(CASES[0]))
    file.write_bytes(file.read_bytes()[:-20])
    assert refusal(capsys, CASES[0].id).startswith("out/cases.jsonl:1: Expected a whole line of a report, but got ")


def test_a_file_in_place_of_the_folder_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    report(Path("out"), row(CASES[0]))
    Path("taken").touch()
    assert refusal(capsys, CASES[0].id, "--out", "taken").startswith(
        "Expected a file that can be written, but got file='taken/1.png' ("
    )


def test_a_case_of_other_pixels_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    case = CASES[0]
    scene = replace(SOURCE.scene(0), photo=replace(SOURCE.scene(0).photo, digest="f" * 16))
    repainted = replace(case, queries=tuple(replace(each, picture=scene.picture) for each in case.queries))
    report(Path("out"), row(repainted))
    assert refusal(capsys, repainted.id).startswith(
        "out/cases.jsonl:1: Expected the photo that the picture was made of, but photo='pictures-0-0' gives digest="
    )
