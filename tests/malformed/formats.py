"""Every format that is read: a good folder of it, how it is read, and which modules of the package read it."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from pytest_vqamt.annotation.detectors.catalogue import names_setting
from pytest_vqamt.commands.main import run_command
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.own_photos import noted
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.baseline import Baseline
from pytest_vqamt.integration.waivers import read_waivers
from pytest_vqamt.language.ontology.merging import ontology
from pytest_vqamt.language.question_ranking.pool import open_pool
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.openai.openai_settings import prices_from
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.feature_files import FeatureFile
from pytest_vqamt.models.region_models.frcnn.detector_config import read_config
from pytest_vqamt.models.region_models.frcnn.loading import ATTRIBUTES, OBJECTS, read_vocabulary
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, read_checkpoint_config
from pytest_vqamt.models.transformers.classifier import read_answers
from pytest_vqamt.models.transformers.prompted.family import named_processor
from pytest_vqamt.models.transformers.prompted.prompt_text import read_chat_template
from pytest_vqamt.relations.own_wordings import read_wordings
from pytest_vqamt.relations.recognition import read_excluded
from pytest_vqamt.reporting.audit.sheet import csv_text
from tests.data.made_carets import write_carets
from tests.data.made_snli_ve import write_official, write_table, write_units
from tests.data.own_films import write_films
from tests.malformed.good import KINDS
from tests.malformed.outcomes import use
from tests.models.small.features import made, tsv_row
from tests.reporting.running import run_into

Read = Callable[[], "tuple[str, ...] | int"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A folder that is good, and how it is read.

    Attributes:
        write: writes it into the current folder.
        files: the files that are broken, those first without which nothing can be read.
        read: reads the current folder; gives the messages of what is refused in part, or the exit status of a command.
            Raises VqamtError where all of it is refused.
        modules: the modules of the package that read it, below ``pytest_vqamt``.
        needed: the number of files without which nothing can be read.
        needs: a package that is not installed with every extra.
    """

    write: Callable[[], object]
    files: tuple[str, ...]
    read: Read
    modules: tuple[str, ...]
    needed: int = 1
    needs: str = ""


def _data(kind: str, *files: str, modules: tuple[str, ...], needed: int = 1) -> Format:
    made = KINDS[kind]()
    return Format(
        write=lambda: KINDS[kind]().write(Path()),
        files=files,
        read=lambda: _loaded(f"{made.kind}:{made.argument or '.'}"),
        modules=modules,
        needed=needed,
    )


def _loaded(spec: str) -> tuple[str, ...]:
    source = load(spec, allow_bad_records=True)
    return (*source.bad_records, *use(source).refused)


def _without_photos(spec: str) -> tuple[str, ...]:
    source = load(spec, allow_bad_records=True)
    assert source.corpus.scenes == len(source)
    assert [source.scene(place).id for place in range(len(source))]
    return tuple(source.bad_records)


def _table() -> Any:
    """Two questions with their photos, as the datasets library keeps them; the answers are labels."""
    import pyarrow as pa  # type: ignore[import-untyped]  # it has no types

    rows = []
    for number in range(2):
        file = io.BytesIO()
        Image.new("RGB", (24, 16), (90, 120 + number, 60)).save(file, "PNG")
        rows.append(
            {"image": {"bytes": file.getvalue(), "path": None}, "question": f"Is it {number}?", "answer": number}
        )
    label = {"_type": "ClassLabel", "names": ["no", "yes"]}
    features = {"image": {"_type": "Image"}, "question": {"dtype": "string", "_type": "Value"}, "answer": label}
    table = pa.Table.from_pylist(rows)
    return table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})


def _parquet() -> None:
    from pyarrow.parquet import write_table  # type: ignore[import-untyped]  # it has no types

    Path("data").mkdir(exist_ok=True)
    write_table(_table(), "data/train-00000-of-00001.parquet")


def _parquet_of_conversations() -> None:
    import pyarrow as pa
    from pyarrow.parquet import write_table

    rows = _table().to_pylist()
    turns = [[{"from": "human", "value": f"<image><image> {row['question']}"}] for row in rows]
    images = [row["image"] for row in rows]
    Path("data").mkdir(exist_ok=True)
    table = pa.Table.from_pylist([{"images": images, "conversations": each} for each in turns])
    write_table(table, "data/train-00000-of-00001.parquet")


def _conversations() -> None:
    for name in ("a.png", "b.png"):
        Image.new("RGB", (24, 16), (90, 120, 60)).save(name)
    content = [{"type": "image", "image": "b.png"}, {"type": "text", "text": "Is it red?"}]
    said = [{"from": "human", "value": "<image>Is it?"}, {"from": "gpt", "value": "no"}]
    rows = [
        {"images": ["a.png", "b.png"], "question": "Is <image 1> as red as <image 2>?", "answer": "no"},
        {"image": "a.png", "conversations": said},
        {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": content}]},
    ]
    Path("questions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def _arrow() -> None:
    import pyarrow as pa

    table = _table()
    with pa.OSFile("data-00000-of-00001.arrow", "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    Path("state.json").write_text(json.dumps({"_data_files": [{"filename": "data-00000-of-00001.arrow"}]}))


def _report(folder: str = "report", shard: tuple[int, int] = (1, 1)) -> None:
    run_into(Path(folder), max_cases=6, shard=shard, contrast=1.0)


def _reported_case() -> None:
    _report()
    lines = Path("report/cases.jsonl").read_text(encoding="utf-8").splitlines()
    Path("id.txt").write_text(json.loads(lines[0])["case_id"], encoding="ascii")


def _sheet() -> None:
    _report()
    assert run_command(["audit", "report", "-o", "sheet", "--sample", "4"]) == 0
    sheet = Path("sheet/audit.csv")
    rows = list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8-sig"))))
    sheet.write_text(csv_text({**row, "judgement": "valid"} for row in rows), encoding="utf-8")


def _judged() -> None:
    _sheet()
    assert run_command(["audit", "report", "--read", "sheet/audit.csv"]) == 0


def _held_out() -> None:
    _report()
    Path("held.txt").write_text("# ours\n7\n8\n", encoding="utf-8")


def _blessed() -> None:
    _report()
    assert run_command(["bless", "report", "-o", "baseline.jsonl.gz"]) == 0


def _shards() -> None:
    _report("one", (1, 2))
    _report("two", (2, 2))


def _compressed() -> None:
    _report()
    cases = Path("report/cases.jsonl")
    Path("report/cases.jsonl.gz").write_bytes(gzip.compress(cases.read_bytes(), mtime=0))
    cases.unlink()


def _answered() -> None:
    rows = [{"photo": f"{number}.jpg", "text": "Is there a dog?", "answer": "yes"} for number in range(3)]
    Path("answers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def _todo() -> None:
    _report()
    line = next(iter(Path("report/cases.jsonl").read_text(encoding="utf-8").splitlines()))
    rows = [{**query, "photo": query["picture"]["photo"], "answer": None} for query in json.loads(line)["queries"]]
    Path("todo.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def _text(file: str, text: str) -> Callable[[], object]:
    return lambda: Path(file).write_text(text, encoding="utf-8")


def _command(*arguments: str) -> Callable[[], int]:
    return lambda: run_command(arguments)


def _done(read: Callable[[], object]) -> Read:
    """Reads, and has nothing to say."""

    def done() -> tuple[str, ...]:
        read()
        return ()

    return done


def _store() -> None:
    with AnswerStore(Path("answers.sqlite")) as store:
        assert store.cases("0" * 16) == {}


WORDS = '[category.colour]\nnoun = "color"\nwords = ["teal", "mauve"]\n\n[class.quokka]\n'
QUESTIONS = {"questions": [{"question_id": 1, "image_id": 1, "question": "Is there a dog?"}]}
CAPTIONS = {"annotations": [{"image_id": 1, "id": n, "caption": "A dog on a bench."} for n in range(3)]}
CHECKED = {"background_caption": "A dog.", "inserted_caption": "A dog and a cat.", "inserted": "cat"}

FORMATS: Mapping[str, Format] = {
    "graphs": _data("graphs", "graphs.jsonl", "2.png", modules=("data.json_io", "data.photo_io")),
    "photos": _data("photos", "graphs.jsonl", "2.png", modules=("data.json_io", "data.photo_io")),
    "films": Format(
        write=lambda: write_films(Path(), 4, photos=True),
        files=("graphs.jsonl", "f0/2.png"),
        read=lambda: _loaded("graphs:graphs.jsonl"),
        modules=("data.json_io", "data.photo_io"),
    ),
    "coco": _data("coco", "instances.json", "captions.json", modules=("data.json_io", "data.coco")),
    "gqa": _data("gqa", "sceneGraphs.json", modules=("data.json_io",)),
    "visual-genome": _data("visual-genome", "scene_graphs.json", "image_data.json", modules=("data.json_io",)),
    "visual-genome in parts": _data(
        "visual-genome in parts", "objects.json", "attributes.json", "relationships.json", modules=("data.json_io",)
    ),
    "vqa-v2": _data("vqa-v2", "questions.json", "annotations.json", modules=("data.json_io",), needed=2),
    "carets": Format(
        write=lambda: write_carets(Path()),
        files=("default.yml", "choices.json", "negated.json"),
        read=lambda: _without_photos("carets:."),
        modules=("data.carets", "data.json_io"),
        needs="yaml",
    ),
    "snli-ve": Format(
        write=lambda: (write_official(Path()), write_table(Path()), write_units(Path())),
        files=("snli_ve_test.jsonl", "hypotheses.jsonl", "units.jsonl"),
        read=lambda: _without_photos("snli-ve:."),
        modules=("data.json_io",),
    ),
    "report.json": Format(
        write=_report, files=("report/report.json",), read=_command("report", "report"), modules=("core.report_json",)
    ),
    "cases.jsonl": Format(
        write=_report,
        files=("report/cases.jsonl",),
        read=_command("bless", "report", "-o", "out.gz"),
        modules=("core.case_store",),
    ),
    "cases.jsonl.gz": Format(
        write=_compressed,
        files=("report/cases.jsonl.gz",),
        read=_command("report", "report", "--csv", "out.csv"),
        modules=("core.case_store",),
    ),
    "cases to replay": Format(
        write=_reported_case,
        files=("report/cases.jsonl", "report/report.json"),
        read=lambda: run_command(
            ["replay", Path("id.txt").read_text(encoding="ascii"), "--report", "report", "--out", "pictures"]
        ),
        modules=("integration.replaying",),
    ),
    "shards": Format(
        write=_shards,
        files=("one/cases.jsonl", "two/report.json"),
        read=_command("merge", "one", "two", "-o", "merged"),
        modules=("core.case_store", "core.report_json"),
        needed=2,
    ),
    "baseline": Format(
        write=_blessed,
        files=("baseline.jsonl.gz",),
        read=_done(lambda: Baseline(Path("baseline.jsonl.gz")).check()),
        modules=("core.baseline_store",),
    ),
    "baseline to compare": Format(
        write=_blessed,
        files=("baseline.jsonl.gz", "report/cases.jsonl"),
        read=_command("compare", "baseline.jsonl.gz", "report"),
        modules=("core.baseline_store",),
        needed=2,
    ),
    "audit.json": Format(
        write=_judged,
        files=("report/audit.json",),
        read=_command("report", "report"),
        modules=("reporting.audit.audit_results",),
        needed=0,
    ),
    "Parquet": Format(
        write=_parquet,
        files=("data/train-00000-of-00001.parquet",),
        read=lambda: _loaded("questions:."),
        modules=("data.hugging_face",),
        needs="pyarrow",
    ),
    "Parquet of conversations": Format(
        write=_parquet_of_conversations,
        files=("data/train-00000-of-00001.parquet",),
        read=lambda: _loaded("questions:."),
        modules=("data.hugging_face",),
        needs="pyarrow",
    ),
    "conversations": Format(
        write=_conversations,
        files=("questions.jsonl",),
        read=lambda: _loaded("questions:."),
        modules=("data.json_io",),
    ),
    "Arrow": Format(
        write=_arrow,
        files=("data-00000-of-00001.arrow", "state.json"),
        read=lambda: _loaded("questions:."),
        modules=("data.hugging_face",),
        needs="pyarrow",
    ),
    "judgements": Format(
        write=_sheet,
        files=("sheet/audit.csv",),
        read=_command("audit", "report", "--read", "sheet/audit.csv"),
        modules=("reporting.audit.judgements",),
    ),
    "export": Format(
        write=_held_out,
        files=("held.txt", "report/report.json"),
        read=_command("export", "report", "-o", "out", "--evaluation", "held.txt"),
        modules=("export.export",),
        needed=2,
    ),
    "waivers": Format(
        write=_text("waivers.txt", "# ours\n0123456789abcdef cut off\n"),
        files=("waivers.txt",),
        read=_done(lambda: read_waivers(Path("waivers.txt"))),
        modules=("integration.waivers",),
    ),
    "answers": Format(
        write=_answered,
        files=("answers.jsonl",),
        read=_done(lambda: ModelCatalogue().load("answers:answers.jsonl", ModelOptions())),
        modules=("models.answers_file",),
    ),
    "todo": Format(
        write=_todo,
        files=("todo.jsonl",),
        read=_command("replay", "--render", "pictures", "todo.jsonl", "--data", "pictures:20"),
        modules=("commands.replay",),
    ),
    "ontology": Format(
        write=_text("ours.toml", WORDS),
        files=("ours.toml",),
        read=_done(lambda: ontology("ours.toml")),
        modules=("language.ontology.merging", "language.ontology.merging"),
    ),
    "wordings": Format(
        write=_text("wordings.toml", '[[count]]\ntext = "how many {nouns} ?"\n'),
        files=("wordings.toml",),
        read=_done(lambda: read_wordings(Path("wordings.toml"))),
        modules=("relations.own_wordings",),
    ),
    "prices": Format(
        write=_text("prices.toml", '["*"]\nin = 2.5\nout = 10\n'),
        files=("prices.toml",),
        read=_done(lambda: prices_from(ModelOptions(settings={"price": "prices.toml"}), "m")),
        modules=("models.openai.openai_settings",),
    ),
    "pool of texts": Format(
        write=_text("pool.txt", "Is there a dog?\nWhat color is the cat?\n"),
        files=("pool.txt",),
        read=_done(lambda: open_pool("pool.txt")),
        modules=("language.question_ranking.pool",),
    ),
    "pool of lines": Format(
        write=_text("pool.jsonl", '{"question": "Is there a dog?"}\n'),
        files=("pool.jsonl",),
        read=_done(lambda: open_pool("pool.jsonl")),
        modules=("language.question_ranking.pool",),
    ),
    "pool of vqa-v2": Format(
        write=lambda: Path("questions.json.gz").write_bytes(gzip.compress(json.dumps(QUESTIONS).encode(), mtime=0)),
        files=("questions.json.gz",),
        read=_done(lambda: open_pool("vqa-v2:questions.json.gz")),
        modules=("language.question_ranking.pool",),
    ),
    "excluded cut-outs": Format(
        write=_text("cutouts.txt", "# ours\n12\n13\n"),
        files=("cutouts.txt",),
        read=_done(lambda: read_excluded("cutouts.txt")),
        modules=("relations.recognition",),
    ),
    "names to detect": Format(
        write=_text("names.txt", "dog\ncat\n"),
        files=("names.txt",),
        read=_done(lambda: names_setting({"names": "names.txt"})),
        modules=("annotation.detectors.catalogue",),
    ),
    "answers of a classifier": Format(
        write=_text("labels.json", '["yes", "no"]'),
        files=("labels.json",),
        read=_done(lambda: read_answers(Path("labels.json"))),
        modules=("models.transformers.classifier",),
    ),
    "chat template": Format(
        write=_text("chat_template.json", '{"chat_template": "{{ messages }}"}'),
        files=("chat_template.json",),
        read=_done(lambda: read_chat_template(Path())),
        modules=("models.transformers.prompted.prompt_text",),
        needed=0,
    ),
    "processor name": Format(
        write=_text("processor_config.json", '{"processor_class": "LlavaProcessor", "patch_size": 14}'),
        files=("processor_config.json",),
        read=_done(lambda: named_processor(Checkpoint(folder=Path(), name="c"))),
        modules=("models.transformers.prompted.family",),
        needed=0,
    ),
    "hypotheses": Format(
        write=_text("hypotheses.txt", 'A dog sits.\n{"hypothesis": "A cat runs."}\n'),
        files=("hypotheses.txt",),
        read=_command("units", "hypotheses.txt"),
        modules=("commands.units",),
    ),
    "captions to check": Format(
        write=_text("captions.jsonl", f"{json.dumps(CHECKED)}\n"),
        files=("captions.jsonl",),
        read=_command("check-captions", "captions.jsonl"),
        modules=("data.json_io",),
    ),
    "captions of COCO": Format(
        write=_text("captions.json", json.dumps(CAPTIONS)),
        files=("captions.json",),
        read=_command("label-errors", "captions.json"),
        modules=("commands.label_errors",),
    ),
    "checkpoint": Format(
        write=_text("config.json", '{"model_type": "vilt"}'),
        files=("config.json",),
        read=_done(lambda: read_checkpoint_config(Checkpoint(folder=Path(), name="mine"))),
        modules=("models.transformers.checkpoint",),
    ),
    "configuration of a detector": Format(
        write=_text("config.yaml", "model:\n  max_pool: true\n"),
        files=("config.yaml",),
        read=_done(lambda: read_config(Path("config.yaml"))),
        modules=("models.region_models.frcnn.detector_config",),
        needs="yaml",
    ),
    "names of a detector": Format(
        write=lambda: (_text(OBJECTS, "dog,hound\ncat\n")(), _text(ATTRIBUTES, "red\n")()),
        files=(OBJECTS, ATTRIBUTES),
        read=_done(lambda: read_vocabulary(Path(), classes=2, attributes=1)),
        modules=("models.region_models.frcnn.loading",),
        needed=2,
    ),
    "features": Format(
        write=lambda: Path("features.tsv").write_bytes(
            b"".join(tsv_row(f"{n}", made(n, width=20, height=10), (20, 10)) + b"\n" for n in range(2))
        ),
        files=("features.tsv",),
        read=_done(lambda: FeatureFile(Path("features.tsv"))),
        modules=("models.region_models.feature_files",),
    ),
    "notes of detections": Format(
        write=_text("notes.jsonl", '{"photo": "1.png", "bytes": 9}\n'),
        files=("notes.jsonl",),
        read=_done(lambda: list(noted(Path("notes.jsonl")))),
        modules=("data.own_photos",),
        needed=0,
    ),
    "answers kept": Format(
        write=_store, files=("answers.sqlite",), read=_done(_store), modules=("execution.answer_cache",)
    ),
}
"""By their names in messages of tests."""
