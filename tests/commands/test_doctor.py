"""``vqamt doctor`` shows what is installed, and why a model does not load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.commands import doctor
from pytest_vqamt.core.query import Answer
from pytest_vqamt.execution.answer_cache import AnswerStore

_LIGHT = """
import sys
from pytest_vqamt.cli import main
status = main(["doctor"])
print("heavy:", sorted({"torch", "transformers", "ray", "sklearn"} & set(sys.modules)))
sys.exit(status)
"""


def test_without_a_model_nothing_heavy_is_imported() -> None:
    done = subprocess.run([sys.executable, "-c", _LIGHT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("heavy: []\n")
    for heading in ("Extras", "Devices", "Caches", "WordNet", "Browser", "Environment"):
        assert f"\n{heading}\n" in done.stdout


@pytest.mark.parametrize(
    ("have", "line"),
    [
        (None, 'parquet       no:  pyarrow is missing; run: pip install "pytest-vqamt[parquet]"'),
        ("3.0", 'parquet       no:  pyarrow 3.0 is not >=15; run: pip install "pytest-vqamt[parquet]"'),
        ("21.0", "parquet       yes: pyarrow 21.0"),
    ],
)
def test_an_extra_shows_what_is_missing_and_the_line_that_brings_it(
    have: str | None, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_installed_version", lambda package: have if package == "pyarrow" else "99")
    assert line in list(doctor._extras())


def test_no_key_is_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-verysecret")
    monkeypatch.setenv("VQAMT_OPENAI_KEY_GPU_BOX", "sk-alsosecret")
    monkeypatch.delenv("HF_TOKEN", raising=False)
    assert main(["doctor"]) == 0
    printed = capsys.readouterr()
    assert "secret" not in printed.out + printed.err
    assert {"  OPENAI_API_KEY: set", "  VQAMT_OPENAI_KEY_GPU_BOX: set", "  HF_TOKEN: not set"} <= set(
        printed.out.splitlines()
    )


def test_the_answers_of_the_cache_are_counted(tmp_path: Path) -> None:
    with AnswerStore(tmp_path / "answers.sqlite") as store:
        store.put("model", {"a": Answer("yes"), "b": Answer("no")})
    [line, *_] = doctor._caches(tmp_path)
    assert line.startswith(f"answers:      {tmp_path} (")
    assert line.endswith("), 2 answers")
    (tmp_path / "answers.sqlite").write_text("no database, but a text of some length" * 9)
    assert "which cannot be read (file is not a database): delete it" in next(iter(doctor._caches(tmp_path)))


@pytest.mark.parametrize(
    ("cuda", "hip", "told", "none"),
    [
        ("12.8", None, "CUDA 12.8", "CUDA: no device"),
        (None, "7.0", "ROCm 7.0", "ROCm: no device"),
        (None, None, "CUDA not built in", "CUDA: no device"),
    ],
)
def test_what_torch_is_built_for(
    monkeypatch: pytest.MonkeyPatch, cuda: str | None, hip: str | None, told: str, none: str
) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.version, "cuda", cuda)
    monkeypatch.setattr(torch.version, "hip", hip)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    _, torch_line, *others = doctor._devices(with_torch=True)
    assert torch_line.endswith(f" threads, {told}")
    assert none in others


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("a_doctors_model", "a_sick_model"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


@pytest.mark.usefixtures("here")
def test_a_model_that_answers(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a_doctors_model.py").write_text("def say(image, text):\n    return f'seen {image.size}'\n")
    assert main(["doctor", "--vqamt-model=python:a_doctors_model:say"]) == 0
    printed = capsys.readouterr().out
    assert "loads:       yes" in printed
    assert "answers:     'seen (224, 224)' to '" in printed


@pytest.mark.parametrize("spec", ["oracle", "fault:always-yes"])
def test_a_reference_model_answers(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--model", spec]) == 0
    assert f"name:        {spec}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def say(image, text):\n    raise RuntimeError('no weights')\n", "RuntimeError: no weights"),
        ("def say():\n    return open('no/such/weights')\n", "FileNotFoundError: [Errno 2]"),
    ],
)
@pytest.mark.usefixtures("here")
def test_an_error_of_the_users_code_has_its_traceback_and_status_1(
    code: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a_sick_model.py").write_text(code)
    assert main(["doctor", "--model=python:a_sick_model:say"]) == 1
    printed = capsys.readouterr().err
    assert printed.startswith("Traceback (most recent call last):\n")
    assert 'a_sick_model.py", line 2, in say\n' in printed
    assert "pytest_vqamt/" not in printed.partition("\nvqamt: ")[0]
    assert told in printed.rpartition("vqamt: ")[2]


@pytest.mark.parametrize(
    ("typed", "status", "told"),
    [
        (["--model=tinny"], 1, "did you mean 'tiny'?"),
        (["--model=hf:no/such/folder"], 1, "no/such/folder"),
        (["--model=tiny", "--option=severity=3"], 1, "Expected --option to set the model"),
        (["--device=cpu"], 2, "Expected --model SPEC with --option, --device and --dtype"),
        (
            ["--model=tiny", "--device=tpu"],
            2,
            "Expected auto, cpu, cuda, cuda:N, cuda:N+cuda:M or mps, but got --device=",
        ),
    ],
)
@pytest.mark.usefixtures("here")
def test_why_a_model_does_not_load_is_one_line(
    typed: list[str], status: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", *typed]) == status
    printed = capsys.readouterr().err
    assert told in printed
    assert printed.count("\n") == 1
