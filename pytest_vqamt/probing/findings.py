"""What a probe may find: each finding with its likely cause, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from pytest_vqamt.stats.binomial import upper_tail

FLIPS = 0.02
"""The share of random answers that is taken for sane, such as those of ties in 16 bits."""

MOST_CHANCE = 5e-5
"""The p-value up to which differences are a finding.

A deployment that gives another answer at random in 2 % of requests is taken for sane. Each finding may rest on that
noise with a probability of at most 5e-5. A probe makes at most 15 comparisons that may end in a finding, so that it has
one with less than 1 in 1,000 (15 x 5e-5 = 0.00075). Comparisons that are made in several forms share their 5e-5.
``tests/probing/simulation.py`` measures it.
"""


class FindingKind(StrEnum):
    """The kinds of findings, in the order of the page; ``--allow`` takes these names."""

    PICTURE_UNUSED = "picture-unused"
    FIRST_PICTURE = "first-picture-sticks"
    TEXT_KEYED = "text-keyed-cache"
    TEXT_IGNORED = "text-ignored"
    EMPTY_PICTURE = "blank-picture"
    SHORT_HASH = "short-image-hash"
    NON_DETERMINISTIC = "non-determinism"
    BATCH_PADDING = "batch-padding"
    BATCH = "batch"
    REASONING = "reasoning-in-content"
    LARGE_PICTURE = "large-picture"
    ASPECT_RATIO = "aspect-ratio"
    SIZE = "size"
    FILE_FORM = "file-form"
    SWAPPED_CHANNELS = "swapped-channels"
    COARSE_LEVELS = "coarse-levels"
    NOISY_DETAIL = "noisy-detail"
    LONG_TEXT = "long-text"
    FAILURES = "failures"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """The meaning of a kind of finding."""

    title: str
    """What was observed."""
    cause: str
    """The likely cause."""
    advice: str
    """What to do first."""


CAUSES: Mapping[FindingKind, Cause] = MappingProxyType(
    {
        FindingKind.PICTURE_UNUSED: Cause(
            title="The answers do not depend on the picture",
            cause="The server drops the picture (no vision projector, a text-only template or endpoint), or the model "
            "cannot read the cards.",
            advice="Start the server with its projector (llama.cpp: --mmproj), look at the prompt tokens, and send one "
            "picture by hand.",
        ),
        FindingKind.FIRST_PICTURE: Cause(
            title="Every answer is about the first picture",
            cause="The server keeps the first picture of the process or slot (ollama #7563).",
            advice="Update the server; until then, restart it for each picture or turn off the reuse of its slots.",
        ),
        FindingKind.TEXT_KEYED: Cause(
            title="The same text with another picture gets the answer to the earlier picture",
            cause="A prefix or response cache knows requests by their text alone (vLLM #20261, vLLM PR 36708).",
            advice="Turn the cache off (vLLM: --no-enable-prefix-caching) and probe again.",
        ),
        FindingKind.TEXT_IGNORED: Cause(
            title="The same picture with another text gets the answer to the earlier text",
            cause="A cache knows requests by their picture alone.",
            advice="Turn off the cache of responses.",
        ),
        FindingKind.EMPTY_PICTURE: Cause(
            title="A blank picture or noise gets the number of another card",
            cause="A picture without content is dropped, and the features of an earlier one are used.",
            advice="Restart the server and send the blank picture first: another answer shows a mix-up.",
        ),
        FindingKind.SHORT_HASH: Cause(
            title="Two pictures whose hashes share 16 bits get the same answer",
            cause="A cache keeps 16 bits of the picture's hash (LMCache #4086, sglang #2151).",
            advice="Update the cache, or turn it off for requests with pictures.",
        ),
        FindingKind.NON_DETERMINISTIC: Cause(
            title="The same request gets other answers",
            cause="The server samples although temperature 0 was sent, or answers depend on what else it computes.",
            advice="Send a seed, check the server's default sampling parameters, and run with --vqamt-repeats.",
        ),
        FindingKind.BATCH_PADDING: Cause(
            title="Requests sent together with a longer one get other answers than alone",
            cause="Shorter prompts of a batch are decoded with their left padding (mlx-vlm PR 1542).",
            advice="Set the server's batch size to 1 and probe again; update the server.",
        ),
        FindingKind.BATCH: Cause(
            title="Requests sent together get other answers than alone",
            cause="Requests of a batch are mixed up, or their pictures are.",
            advice="Set the server's batch size, or --vqamt-option in-flight, to 1 and probe again.",
        ),
        FindingKind.REASONING: Cause(
            title="Reasoning stands in the answer",
            cause="The server does not separate the model's thoughts (vLLM: no --reasoning-parser).",
            advice="Start it with the model's reasoning parser, or turn thinking off.",
        ),
        FindingKind.LARGE_PICTURE: Cause(
            title="Large pictures get other answers than small ones",
            cause="A picture above a size is dropped or cut, or its tokens exceed the context (ollama #13549).",
            advice="Raise the context, or lower the pixels (max_pixels) so that the server resizes.",
        ),
        FindingKind.ASPECT_RATIO: Cause(
            title="Pictures that are not square get other answers",
            cause="Width and height are exchanged, or the picture is cropped, when it is resized (llama.cpp #17290).",
            advice="Update the server's image processor, or pad pictures to squares.",
        ),
        FindingKind.SIZE: Cause(
            title="The same card at another size gets other answers",
            cause="The picture is resized or cropped badly, or the model reads small pictures badly.",
            advice="Compare with the same weights elsewhere: `vqamt probe A --against B`.",
        ),
        FindingKind.FILE_FORM: Cause(
            title="The same pixels in another form of file get other answers",
            cause="Alpha channels, palettes or grayscale are not turned into RGB.",
            advice="Convert pictures to RGB before they are sent.",
        ),
        FindingKind.SWAPPED_CHANNELS: Cause(
            title="Red is called blue, and blue red",
            cause="The colour channels are exchanged: BGR for RGB.",
            advice="Update the server's image loader; compare with transformers.",
        ),
        FindingKind.COARSE_LEVELS: Cause(
            title="Near colours are told apart at some levels and not at others",
            cause="Pixels or the encoder are quantised to few levels.",
            advice="Use an encoder of 16 bits (llama.cpp: an mmproj file in F16).",
        ),
        FindingKind.NOISY_DETAIL: Cause(
            title="Faint digits are read otherwise each time, clear ones are not",
            cause="The encoder adds noise or is not deterministic, or sampling is on (vLLM #30167).",
            advice="Run the encoder in a higher precision, with deterministic kernels.",
        ),
        FindingKind.LONG_TEXT: Cause(
            title="A long text changes the answer",
            cause="The prompt exceeds the context and is cut without an error, often with its picture (ollama #7484).",
            advice="Raise the context (ollama: num_ctx), and have the server refuse what is too long.",
        ),
        FindingKind.FAILURES: Cause(
            title="Requests failed",
            cause="The server refuses or breaks off some of the pictures or texts.",
            advice="See the messages of the requests.",
        ),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeFinding:
    """A fault of a deployment: more differences than chance explains."""

    kind: FindingKind
    differing: int
    """Comparisons that show it twice in a row."""
    compared: int
    """All comparisons of its check."""
    p_value: float
    """The probability of at least as many differences on a sane deployment."""
    detail: str
    """At which sizes, lengths or forms."""
    requests: tuple[int, ...]
    """The numbers of the requests that show it."""

    @property
    def cause(self) -> Cause:
        return CAUSES[self.kind]


def repeated_difference(flips: float) -> float:
    """The chance that a request differs twice in a row from its reference, the majority of three answers.

    Both answers are flipped, or two of the three of the reference are.
    """
    # Three pairs of the three answers of a reference may be wrong alike; higher powers are left out.
    return flips**2 + 3 * flips**2


def is_finding(found: int, tries: int, rate: float, forms: int = 1) -> bool:
    """True if so many differences are unlikely by chance; ``forms`` is how many comparisons share the limit.

    >>> is_finding(2, 3, 0.0016, forms=3), is_finding(2, 3, 0.0016, forms=7)
    (True, False)
    """
    # Bonferroni's correction: the limit is shared by the forms of a comparison.
    return found > 0 and forms * upper_tail(found, tries, rate) <= MOST_CHANCE
