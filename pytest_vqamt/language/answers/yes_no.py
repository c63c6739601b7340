"""Yes and no in answers, and propositions put to the question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pytest_vqamt.core.meaning import Absent, Both, Either, Exists, Group, Has, Meaning, Neither, NotBoth
from pytest_vqamt.language.answers.choices import without_questions
from pytest_vqamt.language.answers.claims import (
    claim_clauses,
    ends_noun_phrase,
    is_exclusive,
    noun_pattern,
    presence_claimed,
)
from pytest_vqamt.language.answers.text import (
    MAX_CACHED_CHARS,
    Unreadable,
    UnreadableAnswer,
    prepare_answer,
    unreadable_answer,
)
from pytest_vqamt.language.english.phrases import descriptions


def read_yes_no(text: str, meaning: Meaning) -> bool | UnreadableAnswer:
    """Whether an answer says yes to the question that has this ``meaning``.

    What the answer claims of the groups of the question is put to the question: "there is no dog" says yes to "is there
    no dog?" and no to "is there a dog?", whatever particle stands before it. Without such a claim "yes" and "no" are
    taken logically: "no" to "is there no dog?" says that there is one.

    >>> no_dog = Absent(group=Group(name="dog"))
    >>> read_yes_no("No, there is no dog.", no_dog), read_yes_no("No", no_dog)
    (True, False)
    """
    plain = _PLAIN.get(text)
    if plain is not None:
        return plain
    return (_read if len(text) <= MAX_CACHED_CHARS else _read.__wrapped__)(text, meaning)


_PLAIN = {
    f"{word}{end}": said
    for said, words in ((True, ("yes", "Yes", "YES", "true", "True")), (False, ("no", "No", "NO", "false", "False")))
    for word in words
    for end in ("", ".")
}


@lru_cache(maxsize=65536)
def _read(text: str, meaning: Meaning) -> bool | UnreadableAnswer:
    prepared = prepare_answer(text)
    if isinstance(prepared, UnreadableAnswer):
        return prepared
    answer = without_questions(prepared)
    particles = {found["yes"] is not None for found in _PARTICLE.finditer(answer)}
    if len(particles) == 2 or _YES_AND_NO.search(answer):
        return UnreadableAnswer(Unreadable.YES_AND_NO)
    parts = claim_clauses(_LEADING.sub("\n", answer))
    if isinstance(meaning, Has):
        claim = _attribute_claim(meaning, parts, with_fragments=not particles)
    else:
        claim = _presence_claim(meaning, parts)
    if claim is not None:
        return claim
    said = particles.pop() if particles else _echo(meaning, parts)
    return unreadable_answer(prepared, Unreadable.NO_YES_OR_NO) if said is None else said


_END = r"\s*(?:$|[,.;:!()\n-])"
# After "no" a noun makes it a claim ("no dogs"); these words leave it a particle.
_FOLLOWING = rf"(?:{_END}|\s*(?:there|it|i|we|you|the|this|that|they|he|she|because|as|since)\b)"
_OPENING = (
    r"(?:well|hmm|ok|okay|oh|so|and|probably|likely|most likely|(?:the|my) (?:\w+ )?answer (?:to \w+ question )?is"
    r"|answer|i (?:would|will|can|would have to) say|i (?:think|believe|guess|answer))"
)
_YES = (
    r"(?:yes|yeah|yep|yup|yea)\b|(?:y|true|correct|right|sure|certainly|definitely|absolutely|of course|indeed"
    rf"|affirmative|exactly)(?={_FOLLOWING})"
    rf"|(?:i (?:think|believe) so|(?:it|that) is (?:right|correct|true|the case))(?={_END})"
)
_NO = (
    r"(?:no|nope|nah|n|not|false|incorrect|wrong|untrue|negative|never|not at all|not really|not likely"
    rf"|of course not)(?={_FOLLOWING})|(?:i do not (?:think|believe) so"
    rf"|(?:it|that) is (?:wrong|false|incorrect|not (?:right|correct|true|the case)))(?={_END})"
)
_PARTICLE = re.compile(rf"(?:^|[.,:!;\n]\s*)(?:{_OPENING}[,:]?\s+)*(?:(?P<no>{_NO})|(?P<yes>{_YES}))")
_LEADING = re.compile(rf"(?:^|(?<=[.,:!;\n]))\s*(?:yes|yeah|yep|no|nope|nah)(?={_FOLLOWING})")
_YES_AND_NO = re.compile(r"\byes\W+(?:and|or)\W+no\b|\bno\W+(?:and|or)\W+yes\b|\byes/no\b")


def _presence_claim(meaning: Meaning, parts: Sequence[str]) -> bool | None:
    """What the answer says is there, put to the question; None where it does not settle it."""
    match meaning:
        case Exists(group=group) | Absent(group=group):
            groups: tuple[Group, ...] = (group,)
        case Both(groups=groups) | NotBoth(groups=groups) | Either(groups=groups) | Neither(groups=groups):
            pass
        case _:
            return None
    there = [_agreed(presence_claimed(group, part) for part in parts) for group in groups]
    if any(is_exclusive(part) for part in parts):
        there = [bool(each) for each in there]
    of_any = isinstance(meaning, Either | Neither)
    positive = _any(there) if of_any else _all(there)
    negated = isinstance(meaning, Absent | NotBoth | Neither)
    if positive is None and set(there) == {None}:
        positive = _elliptic_claim(parts, agreeing=not negated)
    return positive if positive is None or not negated else not positive


_AMOUNT = (
    r"(?:one|some|any|none|a few|several|many|lots|it|them|both|two|three|four|\d+|at least one|indeed"
    r"|no one)"
)
_PLACE = (
    r"(?:here|there|visible|present|shown|seen|depicted|pictured|in it|in view|at all|of (?:them|those|these)"
    r"|in (?:the|this) (?:picture|image|photo|photograph|scene|background|foreground))"
)
_ELLIPSIS = re.compile(
    rf"(?:(?:yes|no|and|so|then|indeed|i think|i believe|that)\W+)*"
    rf"(?:there (?:is|are|was|were)(?P<not1> not)?(?: (?P<amount1>{_AMOUNT}))?"
    rf"|(?:i|we|you) (?:(?:can|could|do) )?(?P<not2>not )?(?:see|spot|find|notice) (?P<amount2>{_AMOUNT})"
    rf"|(?P<amount3>it|they|one|none|neither|both|all|some)(?: of them)? (?:is|are|can be)(?P<not3> not)? {_PLACE}"
    rf"|(?P<amount4>none|nothing|nobody|no one|neither|both|not any|not one|zero)"
    rf"|(?P<not5>not )?(?:visible|present|in the (?:picture|image)|there)|(?P<not6>absent|missing)"
    rf")(?: {_PLACE})*(?P<where> (?:on|in|at|near|by|under|behind|beside|next to|to|sitting|standing|lying)\b[^,]*)?"
)
_AGREEMENT = re.compile(
    r"(?:(?:yes|no|and|so)\W+)*(?:it|they|he|she|this|that|i|we|you) (?:is|are|does|do|can|has|have)(?P<not> not)?"
)
_ECHO = re.compile(r"(?:it|this|that) (?:is|does|has)(?P<not> not)?")
_NO_AMOUNT = ("none", "nothing", "nobody", "no one", "neither", "not any", "not one", "zero", "0")


def _elliptic_claim(parts: Sequence[str], *, agreeing: bool) -> bool | None:
    """What "there is", "I see none", "they are visible" say; with ``agreeing``, also "it does" and "I can not"."""
    said: list[bool | None] = []
    for part in parts:
        if found := _ELLIPSIS.fullmatch(part):
            values = found.groupdict()
            amount = next((values[f"amount{i}"] for i in range(1, 5) if values[f"amount{i}"]), "")
            denied = any(values[f"not{i}"] for i in (1, 2, 3, 5, 6))
            there = not denied and amount not in _NO_AMOUNT
            said.append(None if values["where"] and not there else there)
        elif agreeing and (found := _AGREEMENT.fullmatch(part)):
            said.append(found["not"] is None)
    return _agreed(said)


def _echo(meaning: Meaning, parts: Sequence[str]) -> bool | None:
    """What "it is" and "it does not" say to a question that denies: like a bare yes or no, they are taken logically."""
    if not isinstance(meaning, Absent | NotBoth | Neither):
        return None
    return _agreed(found["not"] is None for found in map(_ECHO.fullmatch, parts) if found)


_PRONOUN = re.compile(r"(?:(?:yes|no|and|so|well|actually)\W+)*(?:it|they|he|she|this|that)\b")
_VERB = re.compile(r"\b(?:is|are|was|were|looks?|seems?|appears?|has|have)\b")
_DENIAL = re.compile(r"\b(?:not|no|never|neither|nor|rather than|instead of|without)\b")


def _attribute_claim(meaning: Has, parts: Sequence[str], *, with_fragments: bool) -> bool | None:
    """What the answer says of the attribute, in clauses about the thing of the question."""
    attribute = re.compile(rf"\b{re.escape(meaning.attribute)}\b")
    nouns = noun_pattern(meaning.group)
    said: list[bool | None] = []
    for part in parts:
        about = nouns.search(part) or _PRONOUN.match(part) or (with_fragments and not _VERB.search(part))
        for found in attribute.finditer(part) if about else ():
            if _is_another(meaning.attribute, part[: found.start()]):
                continue
            noun = nouns.match(part, found.end() + 1)
            if noun or ends_noun_phrase(part, found.end()) or part.startswith(" one", found.end()):
                said.append(_DENIAL.search(part, 0, found.start()) is None)
    return _agreed(said) if said else _elliptic_claim(parts, agreeing=True)


def _is_another(attribute: str, before: str) -> bool:
    """Whether the word before makes another attribute of it: what is light blue may be called blue or not."""
    return f"{before.rstrip().rpartition(' ')[2]} {attribute}" in descriptions()


def _agreed(said: Iterable[bool | None]) -> bool | None:
    """What all those say that say anything; None where they differ or nobody does."""
    values = {each for each in said if each is not None}
    return values.pop() if len(values) == 1 else None


def _all(there: Sequence[bool | None]) -> bool | None:
    return False if False in there else None if None in there else True


def _any(there: Sequence[bool | None]) -> bool | None:
    return True if True in there else None if None in there else False
