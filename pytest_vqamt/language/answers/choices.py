"""Options and labels in answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.core.meaning import ORDINALS, Label
from pytest_vqamt.language.answers.answer_text import (
    HEDGE,
    Prepared,
    Unreadable,
    UnreadableAnswer,
    prepare,
    unreadable_answer,
    without_questions,
)
from pytest_vqamt.language.answers.content import content_word, without_typing_errors
from pytest_vqamt.language.captions.caption_reader import hyponyms
from pytest_vqamt.language.english.nouns import plural, singular
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.language.wordnet import wordnet

_LISTED = (
    r"(?:above|below|list(?:ed)?|options?|choices?|items?|things?|objects?|answers?|animals?|given|mentioned"
    r"|others?|named"
    r"|offered|provided|suggested|ones?|alternatives?|possibilities)"
)
_NO_OPTION = pattern_of(rf"(?:none|neither|nothing)(?: of (?:these|those|them|(?:the )?{_LISTED}))?\W*|no such thing")
"""The option that nothing fits: "none of these", "no such thing"."""
_NONE_SAID = pattern_of(
    rf"\b(?:none|neither|nothing|not? (?:a single )?(?:one|any))\b(?: (?:of|from|on|in|among) (?:(?:the|these"
    rf"|those|this|your|that)\b ?)*(?:(?:two |three |four |\d )?(?:[a-z]+ )?(?:{_LISTED} ?)+|(?:them|two|three|four"
    rf"|(?<=of )(?:these|those) ?)(?=\W*$| (?:is|are|can|appears?)\b|[,.:;!\n]))|(?=\W*$)|(?= ?[,.:;!\n]))"
    rf"|\bno (?:{_LISTED} ?)+"
)
"""Says that no option is right: "nothing from the list can be seen". "None the wiser" does not."""

_IDIOM = pattern_of(
    r"\b(?:in short|(?:that|you|it) (?:is|are) right(?=[,.:;!])|right here|right there|no doubt|all right)\b[,:]? ?"
)
"""Words of options that name none: "in short", "all right", "right here"."""
_LAST_SENTENCE = pattern_of(r"[.!?\n]\s*([^.!?\n]+)[.!\s]*$")
"""The letter at the end after letters that were ruled out: "A is wrong. Option B is correct"."""

_DENIED_OR_DOUBTED = pattern_of(rf"{HEDGE.pattern}|\b(?:not|no|nor|neither|never|none|or|wrong|incorrect|false)\b")
"""No kind of an option is named by what is denied: "no spaghetti" is no pasta."""
_NO_NAMES = frozenset({"", "picture", "image", "photo", "photograph", "scene", "in", "on", "it", "he", "she"})

_LETTER_OF_A_LINE = pattern_of(r"(?:^|\n)[^\w\n]*+(?:option )?[a-h](?:[).:]| \()")
"""A repetition of all options line by line ("A. red", "B. blue") chooses none."""

_HEDGED_APART = pattern_of(r"[.;:!\n]+|,? \b(?:though|although|but)\b")
"""A hedge behind one of these is of its own clause: "it is a doll, though it might be a teddy"."""

_IN_WORDS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
"""No option ends before one of these. Han and kana are not among them: they are written without spaces."""
_NOT_BEFORE = _IN_WORDS | {"'"}
_JOINTS = frozenset(" -")
"""What may stand between the words of an option."""

_SplitWay: TypeAlias = tuple[int, str, tuple[str, ...]]
"""A way to write an option: its length below 0, so that the longest are sorted first, the text, and its words."""

_WORD_BEFORE = 40
"""The characters before a mention in which a word and "and" are looked for."""

_BEFORE_AND, _AFTER_AND = pattern_of(r"(\w+) and $"), pattern_of(r" and (\w+)")
"""A mixture is none of its parts: "black and white" is neither "white" nor "black"."""

_IN_A_LIST = pattern_of(r"(?:,|,? (?:or|nor))? ?(?:an? |the |any )?")
"""Between two options that are denied together: "no cat, rabbit or bird"."""

_VERDICT_FIRST = pattern_of(
    r"\s*((?:(?!\b(?:is|are|was|were|has|have|can)\b)[^.!\n:;,]){1,60})[.!\n]\W*(?=[^.!\n]*\b(?:is|are|was|were"
    r"|has|have|can|ruled|does|looks?)\b)"
)
"""The verdict before its reasons: "Red. The blue one is another car"."""
_CONCLUSION = pattern_of(
    r"\A.*(?:\b(?:which|that) means(?: that)?|\bthat leaves(?: us with| only)?|\b(?:so|thus|therefore|hence"
    r"|consequently)"
    r"(?=[ ,:]+(?:(?:it|this|i|my|option|the answer|the \w+ (?:one|thing|option))\b"
    r"|(?:\w+ ){0,2}\w+\W*$)))\b[ ,:]*(?!far\b|that\b)(?:the \w+ one is |it has to be "
    r"|it must be )?([^.!?\n]+)[.!\s]*$",
    re.DOTALL,
)
"""What follows from the reasons before it, at the end."""

_MISSING = pattern_of(r"\b(?:missing|absent|not (?:there|present|visible|shown|seen|in)|nowhere|lacks?|without)\b")
"""A whole clause says what is not there: "the missing one is the cup"."""
_SAYS_THERE = pattern_of(
    r"\b(?:there (?:is|are)|(?:i|we) (?:can )?(?:see|find|spot)|(?:shows?|contains?|includes?|has)|(?:is|are"
    r"|can be)(?: clearly| also)?"
    r" (?:visible|present|there|shown|seen|in|on|next|at))\b"
)
"""A whole clause says what is there, so that another is missing: "there is a fork"."""
_CLAUSES = pattern_of(r"[.;:!\n]+|,|\b(?:but|whereas|while|although|though|however|and)\b")
"""The parts of an answer on which option is missing: "there is a fork, but the spoon is not in the photo"."""
_PLACES = {
    **{letter: place for place, letter in enumerate("abcdefgh")}, "i": 0, "ii": 1, "iii": 2, "iv": 3, "v": 4, "vi": 5,
    "first": 0, "former": 0, "second": 1, "latter": 1, "third": 2, "fourth": 3,
}  # fmt: skip
"""The places of options by letters, roman numbers and ordinals."""
_LETTER = r"([a-h]|i{1,3}|iv|vi?)"
_LEAD = (
    r"(?:[^\x00-\x7f]+)?"
    r"(?:(?:la (?:bonne |correcta )?r\u00e9ponse (?:correcte )?est|die (?:richtige )?antwort (?:ist|lautet)"
    r"|la respuesta (?:correcta )?es|\u7b54\u6848\u662f|the [a-z]+est is)[: ]*)?"
    r"(?:(?:so|thus|therefore|hence)[, ]+)?(?:i (?:would )?(?:choose|pick|select|say|go with"
    r"|think) (?:it is )?|it is |that is )?"
    r"(?:(?:the |my )?(?:correct |right |best |final )*(?:answer|option|choice|letter"
    r"|selection)(?: is| would be)?[: ]*)*"
)
_ONE_LETTER = pattern_of(rf"\W*{_LEAD}[(]?{_LETTER}[)]?(?: it is)?[.:,!]?\W*")
"""A letter that is the whole answer: "(B)", "the correct answer is B", "ii"."""
_ONE_NUMBER = pattern_of(rf"\W*{_LEAD}[(#]?([1-9])[)]?[.:,!]?\W*")
"""A number that is the whole answer counts the options: "Option 3". "3 of them" counts things."""
_ORDINAL = pattern_of(
    rf"\W*{_LEAD}(?:the )?(first|former|second|latter|third|fourth)(?: (?:one|option|choice|answer))?[.!]?"
)
"""The place of an option: "the latter", "the second option". "The second sign is round" names none."""
_LETTER_AND_TEXT = pattern_of(
    rf"\W*{_LEAD}(?:[(]{_LETTER}[)][.:]?|{_LETTER}(?:[).:;\n]| -|,(?= (?:the|it|because|since|as|he|she|they"
    rf"|there|this|that|i)\b))|option {_LETTER}(?=[,; -]))\W*(.+)",
    re.DOTALL,
)
"""A letter before its option or a reason: "C. The blue thing is a bin", "(ii) the grain shows"."""

_LETTER_DENIED = pattern_of(
    r"^\W*not (?:option )?[(]?[a-h][)]?,? but (?:rather )?|,? (?:and )?(?:not|rather than"
    r"|instead of) (?:option )?[(]?[a-h][)]?(?=\W*$)"
    r"| is (?:the )?(?:correct|right|best)(?: (?:one|option|choice|answer))?(?=\W*$)"
)
"""What is left out of "not A but C", "C, not A" and "the second is correct"."""

_OFFER = pattern_of(
    r"(?:^|(?<=[.:!\n]))\s*(?:(?:between|of|out of|among|amongst|given|considering|comparing)\b[^,.:\n]*[,:]"
    r"|(?:the )?(?:two |given |possible |available )?(?:options|choices)\b[^.\n]*[.\n])"
)
"""The options said back before the choice: "between a cat and a dog, a dog"."""

_DENIAL = pattern_of(
    r"\b(?:not|nicht|pas|nor|neither|never|no|nothing|rather than|instead of|as opposed to|unlike|without"
    r"|more likely than|rul(?:e|es|ed|ing) out|exclud(?:e|es|ed|ing)|too [a-z]+ for|if only it were"
    r"|isnt)(?: (?:a|an|the|any|really"
    r"|in|on|be|is|it|either|at all|see|find|have|show|contain|appear to be|appear|look like|look|of"
    r"|visible|actually|one"
    r"|being|to be|made of|think it is))*\s[('-]?$"
)
"""Denies the option behind it: "blue, not red", "red rather than blue"."""
_DENIED_BEHIND = pattern_of(
    r"(?: (?:one|option|thing))?(?: (?:in|on) the (?:picture|image|photo))? (?:is|are|does|can) "
    r"(?:(?:\w+ )?(?:not|absent|missing)\b|nowhere\b|wrong\b|incorrect\b"
    r"|out of the question\b|be (?:excluded|ruled out)\b)"
    r"|(?:[ ]?:|[ ]-|[ ]\() ?(?:no|none|false|absent|missing|not (?:present|visible|there|seen|found|detected))\b"
)
"""Denies the option before it: "the boy wears glasses and the girl is not"."""

_PREPOSITION = pattern_of(
    r"^(?:at|in|on|by|under|near|behind|beside|with|from|to|next to|in front of) (?:(?:an?|the) )?"
)
"""The place of a thing may be left out: "the sofa" is "on the sofa", unless another option is under it."""

_ARTICLE = pattern_of(r"^(?:an?|the) ")
"""The article of an option may be another: "one cup" is "a cup"."""
_NUMBERED = pattern_of(r"(picture|image|photo|photograph|option|frame|panel) ([1-4])")
"""Pictures are counted by words, too: "the second image" is "image 2"."""
_ORDINALS = ("first", "second", "third", "fourth")

_OTHER_WORDS: dict[str, tuple[str, ...]] = {
    "metal": ("metallic",),
    "metallic": ("metal",),
    "outdoors": ("outside", "outdoor"),
    "indoors": ("inside", "indoor"),
    "dotted": ("dots",),
}
"""Other words for an option, unless they are an option themselves."""

_LABEL = pattern_of(r"\b(entail|neutral|contradict)(?:s|ed|ing|ments?|ions?|ory|ive|ity)?\b")
"""The labels as nouns and verbs: "contradicts", "entailed". "Neutrally" is none."""
_IN_OTHER_WORDS = {
    Label.NEUTRAL: pattern_of(
        r"\b(?:leaves|left) (?:(?:it|this|that|the \w+) )?(?:quite |entirely |completely )?open\b"
        r"|\bneither (?:confirms|supports|proves|contradicts|refutes) (?:it )?(?:nor|or) \w+"
    ),
    Label.CONTRADICTION: pattern_of(
        r"\b(?:conflicts? with|refute[sd]|disprove[sd]|inconsistent with|incompatible with)\b"
    ),
    Label.ENTAILMENT: pattern_of(r"\b(?:implies|implied)\b"),
}
"""What says a label without its name."""
_DENIED_OR_DOUBTED_LABEL = pattern_of(rf"{HEDGE.pattern}|\b(?:not|no|if|whether)\b")
"""Denial or doubt: "I am not sure whether the picture implies it" names no label by "implies"."""
_LABEL_WORDS = ("entailment", "entails", "entailed", "neutral", "contradiction", "contradicts", "contradicted")
_LABELS_BY_STEM = {"entail": Label.ENTAILMENT, "neutral": Label.NEUTRAL, "contradict": Label.CONTRADICTION}

_BETWEEN = (
    r"(?:an?|the|any|this|that|which|it|there|i|in|of|for|to|if|whether|be|is|are|was|been|being|do|does|at|all|either"
    r"|really|necessarily|fully|strictly|clearly|entirely|directly|quite|exactly|actually|logically|completely"
    r"|see|find|have|show|provide|contain|support|constitute|indicate|imply|suggest|represent|appear|seem|say"
    r"|tell|think"
    r"|believe|call|consider|evidence|sign|signs|reason|support|case|example|instance|clear|direct|logical|strong"
    r"|enough|sufficient|anything|something|picture|image|photo)"
)
_DENIED_BEFORE = pattern_of(
    r"\b(?:not|nor|neither|never|no|non|nothing|none|without|hardly|fail(?:s|ed)?|lack(?:s|ing)?|absence|impossible)"
    rf"(?: {_BETWEEN})*(?: (?:an? )?(?:entail|neutral|contradict)[a-z]*(?: it)?(?:,| or| nor)*)*(?: {_BETWEEN})*[ -]$"
)
"""No noun of a thing stands between: "there is no dog which contradicts it" denies the dog."""

_DENIED_AFTER = pattern_of(
    r"\s*(?:[:=-]\s*)?(?:(?:no|false)\s*(?:[.,;!\n]|$)|(?:is|are|can|does|do|would|will|could) not\b)"
)
"""Denies the label before it: "entailment: no", "the entailment is not shown"."""


_ORDINAL_OF = {
    word: place for place, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight"), start=1)
}
"""The number words of pictures."""


def read_choice(answer: str | Prepared, options: tuple[str, ...], *, of_absent: bool = False) -> str | UnreadableAnswer:
    """Returns the option that an answer names, by whole words, in the singular or the plural.

    Longer options are found first, so that "light blue" does not name "blue". Two options, or one that is only denied
    ("not red"), give no reading; of a contrast ("blue, not red") the one that is affirmed counts. A letter or a number
    is read by the order of the options, and must agree with the option beside it. Questions in the answer are ignored.
    ``of_absent`` is for "Which is not there?", where the option counts that a claim denies.

    >>> read_choice("It's the red one.", ("red", "blue")), read_choice("brown", ("no", "yes"))
    ('red', UnreadableAnswer(reason=<Unreadable.NO_OPTION: 'no option named'>))
    >>> read_choice("(B)", ("red", "blue")), read_choice("red rather than blue", ("red", "blue"))
    ('blue', 'red')
    >>> read_choice("red or blue", ("red", "blue"))
    UnreadableAnswer(reason=<Unreadable.SEVERAL_OPTIONS: 'several options named'>)
    """
    prepared = prepare(answer)
    # Options may be anything that a pattern would take for something else: "no", "2.5", "none".
    if prepared.said in options:
        return prepared.said
    if prepared.unreadable is not None:
        return prepared.unreadable
    return _choice(prepared.said, prepared.text, options, of_absent)


_PICTURE_NUMBER = re.compile(
    r"\b(picture|image|photo|photograph|pic|img|frame)s?[\s_-]*(?:number|no\.?|nr\.?|n°)?[\s:#*_-]*"
    rf"(\d+|{'|'.join(_ORDINAL_OF)})(?!\w)",
    re.IGNORECASE,
)
_SHORT_ORDINAL = re.compile(r"#\s?(\d)\b|\b(\d)\s?(?:st|nd|rd|th)\b", re.IGNORECASE)
_BARE_NUMBER = re.compile(rf"(?:the\s|number\s)?(\d|{'|'.join(_ORDINAL_OF)})(?:\sone)?[.!]?", re.IGNORECASE)


def read_ordinal(answer: str | Prepared) -> str | UnreadableAnswer:
    """Returns the number of the picture that an answer names, one of ``ORDINALS``.

    >>> [read_ordinal(text) for text in ("2", "Image 2.", "It is in the second photo.", "the 2nd one", "picture two")]
    ['second', 'second', 'second', 'second', 'second']
    >>> read_ordinal("both of them"), read_ordinal("the second, not the first")
    (UnreadableAnswer(reason=<Unreadable.NO_OPTION: 'no option named'>), 'second')
    """
    prepared = prepare(answer)
    if prepared.unreadable is not None:
        return prepared.unreadable
    text = _PICTURE_NUMBER.sub(lambda found: f"{_ordinal(found[2])} {found[1]}", prepared.text)
    text = _SHORT_ORDINAL.sub(lambda found: _ordinal(found[1] or found[2]), text)
    if bare := _BARE_NUMBER.fullmatch(text.strip()):
        text = _ordinal(bare[1])
    return _choice(text, text, ORDINALS, of_absent=False)


def _ordinal(number: str) -> str:
    place = _ORDINAL_OF.get(number.lower()) or (int(number) if number.isdigit() else 0)
    return ORDINALS[place - 1] if 0 < place <= len(ORDINALS) else number


_AND_THEN = re.compile(r"[,;.]? (?:and |but )?(?:(?:only )?then|afterwards|before|followed by|while)\b", re.IGNORECASE)


def read_first(answer: str | Prepared, options: tuple[str, ...]) -> str | UnreadableAnswer:
    """Returns the option that comes first by an answer, of which the other may be said to follow.

    >>> read_first("The dog moves first, then the bus.", ("dog", "bus")), read_first("The bus.", ("dog", "bus"))
    ('dog', 'bus')
    >>> read_first("The dog and the bus.", ("dog", "bus"))
    UnreadableAnswer(reason=<Unreadable.SEVERAL_OPTIONS: 'several options named'>)
    """
    prepared = prepare(answer)
    whole = read_choice(prepared, options)
    if not isinstance(whole, UnreadableAnswer) or whole.reason is not Unreadable.SEVERAL_OPTIONS:
        return whole
    begun = read_choice(_AND_THEN.split(prepared.text)[0], options)
    return whole if isinstance(begun, UnreadableAnswer) else begun


def without_picture_numbers(text: str) -> str:
    """The answer without the numbers of pictures, which are no counts.

    >>> without_picture_numbers("In image 2 there are three dogs.")
    'In image there are three dogs.'
    """
    return _PICTURE_NUMBER.sub(lambda found: found[1], text)


def _choice(text: str, prepared: str, options: tuple[str, ...], of_absent: bool) -> str | UnreadableAnswer:
    """Tries the surest way to name an option first: none of them, plain words, a verdict, a letter, a kind, a slip."""
    prepared = _IDIOM.sub("", prepared).replace(" & ", " and ")
    # "None of these" would be found as words anyway, but is said in many other ones.
    if (none := none_option(options)) and _says_none(prepared, options, none):
        return none
    read = _stated_choice(text, without_questions(prepared), options, prepared, of_absent=of_absent)
    if isinstance(read, str):
        return read
    # Several options are named by reasons, too: a verdict before or behind them decides.
    if of_absent or read.reason is Unreadable.SEVERAL_OPTIONS:
        for part in (_VERDICT_FIRST.match(prepared), _CONCLUSION.search(prepared)):
            closing = _stated_choice(part[1], part[1], options, part[1], of_absent=of_absent) if part else read
            if isinstance(closing, str):
                return closing
    # "A is wrong. Option B is correct": letters that were ruled out come first.
    if last := _LAST_SENTENCE.search(prepared):
        by_letter = _by_letter(last[1], options)
        if by_letter and not by_letter[1]:
            return by_letter[0]
    if read.reason is not Unreadable.NO_OPTION:
        return read
    if (conclusion := _CONCLUSION.search(prepared)) and (by_letter := _by_letter(conclusion[1], options)):
        return by_letter[0]
    # "Spaghetti" for pasta, "elderly" for old: only where no option is named itself.
    if (kind := _option_of_a_kind(prepared, options)) is not None:
        return kind
    ways = (*options, *map(plural, options), *_without_prepositions(options))
    expected = sorted({word for way in ways for word in way.lower().split()})
    corrected = without_typing_errors(prepared, expected)
    return read if corrected == prepared else _choice(text, corrected, options, of_absent)


@lru_cache(maxsize=4096)
def none_option(options: tuple[str, ...]) -> str | None:
    """The option that no other option is right, however it is worded."""
    return next((option for option in options if _NO_OPTION.fullmatch(option.casefold())), None)


def _says_none(prepared: str, options: tuple[str, ...], none: str) -> bool:
    """True if the answer denies all other options: "none of the listed items is visible", "no fork and no sofa"."""
    others = tuple(option for option in options if option != none)
    named, denied = _mentions(without_questions(prepared), others)
    if named or HEDGE.search(prepared):
        return False
    # A denial of some of them leaves the others open.
    return len(denied) == len(others) or (_NONE_SAID.search(prepared) is not None and not denied)


def _option_of_a_kind(prepared: str, options: tuple[str, ...]) -> str | None:
    """The only option that a word of the answer is a kind of, or another word for: "spaghetti" is pasta."""
    if _DENIED_OR_DOUBTED.search(prepared):
        return None
    meanings = {content_word(_ARTICLE.sub("", option.lower())): option for option in options}
    words = prepared.replace("-", " ").split()
    pairs = [" ".join(pair) for pair in pairwise(words)]
    named = {
        option
        for word in {each.strip(".,;:!?()'") for each in (*words, *pairs)} - _NO_NAMES
        for meaning, option in meanings.items()
        if content_word(word) == meaning
        or (len(word) > 2 and wordnet().is_kind_of(singular(word), _ARTICLE.sub("", option.lower())))
    }
    return named.pop() if len(named) == 1 else None


def _stated_choice(
    text: str, answer: str, options: tuple[str, ...], prepared: str, *, of_absent: bool
) -> str | UnreadableAnswer:
    """The option of a letter, if the words behind it do not contradict it; else the one that is named."""
    lettered = _by_letter(answer, options)
    # The article of an answer cut off is no letter, and a list of all letters chooses none of them.
    if not lettered or text.strip() == "a" or len(_LETTER_OF_A_LINE.findall(answer)) == len(options) > 1:
        if of_absent:
            return _absent_option(answer, options)
        return _named_option(_without_offer(answer, options), options, prepared)
    option, rest = lettered
    named, denied = _mentions(rest, options)
    first = next(find_options(rest, options), (option,))[0]
    # "A. blue", where A is red, contradicts itself; behind its own option a letter may name others in its reasons.
    contradicts = (named - {option} and first != option) or (option in denied and not of_absent)
    return UnreadableAnswer(Unreadable.SEVERAL_OPTIONS) if contradicts else option


def _named_option(answer: str, options: tuple[str, ...], prepared: str) -> str | UnreadableAnswer:
    """The only option that the answer affirms, unless it is left open."""
    named, denied = _mentions(answer, options)
    # "Brown, with a white spot": what is added is a detail.
    if len(named) > 1 and (head := answer.partition(", with ")[0]) != answer and _mentions(head, options)[0]:
        return _named_option(head, options, prepared)
    if len(named) > 1 or named & denied or is_one_of_a_mixture(answer, options):
        return UnreadableAnswer(Unreadable.SEVERAL_OPTIONS)
    if not named:
        reason = Unreadable.SEVERAL_OPTIONS if len(denied) > 1 else Unreadable.NO_OPTION
        return unreadable_answer(prepared, reason)
    return UnreadableAnswer(Unreadable.UNSURE) if _is_hedged(answer, options) else named.pop()


def _is_hedged(answer: str, options: tuple[str, ...]) -> bool:
    """True if each clause that names the option, or a word alone, leaves it open: "it might be red", "red. maybe"."""
    if not HEDGE.search(answer):
        return False
    clauses = _HEDGED_APART.split(answer)
    if any(HEDGE.fullmatch(each.strip()) for each in clauses):
        return True
    return all(HEDGE.search(each) for each in clauses if next(find_options(each, options), None))


def is_one_of_a_mixture(answer: str, options: tuple[str, ...]) -> bool:
    """True if an option is named together with another attribute of its kind: "black and white"."""
    category_of = ontology().category_of
    for option, start, end in find_options(answer, options) if " and " in answer else ():
        category = category_of(option)
        neighbours = _BEFORE_AND.search(answer, max(0, start - _WORD_BEFORE), start), _AFTER_AND.match(answer, end)
        if category and any(
            found and found[1] not in options and category_of(found[1]) == category for found in neighbours
        ):
            return True
    return False


def _absent_option(answer: str, options: tuple[str, ...]) -> str | UnreadableAnswer:
    """The option that is not there, by what each clause denies, claims or only names."""
    denied, there, named = set[str](), set[str](), set[str]()
    for clause in _CLAUSES.split(answer):
        for option, start, end in find_options(clause, options):
            if is_denied(clause, start, end) or _MISSING.search(clause):
                denied.add(option)
            elif _SAYS_THERE.search(clause):
                there.add(option)
            else:
                named.add(option)
    # All others are said to be there, so the one that is left is not.
    left = set(options) - there if len(there) == len(options) - 1 else set[str]()
    # A bare name answers the question: "spoon" is what is missing.
    absent = denied or left or (set[str]() if there else named)
    if len(absent) == 1 and not (absent & there or HEDGE.search(answer)):
        return absent.pop()
    return unreadable_answer(answer, Unreadable.SEVERAL_OPTIONS if denied | named else Unreadable.NO_OPTION)


def _mentions(answer: str, options: tuple[str, ...]) -> tuple[set[str], set[str]]:
    """The options that the answer affirms, and those that it denies."""
    named: set[str] = set()
    denied: set[str] = set()
    last_denied = -1  # the end of the last mention, if it is denied
    for option, start, end in find_options(answer, options):
        in_list = 0 <= last_denied <= start and _IN_A_LIST.fullmatch(answer, last_denied, start) is not None
        is_no = in_list or is_denied(answer, start, end)
        (denied if is_no else named).add(option)
        last_denied = end if is_no else -1
    return named, denied


def find_options(answer: str, options: tuple[str, ...]) -> Iterator[tuple[str, int, int]]:
    """Yields every mention of an option in a text in lower case: the option, its start and its end."""
    ways, end = _ways_by_start(options), 0
    for start in range(len(answer)):
        if start < end or (start and answer[start - 1] in _NOT_BEFORE):
            continue
        for _, _, parts in ways.at(answer[start : start + 2]):
            if found := _end_of(parts, answer, start):
                end = found
                yield _forms(options)[_joined(answer[start:end])], start, end
                break


def _end_of(parts: tuple[str, ...], answer: str, at: int, place: int = 0) -> int:
    """Where a way to write an option ends that begins ``at``; 0 if it does not. Its words may be written as one."""
    if place == len(parts):
        return at if answer[at : at + 1] not in _IN_WORDS else 0
    for start in (at + 1, at) if place and answer[at : at + 1] in _JOINTS else (at,):
        if answer.startswith(parts[place], start) and (
            end := _end_of(parts, answer, start + len(parts[place]), place + 1)
        ):
            return end
    return 0


def is_denied(answer: str, start: int, end: int) -> bool:
    """True if the option that is mentioned there is denied: "not red", "the spoon can not be seen"."""
    return bool(_DENIAL.search(answer, 0, start) or _DENIED_BEHIND.match(answer, end))


def _by_letter(answer: str, options: tuple[str, ...]) -> tuple[str, str] | None:
    """The option of a letter, a number or an ordinal that is the answer, and the text behind it."""
    # Options that are letters themselves are named, not counted.
    if any(len(option) == 1 and not option.isdecimal() for option in options):
        return None
    # Of the options "1", "2" and "4" the answer "2" names one, and not the second.
    has_numbers = any(option.isdecimal() for option in options)
    answer = _LETTER_DENIED.sub("", answer)
    place, rest = -1, ""
    if found := _ONE_LETTER.fullmatch(answer) or _ORDINAL.fullmatch(answer):
        place = _PLACES[found[1]]
    elif (found := _ONE_NUMBER.fullmatch(answer)) and not has_numbers:
        place = int(found[1]) - 1
    elif found := _LETTER_AND_TEXT.fullmatch(answer):
        place, rest = _PLACES[found[1] or found[2] or found[3]], found[4]
    return (options[place], rest) if 0 <= place < len(options) else None


def _without_offer(answer: str, options: tuple[str, ...]) -> str:
    """The answer without a repetition of the options ("between red and blue, ...") if it names one elsewhere."""
    rest = _OFFER.sub(" ", answer)
    return rest if rest != answer and next(find_options(rest, options), None) else answer


@lru_cache(maxsize=65536)
def _forms(options: tuple[str, ...]) -> dict[str, str]:
    """Returns the option of every spelling; an option's own name comes before another option's plural."""
    forms = {_joined(option.lower()): option for option in options}
    for option in options:
        # Never overwrites: "glasses" is an option of its own beside "glass".
        for form in _ways(option):
            forms.setdefault(_joined(form), option)
    for form, option in _without_prepositions(options).items():
        forms.setdefault(_joined(form), option)
    return forms


@lru_cache(maxsize=65536)
def _without_prepositions(options: tuple[str, ...]) -> dict[str, str]:
    """The options by the thing alone ("beach" for "at the beach"), where no two options have the same thing."""
    things = {option: _PREPOSITION.sub("", option.lower()) for option in options}
    every = list(things.values())
    return {thing: option for option, thing in things.items() if every.count(thing) == 1 and thing != option.lower()}


@lru_cache(maxsize=65536)
def _ways(option: str) -> tuple[str, ...]:
    """All ways to write an option, in lower case: its number, spelling, article, synonyms and kinds."""
    words = option.lower()
    spelled = words.replace("gray", "grey"), words.replace("grey", "gray")
    kinds = (form for kind in sorted(hyponyms(words)) for form in (kind, plural(kind)))
    spellings = ontology().spellings
    usual = spellings.get(words, words)
    variants = (usual, *(word for word, each in spellings.items() if each == usual))
    # "Playing tennis" is chosen by "tennis", "in front of it" by "in front of".
    bare = re.sub(r"^playing |(?<= of) it$", "", words), _ARTICLE.sub("", words)
    place = _NUMBERED.fullmatch(words)
    ordinal = (f"{_ORDINALS[int(place[2]) - 1]} {place[1]}",) if place else ()
    others = _OTHER_WORDS.get(words, ())
    return (words, plural(words), singular(words), *spelled, *bare, *ordinal, *others, *variants, *kinds)


def _joined(words: str) -> str:
    """Returns the words as one, so that "hot dog", "hotdog" and "hot-dog" are the same."""
    return words.replace(" ", "").replace("-", "")


class _WaysByStart:
    """All ways to write some options, by the two letters that they begin with.

    A table, as a pattern of hundreds of ways takes some ms to compile, and most questions have options of their own.
    """

    def __init__(self, options: tuple[str, ...]) -> None:
        ways = {each for option in options for each in _split_ways(option)}
        ways.update(_split(way) for way in _without_prepositions(options))
        self._by_start: dict[str, list[_SplitWay]] = {}
        self._short: list[_SplitWay] = []
        for way in sorted(ways):
            first = way[2][0]
            # The first word may be a letter ("5", "t shirt"), or empty, as of "-5".
            if len(first) < 2:
                self._short.append(way)
            else:
                self._by_start.setdefault(first[:2], []).append(way)

    def at(self, start: str) -> Sequence[_SplitWay]:
        """Those that may begin so, "light blue" before "blue"."""
        found = self._by_start.get(start, ())
        short = [way for way in self._short if start.startswith(way[2][0])] if self._short else None
        return sorted([*found, *short]) if short else found


_ways_by_start = lru_cache(maxsize=4096)(_WaysByStart)


@lru_cache(maxsize=65536)
def _split_ways(option: str) -> tuple[_SplitWay, ...]:
    return tuple(_split(way) for way in _ways(option) if _joined(way))


def _split(way: str) -> _SplitWay:
    return -len(way), way, tuple(re.split(r"[ -]", way))


def read_label(answer: str | Prepared) -> Label | UnreadableAnswer:
    """Returns the label of visual entailment that an answer names, as noun or verb.

    "Yes" and "no" name none, nor does a denied label ("does not contradict"), which leaves two. "It cannot be
    determined" is a refusal unless "neutral" is named, too. Questions in the answer are ignored.

    >>> read_label("The image contradicts the hypothesis.").value, read_label("Neutral: it cannot be determined.").value
    ('contradiction', 'neutral')
    >>> read_label("I don't see any contradiction.")
    UnreadableAnswer(reason=<Unreadable.NO_LABEL: 'no label named'>)
    """
    prepared = prepare(answer)
    if prepared.unreadable is not None:
        is_doubt = prepared.unreadable.reason in (Unreadable.REFUSAL, Unreadable.UNSURE)
        # "Neutral: it cannot be determined" is a label with its reason, and no refusal.
        return Label.NEUTRAL if is_doubt and _label_in(prepared.plain) is Label.NEUTRAL else prepared.unreadable
    named = _label_in(prepared.statements)
    if named is Unreadable.SEVERAL_LABELS and (verdict := _VERDICT_FIRST.match(prepared.text)):
        named = _label_in(verdict[1])
    if named is Unreadable.NO_LABEL:
        named = _label_in(without_typing_errors(prepared.statements, _LABEL_WORDS))
    return named if isinstance(named, Label) else unreadable_answer(prepared.text, named)


def _label_in(answer: str) -> Label | Unreadable:
    """The only label that the text affirms."""
    named, denied = set[Label](), set[Label]()
    for found in _LABEL.finditer(answer):
        is_denied = _DENIED_BEFORE.search(answer, 0, found.start()) or _DENIED_AFTER.match(answer, found.end())
        (denied if is_denied else named).add(_LABELS_BY_STEM[found[1]])
    # "Does not contradict" leaves the two other labels.
    if named & denied or (denied and not named):
        return Unreadable.NO_LABEL
    if not named and not _DENIED_OR_DOUBTED_LABEL.search(answer):
        named = {label for label, words in _IN_OTHER_WORDS.items() if words.search(answer)}
    if len(named) > 1:
        return Unreadable.SEVERAL_LABELS
    return named.pop() if named else Unreadable.NO_LABEL
