"""What is made ready for later items costs the item at hand nothing, and ends with the run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from PIL.Image import Image

from pytest_vqamt.core.query import ModelInput, Task
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.execution.answer_cache import Stores
from pytest_vqamt.execution.lookahead import Ahead
from pytest_vqamt.execution.plan import Job, Sampling, Terms
from pytest_vqamt.execution.run_item import run_item
from pytest_vqamt.sampling.samplers import Sampler
from tests.execution.test_ahead import Named, coming
from tests.execution.worlds import Model, Scenes, loaded

TERMS = Terms(sampling=Sampling(max_cases=6, sampler=Sampler.RANDOM), shrink=0)


@dataclass(slots=True)
class Looks(Model):
    """Looks at each picture when it prepares."""

    prepared: list[str] = field(default_factory=list)

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        for each in batch:
            each.prepared = each.image.size
            self.prepared.append(each.text)

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        assert all(each.image.size == (200, 100) for each in batch)
        time.sleep(0.05)  # so long that the next is prepared meanwhile
        return Model.answer(self, batch)


class Broken(Scenes):
    """The photo of its third scene cannot be read."""

    def photo(self, photo: Photo) -> Image:
        if photo.id == "scene 2.png":
            raise OSError(f"cannot read {photo.id}")
        return super().photo(photo)


def about(*numbers: int) -> Callable[[Scene], str | None]:
    return lambda scene: None if len(scene.objects) - 1 in numbers else "another"


def test_a_photo_of_a_later_item_that_cannot_be_read_is_told_by_its_item_alone() -> None:
    model, source = Looks(batch_size=2), Broken(4)
    adopted = loaded(model)
    rules = (Named(name="a", applies=about(0)), Named(name="b", applies=about(1, 2)), Named(name="c", applies=about(3)))
    run = [
        Job(relation=rule, variant="", model=adopted, source=source, position=place) for place, rule in enumerate(rules)
    ]
    with closing(Stores(None)) as stores, closing(Ahead(TERMS.sampling, coming(run))) as ahead:
        first, second, third = (run_item(job, TERMS, stores, lambda _: None, ahead) for job in run)
    for other in (first, third):
        assert (other.tally.holds, other.error) == (other.tally.cases, "")
    assert second.error == "OSError: cannot read scene 2.png"
    assert 0 < second.tally.errors < second.tally.cases
    assert second.tally.holds + second.tally.errors == second.tally.cases
    assert model.prepared, "ahead of its turn"
    deadline = time.monotonic() + 30
    while any(each.name.startswith("vqamt-") for each in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_what_is_prepared_between_two_items_is_paid_by_the_second() -> None:
    @dataclass(slots=True)
    class Counts(Looks):
        """Counts what it prepares, and is still at it when the item at hand has ended."""

        usage: dict[str, int] = field(default_factory=lambda: {"texts": 0})

        def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
            time.sleep(0.2)
            self.usage["texts"] += len(batch)

    model = Counts(batch_size=4)
    model.usage["texts"] = 100  # of before the run
    adopted, source = loaded(model), Scenes(1)
    run = [
        Job(relation=Named(name=name), variant="", model=adopted, source=source, position=place)
        for place, name in enumerate("abcd")
    ]
    used = []
    with closing(Stores(None)) as stores, closing(Ahead(TERMS.sampling, coming(run))) as ahead:
        for job in run:
            used.append(dict(run_item(job, TERMS, stores, lambda _: None, ahead).model.usage))
            time.sleep(0.4)  # as where other tests come in between
    assert model.usage["texts"] > 100
    assert sum(each.get("texts", 0) for each in used) == model.usage["texts"] - 100
