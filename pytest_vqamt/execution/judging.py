"""Verdicts on cases: from one answer to each query, or from several.

If each query is asked several times, the verdict must not be that of the model's noise. A query is *settled* if more
than two thirds of its answers have the same reading. The case is then judged by the readings that are settled and, for
a query that is not, by each reading that it got: if every combination of them holds, or every one does not, so does the
case; else it is FLAKY. So a stray answer changes nothing, a query that is answered at random counts for nothing, and
a violation that does not depend on the unsettled answer still counts.

Why not the majority of the trials' verdicts: a case of three queries to a model that errs in 3 % of its answers has a
stray answer in 9 % of its trials, and 37 % of such cases have one in five trials, though no answer is in doubt. Why not
the plain majority of the readings: of a query that is answered at random, some reading always has one, so half of
such cases would be violations. With five trials and 3 % of errors, 2.5 % of such cases are flaky, and 1 in 80,000 is
violated. As trials are added, a verdict becomes that of the model's most frequent answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from pytest_vqamt.core.case import Case, ContrastVerdict, Grade, Outcome, Trials, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.query import Answer, Failure, Query, Task
from pytest_vqamt.core.text import count_noun, shortened
from pytest_vqamt.execution.baseline import BaselineCase
from pytest_vqamt.language.answers.answer_text import Unreadable, UnreadableAnswer
from pytest_vqamt.models.reference.oracle import true_answer
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.catalogue import BUILT_IN
from pytest_vqamt.relations.contrasts import judge_contrast
from pytest_vqamt.relations.expectations import judged, read_answer
from pytest_vqamt.stats.binomial import upper_tail
from pytest_vqamt.stats.candidates import probabilities

_OPENERS = frozenset((
    "a", "an", "the", "there", "this", "that", "these", "those", "it", "its", "in", "on", "i", "is", "are", "looking",
    "based", "from",
))  # fmt: skip
"""Tokens that begin a sentence of any reading, so that their scores say nothing of the answer."""

Answers = Sequence["Answer | Failure"]
Reader = Callable[[Query, Answer], Answer]

MAX_COMBINATIONS = 256
"""Combinations of readings that are judged; of more, which captions have, only those of the trials are."""


def with_grades(case: Case, answers: Sequence[Answer | Failure], verdict: Verdict) -> Verdict:
    """The verdict with the grades of the answers; unchanged if none has scores."""
    if not any(isinstance(answer, Answer) and answer.scores for answer in answers):
        return verdict
    grades = tuple(
        grade(query, answer) if isinstance(answer, Answer) else None
        for query, answer in zip(case.queries, answers, strict=True)
    )
    return replace(verdict, grades=grades)


def grade(query: Query, answer: Answer) -> Grade | None:
    """Returns how sure the model was of the reading of its answer.

    Each candidate is read as an answer is, and the probabilities of candidates with the same reading add up ("yes",
    "Yes."). None if the answer has no scores or cannot be read, if no candidate has its reading (as where scores are
    of the first token, and that is "There"), and for captions.
    """
    # A caption is no choice between a few candidates.
    if not answer.scores or query.task is Task.CAPTIONING:
        return None
    reading = read_answer(query, answer)
    if isinstance(reading, UnreadableAnswer):
        return None
    own = 0.0
    others: dict[object, float] = {}
    found = False
    for (text, _), probability in zip(answer.scores, probabilities([s for _, s in answer.scores]), strict=True):
        # "yes", "Yes" and "Yes." are one reading: their probabilities add up.
        candidate = _candidate(query, text)
        if candidate == reading:
            own, found = own + probability, True
        else:
            # Unreadable candidates have nothing in common: each stands for itself.
            key = text if isinstance(candidate, UnreadableAnswer) else candidate
            others[key] = others.get(key, 0.0) + probability
    if not found:
        return None
    right = true_answer(query)
    is_right = None if right is None else _plain(reading) == _plain(right)
    # At most 1: sums of rounded probabilities may exceed it a little.
    return Grade(min(own, 1.0), own - max(others.values(), default=0.0), is_right)


def _candidate(query: Query, text: str) -> object:
    # The server scores the first token only: "There" begins answers of any reading.
    if text.casefold().strip(" .,") in _OPENERS:
        return UnreadableAnswer(Unreadable.CUT_OFF)
    return read_answer(query, Answer(text))


def _plain(value: object) -> object:
    return " ".join(value.casefold().split()) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCase:
    """A case with its answers and its verdict."""

    case: Case
    answers: tuple[Answer | Failure, ...]
    verdict: Verdict

    @property
    def complexity(self) -> tuple[bool, bool, bool, int, int, str]:
        """A sort key, simplest first: not presumed, answers that were read, sure ones, few objects, short texts."""
        source = self.case.queries[0].picture.scene
        words = sum(len(query.text) for query in self.case.queries)
        unread = self.verdict.outcome is Outcome.UNPARSED or any(self.verdict.unread)
        unsure = not self.verdict.is_confident_violation
        return self.case.is_presumed, unread, unsure, len(source.objects), words, self.case.id


def verdict_of(relation: Relation, case: Case, answers: Sequence[Answer | Failure]) -> Verdict:
    """The relation's verdict on the answers; ERROR if one is a failure, DECLINED as ``judged`` says.

    Raises:
        VqamtError: the relation cannot judge the case.
    """
    for answer in answers:
        # One failure is enough: the relation needs all answers.
        if isinstance(answer, Failure):
            return Verdict(outcome=Outcome.ERROR, reason=answer.reason)
    try:
        return judged(case, [answer for answer in answers if isinstance(answer, Answer)], relation.judge)
    except VqamtError as error:
        # A relation of a user: its traceback is shown.
        if case.relation not in BUILT_IN:
            error.about(error, _where(case, answers))
        raise
    except Exception as error:
        raised = VqamtError(
            f"Expected relation {case.relation!r} to judge case {case.id}, but it raised "
            f"{type(error).__name__}: {error}"
        )
        raise (raised if case.relation in BUILT_IN else raised.about(error, _where(case, answers))) from error


def _where(case: Case, answers: Answers) -> str:
    texts = ", ".join(repr(shortened(each.text, 80)) for each in answers if isinstance(each, Answer))
    return f"in the expectation of relation {case.relation!r}, case {case.id}, with the answers {texts}"


def judge_case(
    relation: Relation,
    case: Case,
    answers: tuple[Answer | Failure, ...],
    contrast: Answer | Failure | None = None,
) -> JudgedCase:
    """Judges the case, and its contrast if the answer to that is given.

    Raises:
        VqamtError: the relation cannot judge the case.
    """
    verdict = with_grades(case, answers, verdict_of(relation, case, answers))
    if contrast is not None:
        verdict = _with_contrast(verdict, judge_contrast(case, answers, contrast))
    return JudgedCase(case=case, answers=answers, verdict=verdict)


def _with_contrast(verdict: Verdict, contrast: ContrastVerdict) -> Verdict:
    """Adds the verdict on the contrast, which is declined where the case is."""
    # A declined case has nothing that the contrast could differ from.
    if verdict.outcome is Outcome.DECLINED and contrast.outcome is not Outcome.ERROR:
        contrast = replace(contrast, outcome=Outcome.DECLINED, reason=verdict.reason)
    return replace(verdict, contrast=contrast)


def read_by(reader: Reader | None, query: Query, answer: Answer | Failure) -> Answer | Failure:
    """The answer that is judged: the model's, after the user's reader if there is one."""
    return answer if reader is None or isinstance(answer, Failure) else reader(query, answer)


def baseline_verdict(relation: Relation, baseline: BaselineCase, reader: Reader | None = None) -> Verdict:
    """The verdict on the baseline's answers by the current judge, so that old and new answers are judged alike.

    Raises:
        VqamtError: the relation can no longer judge the case.
    """
    try:
        return judge_trials(relation, baseline.case, baseline.trials, reader).verdict
    except VqamtError as error:
        raise VqamtError(f"{error} (of its blessed answers: bless a report of this version of the relation)") from error


def is_settled(times: int, of: int) -> bool:
    """True if a reading settles its query: it is that of ``times`` of ``of`` answers, more than two thirds.

    >>> is_settled(2, 3), is_settled(4, 5), is_settled(1, 1)
    (False, True, True)
    """
    return 3 * times > 2 * of


def chance_of_noise(counts: Sequence[int]) -> float:
    """The chance that as many new answers to a query would settle another reading than the most frequent one.

    Takes the frequencies of the readings for their probabilities (the plug-in, or bootstrap, estimate): for each other
    reading the upper tail of a binomial distribution.

    >>> chance_of_noise([5]), round(chance_of_noise([4, 1]), 4), round(chance_of_noise([3, 2]), 4)
    (0, 0.0067, 0.087)
    """
    of = sum(counts)
    fewest = next(times for times in range(of + 1) if is_settled(times, of))
    return sum(upper_tail(fewest, of, each / of) for each in sorted(counts)[:-1])


def judge_trials(relation: Relation, case: Case, trials: Sequence[Answers], reader: Reader | None = None) -> JudgedCase:
    """Judges a case with one answer to each query, or several.

    Failed trials are left out. A case is an ERROR if one of its queries failed in half of its trials or more.

    Args:
        relation: the relation of the case.
        case: the case.
        trials: the answers to each query of ``Case.asked``, in the order of the trials; those to the contrast may be
            missing.
        reader: gives the answer that is judged in place of the model's; None for the model's own.

    Returns:
        The case with its most frequent answers, in the model's own words. The verdict has the trials, if there are
        several.

    Raises:
        VqamtError: the relation cannot judge the case.
    """
    # The usual run, which needs no way back to the model's own words.
    if reader is None:
        return _judge_trials(relation, case, trials)
    read = [
        tuple(read_by(reader, query, each) for each in answers)
        for query, answers in zip(case.asked, trials, strict=False)  # the contrast's may be lacking
    ]
    found = _judge_trials(relation, case, read)
    original = {
        # By identity: two answers may read alike and differ in the model's words.
        id(own): each
        for read_answers, answers in zip(read, trials, strict=True)
        for own, each in zip(read_answers, answers, strict=True)
    }
    verdict = found.verdict
    if verdict.trials is not None:
        verdict = replace(verdict, trials=replace(verdict.trials, answers=tuple(map(tuple, trials))))
    if (contrast := verdict.contrast) is not None:
        verdict = replace(
            verdict, contrast=replace(contrast, answer=original.get(id(contrast.answer), contrast.answer))
        )
    return replace(found, answers=tuple(original[id(each)] for each in found.answers), verdict=verdict)


def _judge_trials(relation: Relation, case: Case, trials: Sequence[Answers]) -> JudgedCase:
    own, contrast = trials[: len(case.queries)], trials[len(case.queries) :]
    # Asked once: no trials, no noise, no FLAKY.
    if all(len(answers) == 1 for answers in trials):
        return judge_case(relation, case, tuple(each for (each,) in own), contrast[0][0] if contrast else None)
    repeats = len(own[0])
    # Half of the trials or more, so that a model that fails now and then is still judged.
    failed = next((each for each in own if 2 * sum(isinstance(answer, Failure) for answer in each) >= repeats), None)
    if failed is not None:
        reason = next(answer.reason for answer in failed if isinstance(answer, Failure))
        reported = tuple(next((each for each in answers if isinstance(each, Answer)), answers[0]) for answers in own)
        verdict = Verdict(outcome=Outcome.ERROR, reason=reason)
        if contrast:
            missing = ContrastVerdict(answer=Failure(reason=reason), outcome=Outcome.ERROR, reason=reason)
            verdict = replace(verdict, contrast=missing)
        # By trial, for the variances; a trial with a failure is an ERROR.
        outcomes = tuple(verdict_of(relation, case, answers).outcome for answers in zip(*own, strict=True))
        return JudgedCase(case=case, answers=reported, verdict=replace(verdict, trials=_trials(trials, outcomes, 0.0)))
    return _judge_repeated(relation, case, own, contrast)


def _judge_repeated(relation: Relation, case: Case, own: Sequence[Answers], contrast: Sequence[Answers]) -> JudgedCase:
    # Takes the place of a failed answer, so that the other answers of its trial can still be read.
    first = [next(each for each in answers if isinstance(each, Answer)) for answers in own]
    by_trial = [
        verdict_of(relation, case, [_or(each, other) for each, other in zip(answers, first, strict=True)])
        for answers in zip(*own, strict=True)
    ]
    readings = [
        _readings(answers, [_reading(verdict, place) for verdict in by_trial]) for place, answers in enumerate(own)
    ]
    candidates = [_candidates(each) for each in readings]
    # Captions have as many readings as trials: 5 trials of 6 queries would be 15,625 verdicts.
    combinations = list(product(*candidates)) if prod(map(len, candidates)) <= MAX_COMBINATIONS else []
    top = tuple(each[0] for each in candidates)
    verdict = verdict_of(relation, case, top)
    kinds = {_kind(verdict_of(relation, case, each)) for each in combinations} or {*map(_kind, by_trial)}
    outcomes = tuple(
        Outcome.ERROR if any(isinstance(each, Failure) for each in answers) else judged.outcome
        for answers, judged in zip(zip(*own, strict=True), by_trial, strict=True)
    )
    # The verdict hangs on which of the answers to an unsettled query is taken.
    if len(kinds) > 1:
        held = outcomes.count(Outcome.HOLDS)
        reason = f"answers to the same query differ: holds in {held} of {count_noun(len(outcomes), 'trial')}"
        verdict = Verdict(outcome=Outcome.FLAKY, reason=reason, readings=verdict.readings, unread=verdict.unread)
    verdict = with_grades(case, top, verdict)
    # Union bound: the chance that any of the queries settles otherwise.
    noise = min(1.0, sum(chance_of_noise([len(some) for some in each]) for each in readings))
    verdict = replace(verdict, trials=_trials((*own, *contrast), outcomes, noise))
    if contrast:
        assert case.contrast is not None
        verdict = _with_contrast(verdict, _repeated_contrast(case, candidates, contrast[0]))
    return JudgedCase(case=case, answers=top, verdict=verdict)


def _repeated_contrast(case: Case, candidates: Sequence[Sequence[Answer]], answers: Answers) -> ContrastVerdict:
    assert case.contrast is not None
    of, top = case.contrast.of, tuple(each[0] for each in candidates)
    texts = [judge_contrast(case, top, each).reading for each in answers]
    # As for the case's own queries: half of the answers or more have failed.
    if 2 * len([each for each in answers if isinstance(each, Answer)]) <= len(answers):
        return judge_contrast(case, top, next(each for each in answers if isinstance(each, Failure)))
    others = _candidates(_readings(answers, texts))
    found = judge_contrast(case, top, others[0])
    # All combinations of readings that the query and its contrast may have.
    outcomes = {
        judge_contrast(case, (*top[:of], one, *top[of + 1 :]), other).violates
        for one in candidates[of]
        for other in others
    }
    if len(outcomes) == 1 or not found.outcome.is_judged:
        return found
    return replace(found, outcome=Outcome.FLAKY, reason="answers to the same query differ")


def _trials(trials: Sequence[Answers], outcomes: tuple[Outcome, ...], noise: float) -> Trials:
    return Trials(answers=tuple(map(tuple, trials)), outcomes=outcomes, noise=noise)


def _or(answer: Answer | Failure, other: Answer) -> Answer:
    return answer if isinstance(answer, Answer) else other


def _kind(verdict: Verdict) -> Outcome:
    return Outcome.VIOLATED if verdict.violates else verdict.outcome


def _reading(verdict: Verdict, place: int) -> str:
    """A key for the reading of one answer, with the cause if it has none; "" if the relation gives no readings."""
    cause = verdict.unread[place] if place < len(verdict.unread) else ""
    return f"{verdict.readings[place]}\n{cause}" if place < len(verdict.readings) else ""


def _readings(answers: Answers, readings: Sequence[str]) -> list[list[Answer]]:
    """The answers grouped by their reading, the most frequent ones first."""
    groups: dict[str, list[Answer]] = {}
    for answer, reading in zip(answers, readings, strict=True):
        if isinstance(answer, Answer):
            # A relation without readings has its answers compared as texts.
            groups.setdefault(reading or " ".join(answer.text.casefold().split()), []).append(answer)
    return sorted(groups.values(), key=len, reverse=True)


def _candidates(groups: Sequence[Sequence[Answer]]) -> list[Answer]:
    """An answer for each reading that may be the query's: the settled one, or all."""
    most = len(groups[0])
    return [each[0] for each in (groups[:1] if is_settled(most, sum(map(len, groups))) else groups)]
