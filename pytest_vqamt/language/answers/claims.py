"""What a sentence says is there: claims about groups of things."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from pytest_vqamt.core.meaning import Group, Related
from pytest_vqamt.language.english.nouns import NUMBER_WORDS, plural
from pytest_vqamt.language.english.phrases import descriptions, links


def claim_clauses(statement: str) -> tuple[str, ...]:
    """The parts of a statement that each claim something of their own.

    >>> claim_clauses("there is a dog, but there is no cat. it is old")
    ('there is a dog', 'there is no cat', 'it is old')
    """
    return tuple(part for part in (clause.strip(" ,") for clause in _CLAUSE.split(statement)) if part)


def presence_claimed(group: Group, clause: str) -> bool | None:
    """Whether a clause says that there is any of ``group``, that there is none, or neither.

    A claim must be about this very group: "there is a car" does not say that there is a red one, but "there is no car"
    denies that there is. A hot dog is no dog, and a dog that is said not to be red is not said to be absent.

    >>> dog, red_car = Group(name="dog"), Group(name="car", attributes=("red",))
    >>> presence_claimed(dog, "there is a small dog on the couch"), presence_claimed(dog, "there are no cats or dogs")
    (True, False)
    >>> presence_claimed(red_car, "there is a car"), presence_claimed(red_car, "there are no cars")
    (None, False)
    >>> presence_claimed(dog, "there is a hot dog") is None
    True
    """
    if len(clause) > _LONGEST or _CONDITION.search(clause):
        return None
    said = {_claim(group, noun, clause) for noun in noun_pattern(group).finditer(clause)} - {None}
    return said.pop() if len(said) == 1 else None


def is_exclusive(clause: str) -> bool:
    """Whether a clause says that what it names is all there is: "there is only a dog"."""
    return _ONLY.search(clause) is not None


def ends_noun_phrase(clause: str, position: int) -> bool:
    """Whether the words before ``position`` are a whole phrase: "dog" in "a dog is", not in "a dog house"."""
    return _AFTER_A_PHRASE.match(clause, position) is not None


@lru_cache(maxsize=65536)
def noun_pattern(group: Group) -> re.Pattern[str]:
    """Finds the names of the group and of what it covers, in the singular or the plural."""
    names = {form for name in (group.name, *group.covers) for form in (name, plural(name))}
    return re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, names), key=len, reverse=True))})\b(?!['-])")


_PICTURE = r"(?:picture|image|photo|photograph|scene|frame|background|foreground|view)"
_CLAUSE = re.compile(
    r"[.;:!\n]+|,?\s*\b(?:but|however|although|though|whereas|while|because|since|except|yet|instead(?! of))\b|\s-\s"
    rf"|,\s*(?:and\s+)?(?=(?:there|it|they|i|we|you|he|she|this|that|these|the {_PICTURE})\b)"
    r"|\band\s+(?=(?:there|it|they|i) (?:is|are|can|do|see)\b)"
)
_LONGEST = 1000
"""Characters of a clause that says one thing: a longer one is a model's endless repetition."""

_CONDITION = re.compile(r"\b(?:if|whether|unless)\b")
_ONLY = re.compile(r"(?<!not )\b(?:only|just) (?:an?|the|some|\d+|one|two|three|four|five)\b(?! of)")

_NONE = frozenset({"no", "zero", "0", "neither", "nor"})
_DETERMINERS = _NONE | {
    "a", "an", "the", "any", "some", "many", "several", "multiple", "few", "numerous", "another", "both", "either",
    "his", "her", "its", "their", "this", "that", "these", "those", "not", "such", *NUMBER_WORDS[1:],
}  # fmt: skip
_LINKS = frozenset(
    {
        "is", "are", "was", "were", "be", "see", "seeing", "show", "shows", "contain", "contains", "has", "have",
        "depict", "depicts", "feature", "features", "include", "includes", "display", "displays", "spot", "find",
        "lack", "lacks", "and", "or", "yes", "no", "only", "just", "also", "least", "lots", "of", "with", "without",
        "on", "in", "by", "near", "behind", "under", "at", "to", "from", "as", "like", "for", "over", "into", "beside",
        "above", "below", "wearing", "holding", "riding", "showing", "lacking", ",", "(",
    }
)  # fmt: skip
"""Before a noun phrase stands one of these, a determiner or nothing; any other word makes a compound with the noun."""

_AFTER_A_PHRASE = re.compile(
    r"\s*(?:$|[,()]|(?:is|are|was|were|in|on|at|of|with|and|or|nor|that|which|who|to|here|there|visible|present|near|next|by"
    r"|under|behind|beside|above|below|beneath|underneath|inside|outside|atop|(?:close|left|right)(?= (?:to|of)\b)"
    r"|from|as|shown|seen|depicted|pictured|can|could|has|have|does|do|not"
    r"|too|also|around|along|among|through|between|over|against|across|for|within|without|anywhere|together|either|appears?"
    r"|exists?|wears|holds|stands?|sits?|lies|rather|instead"
    r"|(?!(?:bed|shed|sled|weed|seed|feed|reed)\b)\w+ed"
    r"|(?!(?:\w?ring|wing|king|string|spring|swing|thing|building|ceiling|clothing|painting|railing|drawing|earring"
    r"|bedding|lettering)\b)\w+ing)\b)"
)


def _claim(group: Group, noun: re.Match[str], clause: str) -> bool | None:
    described = _description_before(group, clause[: noun.start()])
    if described is None or not ends_noun_phrase(clause, noun.end()):
        return None
    before, determiner, description = described
    after = clause[noun.end() :]
    if determiner == "the" and not before and _denies_an_attribute(group, description, after):
        return False
    says = _says(before, determiner, after)
    if says:
        return True if _covers_what_is_asked(group, description, after) else None
    if says is False and noun[0] in (group.name, plural(group.name)):
        return False if _denies_what_is_asked(group, description, after) else None
    return None


def _description_before(group: Group, text: str) -> tuple[str, str, str] | None:
    """What stands before the noun phrase, its determiner or "", its adjectives; None where the noun ends a name."""
    words = _WORD.findall(text)
    known = _adjectives() | {word for attribute in group.attributes for word in attribute.split(" ")}
    start = len(words)
    while start and (words[start - 1] in known or _is_participle(words[start - 1])):
        start -= 1
    described = " ".join(words[start:])
    last = words[start - 1] if start else ""
    if last in _DETERMINERS or last.isdecimal() or last.endswith("'s"):
        return " ".join(words[: start - 1]), last, described
    return (" ".join(words[:start]), "", described) if not last or last in _LINKS else None


def _is_participle(word: str) -> bool:
    return word.endswith("ing") and word not in _LINKS


_WORD = re.compile(r"[^\s,()]+|[,()]")
_FRAME = re.compile(
    r"\b(?:it|this|that|these|those|they) (?:is|are)\b"
    r"|\bthere (?:\w+ ){0,3}?(?:is|are|be|seems?|appears?|exists?|was|were)\b"
    r"|\b(?:i|we|you|one) (?:\w+ ){0,3}?(?:see|spot|find|notice|observe|detect|count|identify|say|think|believe)\b"
    rf"|\b(?:{_PICTURE}|it|this|that) (?:\w+ ){{0,3}}?(?:shows?|contains?|has|have|depicts?|features?|includes?"
    rf"|displays?|lacks?|is (?:an? )?(?:{_PICTURE}|without|free|devoid|of|showing|lacking))\b"
)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|do|does|can|see|shows?|contains?|looks?|seems?|appears?|lacks?)\b")
_QUANTITY = re.compile(
    rf"\b(?:pair|couple|group|lot|lots|bunch|number|herd|flock|crowd|pack|team|row|pile|variety|plenty|dozens?|{_PICTURE}"
    r"|one|some|any|none) of$"
)
_ABOUT_ANOTHER = re.compile(r"\b(?:without|like(?! there)|than|instead of)\b[^,]*$")
_NEGATOR = re.compile(r"\b(?:not|never|no|neither|nor|zero|0|lacks?|lacking|free of|devoid of|(?:is|are) without)\b")
_THAT_THERE_IS = re.compile(r"\b(?:true |the case |correct )?(?:that )?there (?:is|are|be)\b")
_BREAKS_A_LIST = re.compile(
    r"\b(?:with|on|in|near|wearing|holding|by|at|of|that|which|who|under|behind|beside|above|below|from|is|are|\w+ing)\b"
)
_SEEN = rf"(?:visible|present|seen|shown|there|here|depicted|pictured|found|in (?:(?:the|this) )?{_PICTURE})"
_GONE = re.compile(
    r"\s?(?:(?:and|or) (?:\w+ ){1,3}?)?(?:is|are|can|do|does) "
    rf"(?:not(?: (?:be )?(?:\w+ )??(?:{_SEEN}|appear)\b|$)|(?:(?!not )\w+ )?(?:absent|missing|nowhere)\b)"
)
_DENIED = re.compile(r"[^,]*?\b(?:is|are|does|do|has|have|can) not\b")


def _says(before: str, determiner: str, after: str) -> bool | None:
    """Whether the phrase between ``before`` and ``after`` is said to be there."""
    if _DENIED_DENIAL.search(f"{before} {determiner}"):
        return True
    if determiner in _NONE:
        return None if re.search(r"\bnot\b", before) else False
    negators = list(_NEGATOR.finditer(before))
    if determiner == "not":
        return None if negators else False
    if negators:
        if any(each[0] in ("not", "never") for each in negators[:-1]):
            return None
        return _under(negators[-1], before[negators[-1].end() :], determiner)
    if _GONE.match(after):
        return False
    if _ABOUT_ANOTHER.search(before) or _DENIED.match(after):
        return None
    if before.endswith(" of") and not _QUANTITY.search(before):
        return None
    if determiner in _INDEFINITE and _DOING.search(before):
        return True
    fragment = not _VERB.search(f"{before} {after}")
    return True if fragment or _FRAME.search(before) or not _BESIDES_THE_SUBJECT.search(before) else None


_DENIED_DENIAL = re.compile(
    rf"^(?:the {_PICTURE}|it|this) (?:is|does) not (?:free of|devoid of|lack|lacking|without)(?: an?| any)? ?$"
    rf"|^it is not (?:true|correct|right|the case) that (?:there (?:is|are)|the {_PICTURE} (?:has|shows|contains)) no$"
)
"""Before a phrase that a double negation says is there."""

_INDEFINITE = frozenset({"a", "an", "another", "some", *NUMBER_WORDS[1:]})
_DOING = re.compile(
    r"\b(?:is|are) (?:holding|carrying|riding|walking|petting|feeding|leading|hugging|chasing|watching|wearing|eating)$"
)
_BESIDES_THE_SUBJECT = re.compile(rf"(?!\b(?:yes|and|also|so|both|in|the|this|{_PICTURE}|at|least)\b)\b\w+")


def _under(negator: re.Match[str], between: str, determiner: str) -> bool | None:
    """What a negator says of a phrase after it: the list that it opens is denied up to the first phrase of its own."""
    if _BREAKS_A_LIST.search(_THAT_THERE_IS.sub("", between)):
        return None
    if determiner not in ("", "any") and re.search(r"\band\b|,", between):
        return True if negator[0] == "no" else None
    return False


_SOMEWHERE_ELSE = re.compile(
    r"\s*(?:\w+ing|that|which|who|with|on|under|behind|beside|near|next|above|below|by|of"
    rf"|in (?!(?:(?:the|this) )?{_PICTURE}\b|it\b|view\b|here\b))\b"
)


def _covers_what_is_asked(group: Group, description: str, after: str) -> bool:
    """Whether everything that the group asks of its noun is said of it."""
    predicate = re.match(r"\s*(?:(?:that|which|who) )?(?:is|are) (?!not )([\w ]+)", after)
    for attribute in group.attributes:
        verbal = " " in attribute or attribute.endswith("ing")
        said_after = after if verbal else predicate[1] if predicate else ""
        if not (_has(description, attribute) or _has(said_after, attribute)):
            return False
    return all(_stands_so(condition, after) for condition in group.related)


def _stands_so(condition: Related, after: str) -> bool:
    """Whether the words after a noun say this of it: "to the right of a table" is not "to the left of" it."""
    ways = _ways_to_say(links().after_a_noun(condition.predicate))
    return any(
        ways.search(after, 0, noun.start())
        and all(_has(after[: noun.start()], attribute) for attribute in condition.to.attributes)
        for noun in noun_pattern(condition.to).finditer(after)
    )


@cache
def _ways_to_say(predicate: str) -> re.Pattern[str]:
    words = next((group for group in _SAME_PLACE if predicate in group), (predicate,))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")


_SAME_PLACE = (
    ("to the left of", "left of", "on the left side of"),
    ("to the right of", "right of", "on the right side of"),
    ("near", "next to", "beside", "by", "close to"),
    ("under", "below", "beneath", "underneath"),
    ("on", "on top of"),
    ("with", "has", "have", "having"),
    ("wearing", "with", "wears", "wear", "in"),
    ("holding", "with", "holds", "hold", "carrying"),
)


def _denies_what_is_asked(group: Group, description: str, after: str) -> bool:
    """Whether the denial asks no more than the group: "no dogs" denies black dogs, "no dogs on the bed" does not."""
    words = set(description.split()) - {"visible", "actual", "single", "real", "such"}
    if words - {word for attribute in group.attributes for word in attribute.split(" ")}:
        return False
    if not _SOMEWHERE_ELSE.match(after):
        return True
    return any(noun_pattern(condition.to).search(after) for condition in group.related) or any(
        _has(after, attribute) for attribute in group.attributes
    )


def _denies_an_attribute(group: Group, description: str, after: str) -> bool:
    """Whether the one thing of this name is said to lack what is asked: "the man in the picture is not sitting"."""
    denied = _IS_NOT.match(after)
    if not denied or set(description.split()) - {word for each in group.attributes for word in each.split(" ")}:
        return False
    return any(re.match(rf"{re.escape(attribute)}\b", after[denied.end() :]) for attribute in group.attributes)


_IS_NOT = re.compile(rf"\s*(?:(?:in|of) (?:the|this) {_PICTURE} )?is not ")


def _has(text: str, words: str) -> bool:
    return re.search(rf"\b{re.escape(words)}\b", text) is not None


@cache
def _adjectives() -> frozenset[str]:
    return frozenset(word for attribute in descriptions() for word in attribute.split(" ")) - {"and"}
