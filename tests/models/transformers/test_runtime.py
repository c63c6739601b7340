"""Two threads never use the same tokenizer at once: it keeps what it was last told of padding and cutting."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event, get_ident

from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.inputs import tokenize
from pytest_vqamt.models.transformers.prompted.prompt_text import Prompt, tokenize_prompts
from pytest_vqamt.models.transformers.runtime import Runtime, exclusive
from tests.models.transformers.prompted.small.tokenizers import byte_pairs

RUNTIME = Runtime.of(ModelOptions(device="cpu"))


class Thing:
    """Something that is used."""


def test_a_second_thread_waits_for_the_first_and_the_same_thread_does_not() -> None:
    thing, order = Thing(), list[int]()

    def enter() -> None:
        with exclusive(thing):
            order.append(get_ident())

    with ThreadPoolExecutor(1) as pool:
        with exclusive(thing), exclusive(thing):
            waiting = pool.submit(enter)
            assert not Event().wait(0.05)
            order.append(get_ident())
        waiting.result(timeout=10)
    assert order[0] == get_ident()
    assert len(set(order)) == 2


def test_other_things_are_free_meanwhile() -> None:
    with ThreadPoolExecutor(1) as pool, exclusive(Thing()):
        pool.submit(lambda: exclusive(Thing()).__enter__()).result(timeout=10)


def test_a_tokenizer_that_two_threads_want_otherwise_gives_each_its_own() -> None:
    """Padding before on one thread, padding after and cutting on the other: "Already borrowed" without the lock."""
    tokenizer = byte_pairs()
    texts = [f"a {'big ' * length}dog and a cat" for length in range(20)]
    said = [Prompt(prompt=text) for text in texts]

    def before() -> list[object]:
        return [tokenize_prompts(said, tokenizer, RUNTIME).ids.tolist() for _ in range(20)]

    def cut() -> list[object]:
        return [tokenize(texts, tokenizer, 12, RUNTIME).ids.tolist() for _ in range(20)]

    (wanted, *_), (other, *_) = before(), cut()
    with ThreadPoolExecutor(2) as pool:
        one, two = pool.submit(before), pool.submit(cut)
        assert all(found == wanted for found in one.result())
        assert all(found == other for found in two.result())
