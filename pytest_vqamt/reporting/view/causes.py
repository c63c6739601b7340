"""Likely causes of violations: what a model or its server does wrong, told by which relations fail and which hold.

Each cause predicts that some cases fail and others hold ("asked about the second of two pictures", "with pictures of
one size"). It is named only where those that fail do so clearly more often than each of those that hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pytest_vqamt.core.results import RelationResult, Report
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.language.english.phrases import join_phrases
from pytest_vqamt.reporting.view.rows import results_by_model_and_data
from pytest_vqamt.stats.intervals import wilson

_FEWEST = 6
"""Judged cases of each kind, below which nothing is concluded from it."""

_RATIO = 3
"""So many times as often as the cases that hold, those that fail do so: a clear difference may still be a small one."""

_LEAST_RATE = 0.3
"""A cause makes at least this share of the cases fail. What a server loses half of the time fails in over a third of
them; what fails less often may be a weakness of the model, such as a bias to "yes"."""

_CONFIDENCE = 0.98
"""Of the intervals that must not overlap: of ten files with 12 cases each, all with 15 % noise, one would be named in
9 % of the runs at 95 %, in 2 % at 98 %. At 99 % a server that replaces pictures is missed."""

_CHOSEN = ("refusal", "declined")
"""Causes of unread answers by which a model chooses not to answer. One that is unsure may be shown too little."""

_MOST_UNREAD = 0.5
"""The share of an item's failed cases with an unread answer from which the answers tell what the model lacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """A kind of cases: those of some items, or of these those with one value of a fact."""

    words: str
    """Behind a number of cases: "with pictures of one size"."""
    items: frozenset[str]
    """By their ids."""
    fact: str = ""
    """One of the relations' breakdown; "" for all cases."""
    values: tuple[str, ...] = ()

    def tally(self, results: Iterable[RelationResult]) -> Tally:
        strata = (stratum for each in results if each.item in self.items for stratum in each.strata)
        if not self.fact:
            return sum((stratum.tally for stratum in strata), Tally())
        parts = (stratum.breakdown.get(self.fact, {}) for stratum in strata)
        return sum((part.get(value, Tally()) for part in parts for value in self.values), Tally())


@dataclass(frozen=True, kw_only=True)  # without slots, for the cached properties
class _Share:
    """How many cases of a kind fail."""

    kind: _Kind
    tally: Tally
    refused: float
    """The share of the failed cases of its items in which the model would not answer."""

    @property
    def failed(self) -> int:
        return self.tally.judged - self.tally.holds

    @property
    def is_enough(self) -> bool:
        return self.tally.judged >= _FEWEST

    @cached_property
    def interval(self) -> tuple[float, float]:
        return wilson(self.failed, self.tally.judged, _CONFIDENCE)

    def is_above(self, other: _Share) -> bool:
        """True if the cases fail clearly more often than those of the other kind."""
        rate, of_other = (each.failed / each.tally.judged for each in (self, other))
        return self.interval[0] > other.interval[1] and rate >= max(_LEAST_RATE, _RATIO * of_other)

    @property
    def words(self) -> str:
        return f"{self.failed or 'none'} of {count_noun(self.tally.judged, 'case')} {self.kind.words}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cause:
    """What may be wrong, with the cases that show it."""

    what: str | Callable[[Sequence[RelationResult]], str]
    """A clause, or a function of the results of a model on one of data that makes it."""
    threads: str
    """Where users met it; "" where no thread was read."""
    fails: tuple[_Kind, ...]
    holds: tuple[_Kind, ...]
    lacks: tuple[_Kind, ...] = ()
    """Kinds without which the cause cannot be told from another: it is named only where there are too few of them."""
    name: str = ""
    """For ``instead_of``; "" where no other cause is instead of this one."""
    instead_of: str = "-"
    """The name of causes that say the same in more detail; where one of them was found, this one is not named."""


def _items(names: str) -> frozenset[str]:
    return frozenset(names.split())


_BEFORE = _Kind(words="about the second of two pictures", items=_items("multi.distract[before]"))
_BEHIND = _Kind(words="about the first of two pictures", items=_items("multi.distract[behind]"))
_OF_SIZES = _items("multi.which multi.order[count] multi.order[exists] multi.sum multi.distract[before]")
_ONE_SIZE = _Kind(words="with pictures of one size", items=_OF_SIZES, fact="size", values=("equal",))
_SIZES = _Kind(words="with pictures of several sizes", items=_OF_SIZES, fact="size", values=("different",))
_ORDER = _Kind(words="of `multi.order`", items=_items("multi.order[count] multi.order[exists]"))
_TOTALS = _Kind(words="about all pictures together", items=_items("multi.order[count] multi.order[exists] multi.sum"))
_WHICH = _Kind(words="of `multi.which`", items=_items("multi.which"))
_WHICH_OF_TWO = _Kind(
    words="of `multi.which` with two pictures", items=_items("multi.which"), fact="pictures", values=("2",)
)
_WHICH_OF_THREE = _Kind(
    words="of `multi.which` with three", items=_items("multi.which"), fact="pictures", values=("3",)
)
_SAME = _Kind(words="of `multi.same`", items=_items("multi.same"))
_INTERLEAVED = _Kind(words="of `multi.interleave`, with a text before a picture", items=_items("multi.interleave"))
_LATER = _Kind(words="about a picture of an earlier turn", items=_items("turn.later turn.repeat"))
_TURNS = _Kind(words="of `turn.last`, with pictures in two turns", items=_items("turn.last"))
_BY_NUMBER = _Kind(
    words="of `turn.last` that number a picture", items=_items("turn.last"), fact="named", values=("by number",)
)
_BY_MESSAGE = _Kind(
    words="of `turn.last` that name its message", items=_items("turn.last"), fact="named", values=("by message",)
)
_ASKED_AGAIN = _Kind(words="of `turn.repeat`, after other talk", items=_items("turn.repeat"))
_ASKED_LATER = _Kind(words="of `turn.later`", items=_items("turn.later"))
_DOUBTED = _Kind(words="of `lead.pushback`, where the user doubts the answer", items=_items("lead.pushback"))

_BACKWARDS = _Kind(words="of `film.reverse`", items=_items("film.reverse"))
_FIRST_MOVE = _Kind(words="of `film.order`", items=_items("film.order"))
_TWICE = _Kind(words="of `film.repeat`, with each frame twice", items=_items("film.repeat"))
_HALVED = _Kind(words="of `film.drop`, with half of the frames", items=_items("film.drop"))

_FORMS = {
    "form.jpeg[baseline]": "baseline JPEG",
    "form.jpeg[progressive]": "progressive JPEG",
    "form.jpeg[grayscale]": "grayscale JPEG",
    "form.jpeg[cmyk]": "CMYK JPEG",
    "form.webp[lossless]": "lossless WebP",
    "form.webp[lossy]": "lossy WebP",
    "form.png[alpha]": "PNG with alpha",
    "form.png[palette]": "PNG with a palette",
    "form.png[grayscale]": "grayscale PNG",
    "form.png[16-bit]": "PNG of 16 bits",
    "form.png[interlaced]": "interlaced PNG",
}
_THREADS_OF_FORMS = {"form.png[alpha]": "hermes-agent #64548"}
_EVERY_FORM = frozenset(_FORMS)
_JPEGS, _WEBPS, _PNGS = (
    frozenset(item for item in _FORMS if item.startswith(f"form.{form}")) for form in ("jpeg", "webp", "png")
)
_COLORS = _Kind(
    words="about colors in JPEG",
    items=_items("form.jpeg[baseline] form.jpeg[progressive] form.jpeg[cmyk]"),
    fact="asked",
    values=("color",),
)
_COLORS_ELSEWHERE = _Kind(
    words="about colors in PNG and WebP",
    items=_items(
        "form.png[alpha] form.png[palette] form.png[16-bit] form.png[interlaced] form.webp[lossless] form.webp[lossy]"
    ),
    fact="asked",
    values=("color",),
)
_JPEG_BUT_COLORS = _Kind(
    words="about all else in JPEG", items=_JPEGS, fact="asked", values=("count", "exists", "place")
)
_JPEG = _Kind(words="with JPEG", items=_items("form.jpeg[baseline] form.jpeg[progressive]"))
_NO_JPEG = _Kind(words="with PNG and WebP", items=_PNGS | _WEBPS)
_WEBP_LOSSLESS = _Kind(words="with lossless WebP", items=_items("form.webp[lossless]"))
_WEBP_LOSSY = _Kind(words="with lossy WebP", items=_items("form.webp[lossy]"))
_NO_WEBP = _Kind(words="with PNG and JPEG", items=_PNGS | _JPEGS)
_EXIF = _Kind(words="with an orientation in the EXIF of JPEG", items=_items("form.exif[jpeg]"))
_EXIF_PNG = _Kind(words="with one in the EXIF of PNG", items=_items("form.exif[png]"))
_NO_EXIF = _Kind(words="with other files", items=_EVERY_FORM)
_NO_EXIF_JPEG = _Kind(words="with other JPEG", items=_items("form.jpeg[baseline]"))


def _refused(kind: _Kind, results: Iterable[RelationResult]) -> float:
    strata = [stratum for each in results if each.item in kind.items for stratum in each.strata]
    failed = sum(stratum.tally.judged - stratum.tally.holds for stratum in strata)
    counts = (stratum.unread.get(cause) for stratum in strata for cause in _CHOSEN)
    return sum(count.answers for count in counts if count) / failed if failed else 0.0


def _lost_part(results: Sequence[RelationResult]) -> str:
    """What is lost where a text stands before a picture: what the model says tells the one from the other."""
    text, pictures = "a text before a picture is lost", "pictures behind a text are lost"
    of_item = [each for each in results if each.item in _INTERLEAVED.items]
    strata = [stratum for each in of_item for stratum in each.strata]
    failed = sum(stratum.tally.judged - stratum.tally.holds for stratum in strata)
    if sum(stratum.tally.unread_cases for stratum in strata) < _MOST_UNREAD * failed:
        return f"one of two: {text}, or {pictures}"
    causes: dict[bool, int] = {}
    for stratum in strata:
        for cause, count in stratum.unread.items():
            causes[cause == "sees nothing"] = causes.get(cause == "sees nothing", 0) + count.answers
    # Without the question it would say anything but that it sees no picture.
    return pictures if causes.get(True, 0) > causes.get(False, 0) else text


CAUSES = (
    _Cause(
        what="pictures of one size are merged into one",
        threads="llama.cpp #24303, #27313; ollama #17321, #17814",
        fails=(_ONE_SIZE,),
        holds=(_SIZES, _BEHIND),
    ),
    _Cause(
        # A total fails, too: else all are seen, and the model takes the first whichever is asked about.
        what="only the first of several pictures is seen",
        threads="vLLM #10983; ollama #8844",
        fails=(_BEFORE, _SIZES, _TOTALS),
        holds=(_BEHIND,),
    ),
    _Cause(
        what="one of two: only the first of several pictures is seen, or pictures of one size are merged",
        threads="vLLM #10983; llama.cpp #24303",
        fails=(_BEFORE, _TOTALS),
        holds=(_BEHIND,),
        lacks=(_SIZES,),
    ),
    _Cause(
        what="only the last of several pictures is seen",
        threads="",
        fails=(_BEHIND, _TOTALS),
        holds=(_BEFORE,),
    ),
    _Cause(
        name="reversed",
        what="several pictures are seen in the opposite order",
        threads="LM Studio #1675",
        fails=(_BEFORE, _BEHIND, _WHICH_OF_THREE),
        holds=(_TOTALS, _WHICH_OF_TWO),
    ),
    # Other words for a question may change an answer, too: the second picture is asked about in other words.
    _Cause(
        what="one of two: several pictures are seen in another order than sent, or their numbers are not understood",
        threads="LM Studio #1675",
        fails=(_BEFORE, _BEHIND, _WHICH),
        holds=(_TOTALS,),
        instead_of="reversed",
    ),
    _Cause(
        what="the answer depends on the order of the pictures",
        threads="Facet-Probe, arXiv 2606.26079",
        fails=(_ORDER, _BEFORE, _BEHIND),
        holds=(_LATER,),
    ),
    _Cause(
        what="a later picture replaces those of earlier turns",
        threads="react-native-executorch PR 1229",
        fails=(_BY_NUMBER, _BY_MESSAGE),
        holds=(_BEFORE, _BEHIND, _LATER),
    ),
    _Cause(
        what="pictures of earlier turns are moved to another turn",
        threads="mlx-vlm #2211",
        fails=(_BY_MESSAGE,),
        holds=(_BY_NUMBER, _BEFORE, _BEHIND),
    ),
    _Cause(
        what="one of two: pictures of earlier turns are lost, or the model is weak after several turns",
        threads="",
        fails=(_LATER, _TURNS),
        holds=(_BEFORE, _BEHIND),
    ),
    _Cause(
        what=_lost_part,
        threads="vLLM #15125, #10286",
        fails=(_INTERLEAVED,),
        holds=(_BEFORE, _BEHIND),
    ),
    _Cause(
        what="one of two: a cache ignores the pictures behind the first, or the model does not compare pictures by "
        "what they show",
        threads="vLLM #20261",
        fails=(_SAME,),
        holds=(_WHICH, _TOTALS, _BEFORE, _BEHIND),
    ),
    _Cause(
        what="the answer is taken back where the user doubts it, whatever the picture shows",
        threads="arXiv 2310.13548",
        fails=(_DOUBTED,),
        holds=(_ASKED_AGAIN, _ASKED_LATER),
    ),
    _Cause(
        what="the answer changes once the talk goes on: the fourth message is answered otherwise than the first three",
        threads="",
        fails=(_ASKED_AGAIN,),
        holds=(_ASKED_LATER, _DOUBTED),
    ),
    # A model that looks at nothing fails the first two as well, but does not name the picture that shows a thing.
    _Cause(
        what="one of two: the frames of films are seen in the opposite order, or an event is not told from its reverse",
        threads="",
        fails=(_BACKWARDS,),
        holds=(_FIRST_MOVE, _TWICE, _WHICH, _BEFORE, _BEHIND),
    ),
    _Cause(
        what="one of two: a single frame of a film is seen, or the order of the frames is not",
        threads="",
        fails=(_BACKWARDS, _FIRST_MOVE),
        holds=(_TWICE, _HALVED, _WHICH),
    ),
    _Cause(
        what="one of two: only the first few of many pictures are seen, or films are not followed",
        threads="",
        fails=(_BACKWARDS, _FIRST_MOVE, _HALVED),  # each frame twice keeps the first frames of a short film
        holds=(_WHICH, _TOTALS),
    ),
    _Cause(
        name="form.jpeg",
        what="JPEG is decoded with other colors, as if red and blue were exchanged",
        threads="sglang #33464",
        fails=(_COLORS,),
        holds=(_JPEG_BUT_COLORS, _COLORS_ELSEWHERE, _NO_JPEG),  # without these the model may be weak at colors
    ),
    _Cause(
        name="form.jpeg",
        what="JPEG is decoded otherwise than PNG and WebP",
        threads="sglang #33464",
        fails=(_JPEG,),
        holds=(_NO_JPEG,),
        instead_of="form.jpeg",
    ),
    _Cause(
        name="form.webp",
        what="WebP is not decoded as PNG and JPEG are",
        threads="",
        fails=(_WEBP_LOSSLESS, _WEBP_LOSSY),
        holds=(_NO_WEBP,),
    ),
    _Cause(
        what="the orientation in EXIF is ignored",
        threads="llama.cpp #20870",
        fails=(_EXIF, _EXIF_PNG),
        holds=(_NO_EXIF,),
    ),
    _Cause(
        what="the orientation in the EXIF of JPEG is ignored",
        threads="llama.cpp #20870",
        fails=(_EXIF,),
        holds=(_EXIF_PNG, _NO_EXIF_JPEG),
    ),
    _Cause(
        what="the orientation in the EXIF of PNG is ignored",
        threads="llama.cpp #20870",
        fails=(_EXIF_PNG,),
        holds=(_EXIF, _NO_EXIF),
    ),
    *(
        _Cause(
            what=f"{words} is not decoded as other files are",
            threads=_THREADS_OF_FORMS.get(item, ""),
            fails=(_Kind(words=f"with {words}", items=frozenset({item})),),
            holds=(_Kind(words="with other files", items=_EVERY_FORM - {item}),),
            instead_of=item.partition("[")[0],
        )
        for item, words in _FORMS.items()
    ),
)
"""All causes; one that says more stands before one that says the same in less detail."""


def likely_causes(report: Report) -> Iterator[str]:
    """A sentence for each likely cause of violations, with the numbers of cases that show it."""
    several = len(report.models) > 1 or len(report.data) > 1
    for (model, data), results in results_by_model_and_data(report):
        of = f"{model} on {data}: " if several else ""
        yield from (f"Likely cause: {of}{text}." for text in _causes_of(results))


def _causes_of(results: Sequence[RelationResult]) -> Iterator[str]:
    shares: dict[_Kind, _Share] = {}

    def share(kind: _Kind) -> _Share:
        if kind not in shares:
            shares[kind] = _Share(kind=kind, tally=kind.tally(results), refused=_refused(kind, results))
        return shares[kind]

    found: set[str] = set()
    for cause in CAUSES:
        fails, holds, lacks = (tuple(map(share, kinds)) for kinds in (cause.fails, cause.holds, cause.lacks))
        if cause.instead_of in found or any(each.is_enough for each in lacks):
            continue
        if not all(each.is_enough for each in (*fails, *holds)):
            continue
        if any(each.refused >= _MOST_UNREAD for each in fails):
            continue
        if all(one.is_above(other) for one in fails for other in holds):
            found.add(cause.name)
            what = cause.what if isinstance(cause.what, str) else cause.what(results)
            evidence = f"{_listed(fails)} fail, but {_listed(holds)}"
            yield f"{what}: {evidence}{f' ({cause.threads})' if cause.threads else ''}"


def _listed(shares: Sequence[_Share]) -> str:
    return join_phrases([each.words for each in shares], "and")
