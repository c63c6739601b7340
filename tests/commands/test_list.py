"""``vqamt list`` shows what can be named, and loads nothing heavy for it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.cli import main
from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.reference.faults import FAULTS
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.metaic import cut_outs
from pytest_vqamt.relations.presets import PRESETS
from pytest_vqamt.relations.recognition import cutout_id
from tests.integration.half_bad import half_bad


def test_the_tables_name_all_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    first = [line.split("  ")[0] for line in lines]
    for name in catalogue.names():
        [row] = [line for line in lines if line.partition(" ")[0] == name]
        variants = catalogue.get(name).info.variants
        assert variants == ("",) or row.endswith(f"  {', '.join(variant or '(none)' for variant in variants)}")
    for name in PRESETS:
        assert name in first
    for name in FAULTS:
        assert f"fault:{name}" in first
    assert {"tiny", "oracle", "answers:FILE", "python:module:factory", "pictures"} <= set(first)
    [repeat] = [line for line in lines if line.startswith("control.repeat ")]
    assert repeat.endswith("The same question on the same picture, asked twice, gets the same answer. (control)")


def test_the_faults_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--faults"]) == 0
    _, _, *rows = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows] == [f"fault:{name}" for name in FAULTS]
    assert rows[0].split("  ", 1)[1].strip() == 'says "yes" whatever is asked'
    assert main(["list", "--faults", "--json"]) == 0
    assert json.loads(capsys.readouterr().out).keys() == {"faults"}


def test_what_runs_by_default_is_said_of_each_kind_of_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert (
        "openai:, hf: and served: models run the preset today, oracle and fault: all relations but those on request, "
        "and other models the preset quick." in told
    )
    found = {spec: ModelCatalogue().kind(spec).preset for spec in ("oracle", "fault:x", "openai:x", "hf:x", "served:x")}
    assert found == {"oracle": "", "fault:x": "", "openai:x": "today", "hf:x": "today", "served:x": "today"}
    assert {
        ModelCatalogue().kind(spec).preset for spec in ("tiny", "vilt", "blip", "lxmert", "python:a:b", "answers:x")
    } == {"quick"}


def test_relations_are_grouped_by_what_they_find(capsys: pytest.CaptureFixture[str]) -> None:
    main(["list"])
    sections = capsys.readouterr().out.split("Relations that find ")[1:]
    assert [section.splitlines()[0] for section in sections] == [
        kind for kind in catalogue.KINDS if any(catalogue.kind_of(name) == kind for name in catalogue.names())
    ]
    of_places = next(section for section in sections if section.startswith("wrong places\n"))
    listed = {line.partition(" ")[0] for line in of_places.split("\n\n")[1].splitlines()[2:]}
    assert {name.partition("[")[0] for name in listed} == {
        name for name in catalogue.names() if name.startswith("spatial.")
    }


def test_every_built_in_relation_has_a_kind() -> None:
    built_in = (*catalogue.TABLE, *catalogue.ON_REQUEST)
    assert [name for name in built_in if catalogue.kind_of(name) == catalogue.OTHER] == []


def test_the_columns_stand_below_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    main(["list"])
    relations = capsys.readouterr().out.split("\n\n")[1].splitlines()
    at = relations[0].index("task")
    tasks = ("tas", "---", "vqa", "ent", "cap")
    assert all(line[at - 2 : at] == "  " and line[at : at + 3] in tasks for line in relations)


def test_json_has_the_same_and_more(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told) == ["relations", "presets", "models", "data", "faults"]
    by_id = {relation["id"]: relation for relation in told["relations"]}
    assert by_id["metavqa.reversion[property]"] == {
        "id": "metavqa.reversion[property]",
        "version": catalogue.get("metavqa.reversion").info.version,
        "task": "vqa",
        "tags": [],
        "finds": "contradictions",
        "claim": "Asked whether there is any and whether there is none, a model says yes once and no once.",
        "source": "Yuan et al., CVPR 2021, section 4.1.3",
    }
    assert by_id["control.reencode"]["tags"] == ["control"]
    assert by_id["agree.form[count_exists]"]["task"] == "vqa"
    assert by_id["agree.form[caption_count]"]["task"] == "vqa, captioning"
    assert [fault["spec"] for fault in told["faults"]] == [f"fault:{name}" for name in FAULTS]
    assert "pictures" in [source["name"] for source in told["data"]]
    assert "oracle" in [model["spec"] for model in told["models"]]


def test_listing_loads_nothing_heavy() -> None:
    code = (
        "import sys; from pytest_vqamt.cli import main; main(['list']);"
        "print({'torch', 'transformers', 'numpy', 'PIL', 'hypothesis', 'nltk'} & set(sys.modules))"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert finished.stdout.splitlines()[-1] == "set()"


# ``vqamt describe`` says what a relation claims, and shows cases with their right answers.


def described(capsys: pytest.CaptureFixture[str], *typed: str) -> str:
    assert main(["describe", *typed]) == 0
    return capsys.readouterr().out


def test_what_the_relation_says_of_itself(capsys: pytest.CaptureFixture[str]) -> None:
    printed = described(capsys, "metavqa.partition", "--max-cases=0")
    assert printed.startswith("metavqa.partition\nThe count of two groups together equals the sum of their counts.\n")
    told = dict(re.findall(r"^(\w+) {2,}(.*)$", printed, re.MULTILINE))
    assert told["source"] == "Yuan et al., CVPR 2021, section 4.1.1"
    assert told["task"] == "vqa"
    assert told["variants"] == "metavqa.partition[object], metavqa.partition[property]"
    assert told["version"] == str(catalogue.get("metavqa.partition").info.version)
    assert told["tags"] == "none"
    assert told["reports"].endswith("; each by present_groups")


def test_variants_with_captions_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    printed = described(capsys, "agree.form", "--max-cases=0")
    assert "task      vqa (agree.form[caption_exists], agree.form[caption_count]: captioning, too)\n" in printed


def test_queries_that_switch_reasoning_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    printed = described(capsys, "think.on_off", "--max-cases=1", "--data=pictures:5").partition("contrast")[0]
    assert [printed.count(f" [{how} reasoning] ") for how in ("without", "with")] == [1, 1]


def test_deviations_are_told_where_the_docstring_points_to_them_too(capsys: pytest.CaptureFixture[str]) -> None:
    printed = described(capsys, "metavqa.partition", "--max-cases=0")
    assert "Deviation: groups and properties as in groups." in printed
    assert "Two names to be added up come from different top families" in printed
    assert "``" not in printed


def test_a_control_is_said_to_be_never_gated(capsys: pytest.CaptureFixture[str]) -> None:
    assert "tags      control (never gated)" in described(capsys, "control.repeat", "--max-cases=0")


def test_the_examples_have_right_answers_that_obey(capsys: pytest.CaptureFixture[str]) -> None:
    printed = described(capsys, "metavqa.partition[object]", "--data=pictures:10", "--max-cases=3")
    assert printed.count("metavqa.partition[object] on pictures:10, with the right answers") == 1
    cases = re.findall(r"case [0-9a-f]{16}, scene pictures-0-\d\n((?: {4}.*\n)+)", printed)
    assert len(cases) == 3
    for case in cases:
        total, first, second = (int(number) for number in re.findall(r"\?\s+->  (\d+)$", case, re.MULTILINE))
        assert total == first + second
        *_, expected, contrast = case.splitlines()
        assert expected == "    expected: first = second + third"
        answers = dict(re.findall(r"^ {4}(.*\?)\s+->  (\d+)$", case, re.MULTILINE))
        text, other, demand = re.findall(r"scene \S+: (.*\?).*  ->  (\d+): the number must be (\w+)", contrast)[0]
        assert (int(other) - int(answers[text]) > 0) == (demand == "greater")


def test_examples_are_of_each_variant_that_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    both = described(capsys, "metavqa.reorder", "--data=pictures:10", "--max-cases=1")
    assert re.findall(r"^(\S+) on pictures:10", both, re.MULTILINE) == [
        "metavqa.reorder[object]",
        "metavqa.reorder[property]",
    ]
    one = described(capsys, "metavqa.reorder[property]", "--data=pictures:10", "--max-cases=1")
    assert re.findall(r"^(\S+) on pictures:10", one, re.MULTILINE) == ["metavqa.reorder[property]"]


def test_a_question_of_several_lines_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    printed = described(capsys, "choice.rotate", "--data=pictures:10", "--max-cases=8")
    assert re.search(r"^    \S.*\?\\n.*\\n.*  ->  \w", printed, re.MULTILINE)
    cases = re.split(r"^  case .*\n", printed.partition("\n\nto look")[0], flags=re.MULTILINE)[1:]
    assert all(line.startswith("    ") for case in cases for line in case.splitlines())


def test_another_seed_gives_other_examples(capsys: pytest.CaptureFixture[str]) -> None:
    def ids(seed: int) -> list[str]:
        printed = described(
            capsys, "metavqa.reversion[object]", "--data=pictures:10", "--max-cases=3", f"--seed={seed}"
        )
        return re.findall(r"case ([0-9a-f]{16})", printed)

    assert ids(1) != ids(2)
    assert ids(1) == ids(1)


def test_an_edited_picture_and_a_repeated_question_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    printed = described(capsys, "control.*", "--data=pictures:5", "--max-cases=1")
    assert re.search(r"\? \[asked again\]\s+->", printed)
    assert re.search(r"\? \[re-encoded\]\s+->", printed)


def test_an_edit_is_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    printed = described(capsys, "metavqa.cutting[count]", "--data=pictures:5", "--max-cases=1")
    pieces = [(int(start), int(stop)) for start, stop in re.findall(r"\? \[cut [xy] (\d+)\.\.(\d+)\]\s+->", printed)]
    assert len(pieces) >= 2
    assert (pieces[0][0], pieces[-1][1]) == (0, 224)
    assert all(one[1] == other[0] for one, other in pairwise(pieces))


def test_the_text_ends_with_how_to_get_a_sheet(capsys: pytest.CaptureFixture[str]) -> None:
    printed = described(capsys, "metavqa.reorder*", "--data=pictures:5", "--max-cases=1")
    assert printed.splitlines()[-1] == (
        "to look at examples: vqamt describe 'metavqa.reorder*' --data=pictures:5 --sheet=FILE.png"
    )


def test_a_sheet_shows_the_examples_of_the_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "below" / "sheet.png"
    typed = ("metavqa.reversion", "--data=pictures:10", "--max-cases=2")
    printed = described(capsys, *typed, "--sheet", str(file))
    assert printed.splitlines()[-1] == f"4 examples side by side: {file}"
    text = described(capsys, *typed)
    assert printed.splitlines()[:-1] == text.splitlines()[:-1]
    with Image.open(file) as image:
        assert (image.format, image.mode, image.width) == ("PNG", "RGB", 1200)
        high = image.height
    described(capsys, "metavqa.reversion[object]", *typed[1:], "--sheet", str(file))
    with Image.open(file) as image:
        assert image.height < high, "half the examples"


def test_where_no_scene_applies_there_is_no_sheet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def empty(self: PictureWorld, index: int) -> Scene:
        return replace(self.lay_out(index), objects=(), relationships=())

    monkeypatch.setattr(PictureWorld, "scene", empty)
    file = tmp_path / "sheet.png"
    printed = described(capsys, "metavqa.reversion[object]", "--data=pictures:3", "--sheet", str(file))
    assert "  not applicable: " in printed
    assert printed.splitlines()[-1] == f"no example to draw into {file}"
    assert not file.exists()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["metavqa.reorder[objects]"], "did you mean 'metavqa.reorder[object]'"),
        (["metavqa.reorder", "--data=picture"], "did you mean 'pictures'"),
        (["metavqa.reorder", "--max-cases=-1"], "--max-cases=-1"),
        (["metavqa.reorder", "--sheet=out.jpg"], "a file that ends in .png, but got --sheet='out.jpg'"),
        (["metavqa.reorder", "--sheet=out.png", "--max-cases=0"], "--max-cases=0 with --sheet"),
        (["metavqa.reorder", "--data=pictures:3", "--sheet=/dev/null/out.png"], "--sheet='/dev/null/out.png'"),
    ],
)
def test_a_wrong_argument_is_told_in_one_line(capsys: pytest.CaptureFixture[str], typed: list[str], told: str) -> None:
    assert main(["describe", *typed]) == 2
    assert told in capsys.readouterr().err


def test_a_setting_is_listed_and_can_be_tried(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "metavqa.removal_plus", "--option", "erase=mean"]) == 0
    printed = capsys.readouterr().out
    assert "--vqamt-option erase=white|mean|inpaint (default: white)" in printed
    assert "[erased (mean colour)]" in printed


@pytest.mark.parametrize("text", ["erase=blue", "erse=mean", "erase"])
def test_a_wrong_setting_is_told_in_one_line(capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert main(["describe", "metavqa.removal_plus", "--option", text]) == ExitStatus.USAGE
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert text in printed


def test_a_setting_that_the_relation_lacks_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "metavqa.removal", "--option", "severity=3"]) == ExitStatus.USAGE
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == (
        "vqamt: Expected --option to name a setting of 'metavqa.removal', but got 'severity'; known: erase, inpaint\n"
    )
    assert main(["describe", "metavqa.cutting", "--option", "severity=3"]) == ExitStatus.USAGE
    assert "got 'severity'; leave it off, for there is none" in capsys.readouterr().err
    assert main(["describe", "*", "--max-cases=0", "--option", "severity=3"]) == 0, "one of them has it"


def test_a_setting_is_given_once(capsys: pytest.CaptureFixture[str]) -> None:
    typed = ["describe", "metavqa.removal", "--option=erase=white", "--option=erase=mean"]
    assert main(typed) == ExitStatus.USAGE
    assert capsys.readouterr().err == (
        "vqamt: Expected --option=erase=VALUE once, but got 'erase=mean' after 'erase=white': leave one of them off\n"
    )


def test_a_checkpoint_that_is_not_there_is_told_before_anything_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "metavqa.removal", "--option=inpaint=lama:no/such.pt"]) == ExitStatus.USAGE
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "got inpaint='lama:no/such.pt' (No such file or directory)" in printed.err


@pytest.mark.parametrize("seed", range(3))
def test_examples_are_of_different_scenes_while_there_are_any(capsys: pytest.CaptureFixture[str], seed: int) -> None:
    def scenes(data: str) -> list[str]:
        printed = described(capsys, "control.repeat", f"--data={data}", "--max-cases=5", f"--seed={seed}")
        return re.findall(r"case [0-9a-f]{16}, scene (\S+)", printed)

    assert len(set(scenes("pictures:50"))) == 5
    few = scenes("pictures:2")
    assert len(few) == 5
    assert set(few[:2]) == {"pictures-0-0", "pictures-0-1"}


def test_a_sheet_that_cannot_be_written_is_told_before_anything_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["describe", "metavqa.reorder", "--data=pictures:3", "--sheet"]
    (tmp_path / "taken").touch()
    (tmp_path / "folder.png").mkdir()
    for file in (tmp_path / "taken" / "sheet.png", tmp_path / "folder.png"):
        assert main([*typed, str(file)]) == ExitStatus.USAGE
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.startswith(f"vqamt: Expected a file that can be written, but got --sheet={str(file)!r} (")


def test_a_sheet_of_before_stays_where_nothing_comes_of_the_new_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sheet.png"
    file.write_bytes(b"old")
    assert main(["describe", "metavqa.reorder", "--data=coco:no/such", "--sheet", str(file)]) == ExitStatus.USAGE
    assert capsys.readouterr().out == ""
    assert file.read_bytes() == b"old"


def test_bad_records_are_left_out_where_that_is_allowed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typed = ["describe", "control.repeat", f"--data={half_bad(tmp_path)}", "--max-cases=3"]
    assert main(typed) == ExitStatus.USAGE
    assert "--allow-bad-records" in capsys.readouterr().err
    assert main([*typed, "--allow-bad-records"]) == 0
    assert set(re.findall(r", scene (\S+)", capsys.readouterr().out)) == {"good"}


def test_a_kind_of_model_tells_what_can_be_set(capsys: pytest.CaptureFixture[str]) -> None:
    printed = described(capsys, "lxmert")
    assert printed.startswith("--vqamt-model=lxmert[:PATH]\nLXMERT with its region detector; answers questions\n")
    told = dict(re.findall(r"^(\w+) {2,}(.*)$", printed, re.MULTILINE))
    assert {"detector", "features", "answers"} <= set(told["settings"].split(", "))
    assert told["needs"] == 'pip install "pytest-vqamt[transformers]"'


def test_photos_tell_what_can_be_set(capsys: pytest.CaptureFixture[str]) -> None:
    told = dict(re.findall(r"^(\w+) {2,}(.*)$", described(capsys, "photos"), re.MULTILINE))
    assert {"boxes", "masks", "open-vocabulary", "names"} <= set(told["settings"].split(", "))


def test_a_sheet_of_a_relation_that_inserts_shows_what_may_be_inserted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet, data = tmp_path / "pool.png", "--data=pictures:30"
    printed = described(capsys, "metavqa.insertion_plus", data, "--max-cases=1", f"--sheet={sheet}")
    (number, names) = re.findall(r"^(\d+) cut-outs of (\d+) names may be inserted: ", printed, re.MULTILINE)[0]
    assert int(number) >= int(names) > 20
    assert printed.endswith(f"1 example side by side, and the cut-outs that may be inserted: {sheet}\n")
    with Image.open(sheet) as drawn:
        # Five in a row at most, of more than 150 pixels each.
        assert drawn.height > int(names) / 5 * 150
    printed = described(capsys, "metavqa.removal_plus", data, "--max-cases=1", f"--sheet={sheet}")
    assert "cut-outs" not in printed


def test_excluded_cut_outs_are_not_in_the_pool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    skip = tmp_path / "skip.txt"

    def number(*typed: str) -> int:
        printed = described(capsys, "metaic.object_appearance", "--data=pictures:30", "--max-cases=0", *typed)
        return int(re.findall(r"^(\d+) cut-outs of", printed, re.MULTILINE)[0])

    source = sources.load("pictures:30")
    entry = next(iter(cut_outs(source.corpus, "tree")))
    skip.write_text(f"{cutout_id(entry, source.corpus)}\n", encoding="utf-8")
    assert number(f"--option=exclude-cutouts={skip}") <= number()
    skip.write_text("pictures-0-3/99\n", encoding="utf-8")
    typed = ["describe", "metaic.object_appearance", "--data=pictures:30", f"--option=exclude-cutouts={skip}"]
    assert main(typed) == ExitStatus.USAGE
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert "'pictures-0-3/99'" in printed.err


def test_a_relation_of_exact_pixels_is_described_so(capsys: pytest.CaptureFixture[str]) -> None:
    said = "pixels    exact: HTTP endpoints are sent all pictures without loss\n"
    for relation, is_exact in {"view.jpeg": True, "view.pad": False}.items():
        assert (said in described(capsys, relation, "--max-cases=0")) == is_exact
