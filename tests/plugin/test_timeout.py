"""Models, preparations and factories that hang: ``--vqamt-timeout`` ends the run in one line."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

import pytest
from PIL.Image import Image

import pytest_vqamt as vqamt
from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.meaning import Exists, Group
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, Query, Task
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from tests.plugin.conftest import Run
from tests.reporting.reported import cases_in, report_in

MODELS = """
    import threading

    forever = threading.Event()

    class Model:
        batch_size = 4
        asked = 0

        def answer(self, batch):
            self.asked += 1
            if self.asked > 3:
                forever.wait()
            return ["yes" for each in batch]

    class Prepares:
        batch_size = 4

        def answer(self, batch):
            return ["yes" for each in batch]

        def prepare(self, task, batch):
            forever.wait()

    class Streams(Model):
        batches_at_once = 2

        def stream_answers(self, task, batch):
            yield 0, "yes"
            forever.wait()

    def factory():
        forever.wait()
"""
TWO = "--vqamt-relations=metavqa.reversion[object],metavqa.reorder[object]"
REORDER = "metavqa.reorder[object]"
FILES = ("--junitxml=junit.xml", "--vqamt-report=out")


@pytest.fixture
def hangs(pytester: pytest.Pytester) -> str:
    pytester.makepyfile(hangs=MODELS)
    return "python:hangs"


@pytest.mark.parametrize(
    ("model", "what"),
    [
        ("Model", "answer 4 queries"),
        pytest.param("Prepares", "prepare 4 queries", marks=pytest.mark.full),
        pytest.param("Streams", "answer 4 queries", marks=pytest.mark.full),
    ],
)
def test_a_model_that_hangs_ends_as_one_that_raises(
    pytester: pytest.Pytester, run: Run, hangs: str, model: str, what: str
) -> None:
    result = run(TWO, *FILES, "--vqamt-timeout=0.2", model=f"{hangs}:{model}", max_cases=8)
    result.assert_outcomes(errors=2)
    shown = result.stdout.str()
    assert (
        f"Expected model 'python:hangs:{model}' to {what} within --vqamt-timeout=0.2 s, but it has not; the first: '"
        in shown
    )
    assert " on pictures-0-" in shown
    assert "Traceback" not in shown
    cases = ET.parse(pytester.path / "junit.xml").getroot().findall(".//error")
    assert ["--vqamt-timeout=0.2" in (case.text or "") for case in cases] == [True, True]
    assert report_in(pytester.path / "out")["complete"] is False
    assert cases_in(pytester.path / "out") == []


@pytest.mark.full
def test_what_was_answered_before_is_kept(pytester: pytest.Pytester, run: Run, hangs: str) -> None:
    pytester.makepyfile(named="import hangs\n\nclass Model(hangs.Model):\n    fingerprint = 'mine'\n")
    run(TWO, "--vqamt-timeout=0.2", model="python:named:Model", max_cases=8).assert_outcomes(errors=2)
    pytester.makepyfile(
        named="class Model:\n    fingerprint = 'mine'\n    def answer(self, batch): return ['yes'] * len(batch)\n"
    )
    result = run(TWO, model="python:named:Model", max_cases=8)
    assert "python:named:Model queries: 20 sent, 12 cached" in result.stdout.str()


def test_a_factory_that_hangs_is_one_line(run: Run, hangs: str) -> None:
    result = run(TWO, "--vqamt-timeout=0.02", model=f"{hangs}:factory")
    (line,) = [line for line in result.stderr.lines if line]
    assert line.startswith(
        "ERROR: Expected the factory of model='python:hangs:factory' to return within 0.2 s "
        "(10 times --vqamt-timeout=0.02), but it has not: "
    )


@pytest.mark.parametrize(
    "given", ["nan", *(pytest.param(each, marks=pytest.mark.full) for each in ("0", "-1", "inf", "soon"))]
)
def test_a_limit_is_a_number_of_seconds(run: Run, given: str) -> None:
    result = run(TWO, f"--vqamt-timeout={given}")
    assert f"Expected a number of seconds above 0, but got --vqamt-timeout={given!r}" in result.stderr.str()


@pytest.mark.full
def test_the_ini_file_sets_it(pytester: pytest.Pytester, run: Run, hangs: str) -> None:
    pytester.makeini("[pytest]\nvqamt_timeout = 0.2\n")
    assert "--vqamt-timeout=0.2" in run(TWO, model=f"{hangs}:Model", max_cases=8).stdout.str()


class Threads:
    """Notes the thread of each call."""

    batch_size = 4

    def __init__(self) -> None:
        self.threads: set[str] = set()

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        self.threads.add(threading.current_thread().name)
        return ["yes" for _ in batch]

    def stream(self, _task: Task, batch: Sequence[ModelInput]) -> Iterator[tuple[int, str]]:
        yield from enumerate(self.answer(batch))


@pytest.mark.full
@pytest.mark.parametrize("timeout", [None, 60.0])
def test_from_python_a_model_is_called_on_this_thread_unless_there_is_a_limit(timeout: float | None) -> None:
    model = Threads()
    report = vqamt.run(model=model, data="pictures:4", relations=REORDER, max_cases=4, timeout=timeout)
    assert report.relations[0].tally.cases == 4
    assert model.threads == ({"MainThread"} if timeout is None else {"vqamt-limited"})


def test_from_python_it_raises() -> None:
    def hangs(image: object, text: str) -> str:
        threading.Event().wait()
        return f"{image}{text}"

    with pytest.raises(ModelError, match=r"to answer \d+ queries within timeout=0\.1 s, but it has not"):
        vqamt.run(model=hangs, data="pictures:4", relations=REORDER, max_cases=4, timeout=0.1)
    with pytest.raises(OptionError, match="Expected a number of seconds above 0, but got timeout=0"):
        vqamt.run(model=hangs, data="pictures:4", timeout=0)


@pytest.mark.full
def test_a_timeout_error_of_the_model_itself_is_its_own() -> None:
    def raises(image: object, text: str) -> str:
        raise TimeoutError(f"{image}{text}"[:0] + "the server")

    with pytest.raises(ModelError, match="TimeoutError: the server"):
        vqamt.run(model=raises, data="pictures:4", relations=REORDER, max_cases=4, timeout=60)


HOLDS = """
    import itertools, os, re, time

    calls = itertools.count()

    class Model:
        fingerprint = "says yes"
        batch_size = 2

        def answer(self, batch):
            if next(calls) == 2 and not os.path.exists("well"):
                re.match("(a+)+$", "a" * 60 + "b")  # holds the GIL for ever, and no signal is heard
            return ["yes" for each in batch]

    def factory():
        re.match("(a+)+$", "a" * 60 + "b")

    class Ends(Model):
        def answer(self, batch):
            if next(calls) == 2:
                os._exit(0)
            return ["yes" for each in batch]

    class Slow(Model):
        def answer(self, batch):
            for each in batch:
                each.image
            return ["yes" for each in batch]
"""
NEGATION = (
    "--vqamt-model=python:own:{}", "--vqamt-data=pictures:6", "--vqamt-max-cases=6", "--vqamt-shrink=0",
    "--vqamt-relations=carets.negation", "--vqamt-contrast=0", "--vqamt-report=out", "--vqamt-summary=full",
)  # fmt: skip


def held(pytester: pytest.Pytester, model: str, *more: str, timeout: float | None = None) -> pytest.RunResult:
    return pytester.runpytest_subprocess(*(each.format(model) for each in NEGATION), *more, timeout=timeout)


def test_a_model_that_holds_the_interpreter_is_ended_and_what_it_answered_is_kept(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(own=HOLDS)
    # For as long as the watchdog waits beyond the limit, the model takes a whole processor.
    pytester.makeconftest("""
        from pytest_vqamt.models import time_limit
        time_limit._PROGRAM = time_limit._PROGRAM.replace(str(time_limit._GRACE_S), "0.5")
    """)
    ended = held(pytester, "Model", "--vqamt-timeout=0.3")
    assert ended.ret == -9
    told = "vqamt: Expected model 'python:own:Model' to answer 2 queries within --vqamt-timeout=0.3 s"
    assert told in ended.stderr.str()
    assert "let no other thread run" in ended.stderr.str()
    (pytester.path / "well").touch()
    again = held(pytester, "Model")
    again.assert_outcomes(passed=1)
    shown = again.stdout.str()
    assert " 4 cached" in shown
    assert "ended without its report" in shown


@pytest.mark.full
def test_a_factory_that_holds_the_interpreter_is_ended(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(own=HOLDS)
    ended = held(pytester, "factory", "--vqamt-timeout=0.1", timeout=30)
    assert ended.ret == -9
    told = (
        "vqamt: Expected the factory of model='python:own:factory' to return within 1 s (10 times --vqamt-timeout=0.1)"
    )
    assert told in ended.stderr.str()


@pytest.mark.full
def test_the_session_after_one_that_a_model_ended_says_so(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(own=HOLDS)
    assert held(pytester, "Ends").ret == 0
    assert not (pytester.path / "out" / "report.json").exists()
    first = held(pytester, "Model", "--vqamt-timeout=60", "--collect-only").outlines
    told = next(line for line in first if line.startswith("vqamt: "))
    assert told.endswith("such a process may end with status 0")
    assert not any("ended without" in line for line in held(pytester, "Slow").outlines)


@pytest.mark.full
@pytest.mark.parametrize("quiet", ["-q", "--no-header"])
def test_it_says_so_without_a_header_too(pytester: pytest.Pytester, quiet: str) -> None:
    pytester.makepyfile(own=HOLDS)
    assert held(pytester, "Ends").ret == 0
    lines = held(pytester, "Model", "--vqamt-timeout=60", "--collect-only", quiet).outlines
    assert sum("ended without its report" in line for line in lines) == 1


class Looks:
    """Looks at its pictures, and says yes."""

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        return ["yes" if each.image.width else "no" for each in batch]


class LooksAndStreams(Looks):
    def stream_answers(self, _task: Task, batch: Sequence[ModelInput]) -> Iterator[tuple[int, str]]:
        for place, each in enumerate(batch):
            yield place, self.answer([each])[0]


class Waits:
    """Answers each query after 0.2 s."""

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        return [answer for _, answer in self.stream_answers(Task.VQA, batch)]

    def stream_answers(self, _task: Task, batch: Sequence[ModelInput]) -> Iterator[tuple[int, str]]:
        for place, _ in enumerate(batch):
            threading.Event().wait(0.2)
            yield place, "yes"


@pytest.mark.parametrize("streams", [pytest.param(False, marks=pytest.mark.full), True])
def test_our_own_work_is_no_time_of_the_models(streams: bool) -> None:
    """Each of four pictures takes 0.2 s to draw, and the model has 0.3 s for all."""
    source = load("pictures:4")

    def slowly(picture: Picture) -> Image:
        threading.Event().wait(0.2)
        return render(picture, source)

    def answers(model: object) -> list[Answer | Exception]:
        loaded = wrap_model("mine", model, ModelOptions(timeout_s=0.3))
        if not streams:
            return list(loaded.ask(Task.VQA, batch))
        found: dict[int, Answer | Exception] = {}
        for place, answer in loaded.stream(Task.VQA, batch):
            threading.Event().wait(0.1)  # as the cache may take
            found[place] = answer
        return [found[place] for place in range(len(batch))]

    pictures = [source.scene(index).picture for index in range(4)]
    meaning = Exists(group=Group(name="dog"))
    batch = [ModelInput(Query(picture=each, text="Is there a dog?", meaning=meaning), slowly) for each in pictures]
    assert answers(LooksAndStreams() if streams else Looks()) == [Answer("yes")] * 4
    with pytest.raises(ModelError, match=r"within --vqamt-timeout=0\.3 s"):
        answers(Waits())
