"""Yes and no in answers, and claims about the presence, the attributes and the places of things."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain
from unicodedata import normalize

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.core.meaning import (
    Absent,
    Both,
    Either,
    Exists,
    Group,
    Has,
    Located,
    Meaning,
    Neither,
    NotBoth,
    Related,
    Side,
    groups_of,
)
from pytest_vqamt.language.answers.answer_text import (
    DENIAL,
    HEDGE,
    NEARLY,
    PICTURE,
    Prepared,
    Unreadable,
    UnreadableAnswer,
    claim_clauses,
    prepare,
    unreadable_answer,
    without_inscriptions,
    without_questions,
)
from pytest_vqamt.language.answers.content import content_word, exclude, without_typing_errors
from pytest_vqamt.language.captions.caption_reader import hyponyms
from pytest_vqamt.language.captions.naming_words import entries_by_form
from pytest_vqamt.language.english.nouns import NUMBER_WORDS, plural, singular
from pytest_vqamt.language.english.phrases import after_a_noun, descriptions
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.language.tables import toml_table
from pytest_vqamt.language.wordnet import wordnet

_OFFERS_HELP = pattern_of(
    r"^\W*(?:(?:yes|sure|certainly|of course|absolutely|no problem)\b[,.! ]*)?(?:i (?:can|will"
    r"|would be (?:happy|glad) to)|let me)"
    r" (?:certainly |gladly )?(?:help|answer|take a look|have a look|check|assist)\b[^.!:\n]*[.!:\n]\s*(?=\w)"
    r"|^\W*(?:sure|certainly|of course|absolutely|no problem)[,.!]+\s+(?=(?:yes|no|nope|yeah)\b)"
)
"""A yes to the task, not to the question: "Yes, I can help you with that! There is no dog"."""
_ONLY_OFFERS = pattern_of(
    r"\W*+(?:(?:yes|sure|certainly|of course)\W+)?(?:i (?:can|will|would be happy to) (?:help|assist|answer)(?: you)?"
    r"(?: with (?:that|this|it|your question)| that| this)?|i can see the (?:picture|image|photo)"
    r"|let me (?:look|see|check|take)\b[^.!\n]*)[.!\s]*"
)
"""Says nothing of the picture: "Yes, I can help with that"."""
_LABELLED = pattern_of(
    r"(?:^|(?<=[\n,;.|]))[ \t]*(?:[-*\u2022][ \t]*|\d+[.)][ \t]*)?(?:(?:number|count) of )?"
    r"(?P<name>[a-z][a-z -]{0,38}[a-z])"
    r"(?: (?:present|visible|detected|seen|found))?(?:[ \t]*[:=(]| -)[ \t]*(?P<value>"
    r"(?P<no>not (?:present|visible|detected|found|seen|there)|none(?: (?:visible|present|detected))?|no|false|absent"
    r"|missing|not|0)|(?P<yes>yes|true|present|visible|detected|found|[1-9]\d?)|n/a|unclear|unknown|maybe|possibly|unsure)\)?"
    r"[ \t]*(?=$|[\n,;.|)])"
)
"""A name with yes or no behind it: "dog: no", "girl (present)", "cats: 0"."""
_ASKED_BACK = pattern_of(r"(?:is|are|does|do|can) ")
"""The question, with the answer behind it: "is there a dog: no"."""

_DECIDED = pattern_of(
    r"\W*((?:yes|no|nope|yeah|yep)\b)[,.!:;](?!.*\b(?:i|we|me|image|picture|photo|can not|could not|unable"
    r"|information|enough)\b).*",
    re.DOTALL,
)
"""A plain answer before what looks like a doubt: "No, the text is too blurry to read"."""
_LETTER = pattern_of(r"^\W*(?:[(](?:[a-h]|i{1,3}|iv)[)][.:]?|(?:[a-h]|i{1,3}|iv)[).:])\s+(?=\w)")
"""The letter of an option: "A) Yes", "(ii) No"."""

_ENDS_UNSURE = pattern_of(
    r"[.!;\n] *(?:so |but )?i am (?:really )?(?:not|un) ?(?:sure|certain)\b(?![^.\n]*\bbut\b)[^.\n]*[.\s]*$"
)
"""Takes back at the end what was said before: "it is in the air. I am not sure which one it is"."""
_LEAVES_OPEN = pattern_of(
    r"\bcan not (?:be )?(?:rule[d]? out|exclude[d]?)\b|\b(?:would|could) be wrong to (?:say|claim|deny)\b"
    r"|\bwould not (?:be surprised|surprise)\b"
)
"""Neither says that a thing is there nor that it is not."""

_HARDLY = (
    r"\b(?:(?:you|one|i|we|it|anyone) )?(?:can (?:not|hardly|barely|scarcely)(?: possibly)?|could (?:not|hardly)"
    r"|(?:is |are )?(?:impossible|hard|difficult) to|no way (?:to|you can)) (?:be )?"
)
_CLAUSE_FOLLOWS = r" (?:that )?(?:it|they|he|she|this|that|these|those|the \w+(?: \w+)?) (?:is|are|was|were|has|have)\b"
_IDIOMS: tuple[tuple[re.Pattern[str], str], ...] = (
    # "A dog is not only visible but also prominent": what follows is claimed, and more.
    (pattern_of(r"\bnot (?:only|just|merely|simply)\b(?! (?:\d+|one|two|three|four|five)\b)"), ""),
    # "There is not one dog but two": "but" and a number take the denial back.
    (
        pattern_of(
            rf"\bnot (?:just |only )?(one|an?|\d+|{'|'.join(NUMBER_WORDS[1:11])}) "
            rf"([^.,;!\n]{{1,40}}?),? but (?:rather )?"
            rf"(?=(?:\d+|several|many|a few|{'|'.join(NUMBER_WORDS[1:11])})\b)"
        ),
        r"\1 \2. there are ",
    ),
    # "You can hardly miss the dog", "impossible to overlook", "there is no denying that".
    (
        pattern_of(
            rf"(?:{_HARDLY}(?:miss(?:ed)?|overlook(?:ed)?|ignored?|den(?:y|ied))"
            r"|\bthere is no (?:denying|doubt|question|mistaking)(?: about)?)(?: that| the fact that)?"
            rf"(?: there (?:is|are))?(?= |$)(?!{_CLAUSE_FOLLOWS})"
        ),
        " there is ",
    ),
    # "One can't deny that it is leather", "there is no doubt that they are twins".
    (
        pattern_of(rf"(?:{_HARDLY}den(?:y|ied) |\bthere is no (?:denying|doubt|question)(?: about it)?,? )(?=that\b)"),
        "",
    ),
    # "It would be a mistake to say that there is no dog".
    (
        pattern_of(
            r"\bit (?:would be|is|was) (?:an? )?(?:mistake|error|lie|false|incorrect|untrue|inaccurate) to "
            r"(?:say|claim|state|think|assume|believe|conclude)(?: that)? (?=there (?:is|are)\b)"
        ),
        "it is not true that ",
    ),
    # "It is false that there is no dog", "that there is no dog is wrong".
    (
        pattern_of(
            r"\bit is (?:false|wrong|untrue|incorrect|not true)(?: to say)? that there (?:is|are) (?:no|not an?y?) "
            r"|\bthat there (?:is|are) (?:no|not an?y?) (?=[^.,;!?\n]{1,40} is (?:wrong|false|untrue|incorrect)\b)"
        ),
        "there is a ",
    ),
    (
        pattern_of(
            r"\bit is (?:false|wrong|untrue|incorrect|not true)(?: to say)? that there (?:is|are) (?:an?|any|some) "
        ),
        "there is no ",
    ),
    # "All animals except dogs".
    (
        pattern_of(r"\b(?:all|every) [a-z]+ (?:except(?: for)?|other than|apart from|save for|besides) (?=[a-z]+s\b)"),
        "there are no ",
    ),
    # "Everything that you would expect but a dog".
    (
        pattern_of(
            r"\b(?:everything|anything|(?:all (?:kinds|sorts|manner)|lots) of)\b[^.;!?\n]{0,100}?,? "
            r"(?:but|except(?: for)?|apart from|other than|save for)(?: for)? (?:an?|any) "
        ),
        "there is no ",
    ),
)
"""Ways to say that a thing is there or is not, each with plain words for it."""

_MORE_THAN = pattern_of(
    r"\b(?:(?:much|far|slightly|a bit|a little) )?(?:more(?: of)?|closer to|nearer to|better described as|rather) "
    r"((?:an? )?[a-z-]{2,}(?: [a-z-]{2,})?) than (?:it is )?(?:to )?(?:an? )?([a-z-]{2,})\b"
)
"""Says the first and denies the second: "more brown than red"."""
_LESS_THAN = pattern_of(r"\bless ([a-z-]{2,}) than (?:it is )?([a-z-]{2,})\b")
"""Says the second and denies the first: "less red than brown"."""
_LOOP = pattern_of(r"(?:\W*+\b(?:yes|no)\b)++\W*+")
"""Nothing but yes and no, in a model that repeats itself."""

_ROLES = (
    r"(?:label|experts?|archives?|record|description|reviewers|professor|person who made \w+ \w+|maker|creator"
    r"|specialists|statement|caption|claim|impression|belief|assumption|question)"
)
_SAY = (
    r"(?:think|believe|feel|sa(?:y|ys|id)|states?|stated|claims?|claimed|confirms?|confirmed|suggests?|suggested"
    r"|mentions?|mentioned|indicates?|indicated|agrees?|assumes?|implies|is that|verified)"
)
_OTHERS_SAY = (
    rf"(?:you (?:\w+ )?(?:{_SAY}|are (?:\w+ )?sure|have no doubt)|(?:\w+ )?(?:\w+ )?{_ROLES}\b[^.,;!\n]*?\b{_SAY}"
    rf"|it (?:has been|was|is) (?:\w+ )?(?:verified|confirmed|stated|claimed)|according to [^.,;!\n]*?{_ROLES})\b"
)
_ALTHOUGH_OTHERS_SAY = pattern_of(
    r"(^|(?<=[.,!;:\n])\s)\s*(?:and )?(?:although|though|even though|even if|while|whereas|despite|in spite of"
    rf"|contrary to|regardless of)\b(?=[^.,;!\n]*\b(?:you (?:\w+ )?{_SAY}|{_ROLES})\b)[^.,;!\n]*,\s*"
)
"""Contradicts others in a subordinate clause: "although you think there is no dog, there is one"."""
_OTHERS_SAY_BUT = pattern_of(
    r"(^|(?<=[.,!;:\n])\s)\s*(?:(?:well|and|so|i (?:understand|know|see|realize|hear|note)(?: that)?),? )?"
    rf"{_OTHERS_SAY}[^.;!\n]*?[.,;]?\s*\b(?:but|however|yet|nevertheless|in fact|actually),?\s*"
)
"""Contradicts others behind a "but": "the label says there is no dog, but there is one"."""
_OTHERS_ARE_WRONG = pattern_of(
    r"(^|[.,!;:\n]\s*|\s)(?:(?:and|so|therefore|thus),? )?(?:the|that|this|your) (?:\w+ )?(?:claim|statement|belief"
    r"|impression|assumption|assertion)(?: (?:that|of)\b[^.,;!\n]*?)? (?:is|was|seems|appears)(?: \w+)? "
    r"(?:false|incorrect|wrong|mistaken|inaccurate|not (?:correct|true|right|accurate))\b"
)
"""Denies what others say: "the claim that there is no dog is false"."""
_AGREES = pattern_of(r"(^\W*+)(?:(?:yes|no)\b\W*+)?you are (?:\w+ )?(?:right|correct)(?:[,.;:!]| that\b)\s*(?=\w)")
"""Agrees with somebody and then answers: "yes, you are correct, the picture shows no dog"."""
_ONLY_AGREES = pattern_of(r"\W*+(?:(?:yes|no)\b\W*+)?you are (?:\w+ )?(?:right|correct)\W*")
"""Right with what was said before the question, or with the question: nobody can tell."""

_END = r"\s*(?:$|[,.;:!()\n-])"
# After "no" a noun makes it a claim ("no dogs"); these words leave it a particle.
_FOLLOWING = rf"(?:{_END}|\s*(?:there|it|i|we|you|the|this|that|they|he|she|because|as|since)\b)"
_OPENING = (
    r"(?:well|hmm|ok|okay|oh|so|and|but|(?:(?:most|very|quite) )?(?:probably|likely)"
    r"|(?:the|my) (?:\w+ )?answer (?:to \w+ question )?is|answer"
    r"|i (?:would|will|can|would have to) say|i (?:think|believe|guess|answer))"
)
_YES = (
    r"(?:yes|yeah|yep|yup|yea)\b|(?:y|true|correct|right|sure|certainly|definitely|absolutely|of course|indeed"
    rf"|affirmative|exactly|without (?:a|any) doubt|no doubt|for sure)(?={_FOLLOWING})"
    rf"|(?:i (?:think|believe|guess|suppose|would say) so|(?:it (?:looks|seems|appears)|looks|seems"
    rf"|appears) (?:like it|so|that way)|(?:it|that) is (?:right|correct|true|the case))(?={_END})"
)
_NO = (
    r"(?:no|nope|nah|n|not|false|incorrect|wrong|untrue|negative|never|(?:absolutely|certainly|definitely"
    r"|surely|clearly|probably|most likely|of course|unfortunately|sadly|i am afraid) not|not at all"
    r"|not really|not likely"
    rf"|of course not)(?={_FOLLOWING})|(?:i do not (?:think|believe) so|(?:it )?does not (?:look|seem"
    rf"|appear) (?:like it|so|that way)|i doubt it"
    rf"|(?:it|that) is (?:wrong|false|incorrect|not (?:right|correct|true|the case)))(?={_END})"
)
_PARTICLE = pattern_of(rf"(?:^|[.,:!;\n=]\s*)(?:{_OPENING}[,:]?\s+)*(?:(?P<no>{_NO})|(?P<yes>{_YES}))")
"""A yes or no at the beginning of a sentence: "nah", "the answer is no". "No dogs" is a claim."""
_CELL = pattern_of(r"\|\s*(yes|no)\s*(?=\|)")
"""Yes or no in a table in Markdown."""
_VERDICT = pattern_of(
    r"\banswer\b[^.!?:\n]{0,120}\b(?:is|be|with"
    r"|say)(?: an?)?(?: (?!not )\w+)?[ ']+(?P<yes>yes)?(?P<no>no)?'?[.!\s]*$"
)
"""The verdict at the end: "the answer to that is a clear no"."""
_LEADING = pattern_of(rf"(?:^|(?<=[.,:!;\n]))\s*(?:yes|yeah|yep|no|nope|nah)(?={_FOLLOWING})")
"""Cuts a yes or no from the claim behind it: "no, the man is not running"."""
_ALONE = pattern_of(r"\W*(?:yes|no)\s*[.!\n]\s*")
"""A particle that is a sentence by itself, which a claim behind it contradicts or not."""
_YES_AND_NO = pattern_of(r"\byes\W+(?:and|or)\W+no\b|\bno\W+(?:and|or)\W+yes\b|\byes/no\b")
"""Both, which is neither: "yes and no", "yes or no"."""

_NOBODY = pattern_of(r"\b(?:nobody|no one)\b(?! else)")
"""Denies people: "there is nobody in the image". "Nobody else" does not."""
_AMOUNT = r"(?:one|some|any|none|a few|several|many|lots|it|them|both|two|three|four|\d+|at least one|indeed|no one)"
_PLACE = (
    r"(?:here|there|visible|present|shown|seen|depicted|pictured|in it|in view|at all|of (?:them|those|these)"
    rf"|in (?:the|this) {PICTURE})"
)
_ELLIPSIS = pattern_of(
    r"(?:(?:yes|no|and|so|then|indeed|i think|i believe|that)\W+)*(?P<said>there (?:is|are|was|were)(?: not)?"
    rf"(?: {_AMOUNT})?|(?:i|we|you) (?:(?:can|could|do) )?(?:not )?(?:see|spot|find|notice) {_AMOUNT}"
    rf"|(?:it|they|one|none|neither|both|all|some)(?: of them)? (?:is|are|can be)(?: not)? {_PLACE}"
    r"|(?:none|nothing|nobody|no one|neither|both|not any|not one|zero|several|many|lots|plenty|a few|quite a few)"
    r"(?: of (?:them|these|those|the (?:two|three)|both))?(?:,? (?:actually|indeed|in fact))?"
    rf"|(?:not )?(?:visible|present|in the {PICTURE}|there)|absent|missing"
    rf")(?: {_PLACE})*(?P<where> (?:on|in|at|near|by|under|behind|beside|next to|to|sitting|standing|lying)\b[^,]*)?"
)
"""Says that the thing is there or not without its name: "none", "I see two", "they are visible"."""
_NOT_THERE = pattern_of(r"\b(?:not|none|nothing|nobody|no one|neither|zero|0|absent|missing)\b")
"""Makes such a statement a denial: "I see none"."""
_AGREEMENT = pattern_of(
    r"(?:(?:yes|no|and|so)\W+)*(?:it|they|he|she|this|that|i|we|you) (?:is|are|does|do|can|has|have)(?P<not> not)?"
)
"""Repeats only the verb of the question: "it is", "they do not"."""
_ECHO = pattern_of(r"(?:it|this|that) (?:is|does|has)(?P<not> not)?")
"""The same where no claim of a thing is asked for, and after a question that denies: only the singular is sure."""

_PRONOUN = pattern_of(r"(?:(?:yes|no|and|so|well|actually)\W+)*(?:it|they|he|she|this|that)\b")
"""The thing of the question is the subject: "it is a red one"."""
_VERB = pattern_of(r"\b(?:is|are|was|were|looks?|seems?|appears?|has|have)\b")
"""A clause with a verb has a subject of its own: "the radio is off" says nothing of the light, "off" does."""

_OTHER_THING = pattern_of(
    r"\b(?:next to|near|beside|behind|with|by|and|of) (?:the|an?|another|his|her|its"
    r"|their) \w+ (?!is\b|are\b)"
)
"""The attribute is another thing's: "the man next to the woman holding a dog". Not "the man with a hat is"."""
_PURE = frozenset({"bright", "deep", "vivid", "vibrant", "solid", "pure"})
_SHADES = frozenset({"dark", "light", "pale"})
_OF_ANOTHER_SUBJECT = pattern_of(
    r"\s*\band\s+(?=(?:the|its|his|her|an?|another) (?:[a-z-]+ ){1,3}(?:is|are|looks?|appears?)\b)"
)
"""Begins a clause on another thing: "the car is blue and the bus is red"."""

_PREDICATE = pattern_of(
    r"(?:^(?!.*\b(?:is|are|looks?|seems?|appears?|has|have|with)\b)(?=[a-z -]+$)"
    r"|\b(?:is|are|been|looks?|seems?|appears?)(?: to be)? )"
    r"(?!not\b|no\b|never\b|neither\b)"
    r"((?:(?:an?|the|very|quite|rather|clearly|actually|currently|fully|mostly|completely"
    r"|in) )*[a-z-]+(?: (?!(?:an?|the|on|in|at|by|near|next|with|of|to|and|behind|under|beside|as"
    r"|than|like|from)\b)[a-z-]+){0,3})"
)
"""What a clause says of its subject, or the whole of one without a verb: "empty"."""

_SIDE = pattern_of(
    r"\b(?:(?P<left>(?:to|on|at|towards?) (?:the|its) (?:\w+ )?left|left(?= (?:of|side|edge|than))"
    r"|(?:farther|further) left|leftmost|^left$)"
    r"|(?P<right>(?:to|on|at|towards?) (?:the|its) (?:\w+ )?right|right(?= (?:of|side|edge|than))"
    r"|(?:farther|further) right|rightmost)"
    r"|(?P<above>above|higher|over|(?:at|to|near|towards?) the top|top edge|on top of)"
    r"|(?P<below>below|lower|under|underneath|beneath|(?:at|to|near|towards?) the bottom|bottom edge))\b"
)
"""Where a thing is to another: "left of", "above". "The dog has left" is no place."""
_OTHER_SUBJECT = pattern_of(r"\b(?:an?|another|the|nothing|no|some|two|three)\b")
"""A thing of its own before a side: "a truck to the right of the cat"."""
_BESIDE = pattern_of(rf" ?(?:side |edge |corner )?of (?:the|an?|its|his|her|this) (?!(?:\w+ )?{PICTURE}\b)([a-z -]+)")
"""What a side is of: "to the right of the bowl" says nothing of the plate."""
_BARE_RIGHT = pattern_of(r"\W*right\W*")
"""The side, or that it is so."""

_LONGEST = 1000
"""Longer clauses are a model's endless repetition."""

CONDITION = pattern_of(r"\b(?:if|whether|unless)\b")
"""Claims nothing: "I am not sure if there is a dog"."""
_ONLY = pattern_of(
    r"(?<!not )(?<!and )\b(?:only|just) (?:(?:shows?|contains?|depicts?|features?|has|have|see) )?(?:an?"
    r"|the|some|\d+|one|two|three|four|five)\b(?! of)"
)
"""Names all that is there: "there is only a cat". "Only one of them" does not."""

_NONE = frozenset({"no", "zero", "0", "neither", "nor"})
_DETERMINERS = _NONE | {
    "a", "an", "the", "any", "some", "many", "several", "multiple", "few", "numerous", "another", "both", "either",
    "his", "her", "its", "their", "this", "that", "these", "those", "not", "such", *NUMBER_WORDS[1:],
}  # fmt: skip
_LINKS = frozenset({
    "is", "are", "was", "were", "be", "see", "seeing", "show", "shows", "contain", "contains", "has", "have",
    "depict", "depicts", "feature", "features", "include", "includes", "display", "displays", "spot", "find",
    "lack", "lacks", "and", "or", "yes", "no", "only", "just", "also", "least", "lots", "of", "with", "without",
    "on", "in", "by", "near", "behind", "under", "at", "to", "from", "as", "like", "for", "over", "into", "beside",
    "above", "below", "wearing", "holding", "riding", "showing", "lacking", ",", "(",
})  # fmt: skip
"""What may stand before a noun phrase besides a determiner; any other word makes a compound with the noun."""

_AFTER_A_PHRASE = pattern_of(
    r"\s*(?:$|[,()]|(?:is|are|was|were|in|on|at|of|with|and|or|nor|that|which|who|to|here|there|visible|present"
    r"|near|next|by"
    r"|under|behind|beside|above|below|beneath|underneath|inside|outside|atop|(?:close|left|right)(?= (?:to|of)\b)"
    r"|from|as|shown|seen|built|hung|held|laid|made|depicted|pictured|can|could|has|have|does|do|not"
    r"|(?:i|we|you)(?= can\b| see\b)|too|also|around|along|among|through|between|over|against|across|for|within"
    r"|without|anywhere|together|either|appears?"
    r"|exists?|wears|holds|stands?|sits?|lies|rather|instead|after all"
    r"|(?!(?:bed|shed|sled|weed|seed|feed|reed)\b)\w+ed"
    r"|(?!(?:\w?ring|wing|king|string|spring|swing|thing|building|ceiling|clothing|painting|railing|drawing|earring"
    r"|bedding|lettering)\b)\w+ing)\b)"
)
"""What may stand behind a noun phrase: "a dog here". In "a dog house" it goes on."""

_NONE_OF = pattern_of(r"\b(?:none|neither|not one|not any) of(?: the| these| those)?$")
"""Denies what is said of them: "none of the cars is red"."""
_SINGLE = frozenset({"a", "an", "another", "one"})
_ANY_VERB = pattern_of(r" [a-z]+[^s\W]s\b")
"""Behind a single thing or an amount a word with an s is a verb: "a rainbow arcs over the hills", not "dog houses"."""
_SEVERAL = frozenset({"several", "many", "some", "numerous", *NUMBER_WORDS[2:], *map(str, range(2, 100))})
_VERB_OF_MANY = pattern_of(r"(?<=s) [a-z]{2,}\b")
"""Behind several things a word is a verb: "two dogs answer the call"."""

_WORD = pattern_of(r"[^\s,()]+|[,()]")
_FRAME = pattern_of(
    r"\b(?:it|this|that|these|those|they) (?:is|are)\b"
    r"|\bthere (?:\w+ ){0,3}?(?:is|are|be|seems?|appears?|exists?|was|were)\b"
    r"|\b(?:i|we|you|one) (?:\w+ ){0,3}?(?:see|spot|find|notice|observe|detect|count|identify|say|think|believe)\b"
    rf"|\b(?:{PICTURE}|it|this|that) (?:\w+ ){{0,3}}?(?:shows?|contains?|has|have|depicts?|features?|includes?"
    rf"|displays?|lacks?|is (?:an? )?(?:{PICTURE}|without|free|devoid|of|showing|lacking))\b"
)
"""Claims that something is there: "there is", "I see", "the picture shows"."""
_QUANTITY = pattern_of(
    rf"\b(?:pair|couple|group|lot|lots|bunch|number|herd|flock|crowd|pack|team|row|pile|variety|plenty|dozens?"
    r"|(?:layer|piece|slice|cup|bottle|bit|blanket|sheet|stack|heap|bowl|plate|strip|drop|clump|cluster|pool|carton|bag"
    r"|bundle|roll)s?|(?:glass|patch|box)(?:es)?|touch|loaf|loaves"
    rf"|{PICTURE}"
    r"|one|some|any|none) of$"
)
"""The amount of a thing: "a lot of dogs". "The owner of dogs" is none."""
_ABOUT_ANOTHER = pattern_of(
    r"\b(?:look|search|check|ask|scan)\w* (?:\w+ )?(?:for|about)\b|\b(?:without"
    r"|like(?! there)|than|instead of)\b[^,]*$"
)
"""The thing need not be there: "a man without a dog", "like a dog", "I looked for a dog"."""
_NEGATOR = pattern_of(r"\b(?:not|never|no|neither|nor|zero|0|lacks?|lacking|free of|devoid of|(?:is|are) without)\b")
"""Denies what follows: "I do not see any dogs"."""
_THAT_THERE_IS = pattern_of(r"\b(?:true |the case |correct )?(?:that )?there (?:is|are|be)\b")
"""Does not end a denial: "I do not think that there is a dog"."""
_BREAKS_A_LIST = pattern_of(
    r"\b(?:with|on|in|near|wearing|holding|by|at|of|that|which|who|under|behind|beside|above|below|from|is|are"
    r"|\w+ing)\b"
)
"""Ends a denial: "no man with a dog" denies the man. "No man, cat or dog" denies all."""
_SEEN = rf"(?:visible|present|seen|shown|there|here|depicted|pictured|found|in (?:(?:the|this) )?{PICTURE})"
_GONE = pattern_of(
    r"\s?(?:(?:and|or) (?:\w+ ){1,3}?)?(?:is|are|can|do|does) "
    rf"(?:not(?: (?:be )?(?:\w+ )??(?:{_SEEN}|appear)\b|$)|(?:(?!not )\w+ )?(?:absent|missing|nowhere)\b)"
)
"""Denies the thing before it: "the dogs are not visible"."""
_DENIED = pattern_of(r"[^,]*?\b(?:is|are|does|do|has|have|can) not\b")
"""Denies something else of the thing before it: "the dog is not red"."""

_ONLY_BEFORE = pattern_of(r"[,;] (?:but )?(?:only|just)$|^(?:only|just)$")
"""Behind a denial: "I don't see any cars, only a bicycle"."""
_NOTHING_IS = pattern_of(
    r"\b(?:none|nothing|neither)\b[^,.;]*\b(?:is|are|was|were|looks? like|appears?(?: to be)?|seems? to be)$"
)
"""Nothing is what is asked for: "none of them is a bicycle"."""
_RATHER_THAN = pattern_of(r"\b(?:rather than|instead of)$")
"""Something else is there: "a motorcycle rather than a bicycle"."""
_DENIED_DENIAL = pattern_of(
    rf"^(?:the {PICTURE}|it|this) (?:is|does) not (?:free of|devoid of|lack|lacking|without)(?: an?| any)? ?$"
    rf"|^it is not (?:true|correct|right|the case) that (?:there (?:is|are)|the {PICTURE} (?:has|shows|contains)) no$"
)
"""A double negation before the phrase."""

_DOUBTS = pattern_of(
    r"(?<!\bno )(?<!\bwithout )(?<!\bwithout a )\b(?:doubt\w*|disagree|hardly|barely|scarcely|unlikely)\b"
)
"""Leaves open, or nearly denies, what follows: "I doubt there is a dog", "there is barely a dog"."""
_NOT_HERE = pattern_of(
    r" (?:that used to be|(?:is|are|was|were|has|have|had|can be|could be|must be)(?: \w+)? (?:banned|forbidden"
    r"|prohibited|ruled out|excluded|gone|left|out of the question|mentioned)\b)"
)
"""Says of a thing that it is elsewhere, or in words alone: "dogs are banned", "the dog has left"."""
_WISHED_FOR = pattern_of(
    r"\b(?:for|as|like|than|wants?|needs?|lacks?|misses|resembles?|imagines?|awaits?"
    r"|(?:expect|suspect|exclud|prohibit|forbid|mention|suggest)\w*|bans?|banned|rul(?:es?|ed|ing) out"
    r"|talk(?:s|ing)? about|(?:fails?|failed|tries|hopes|wants|waits|hoping|trying|waiting) to \w+"
    r"|(?:closed|allergic|thanks|due) to"
    r"|(?:warns|instead|afraid|fond|dreams?) of|could be|used to be)$"
)
"""Names a thing that is not there: "space for a dog", "dressed as a dog", "the man wants a dog"."""

_DESCRIBED = pattern_of(
    r"^ ?(?:(?:see|show|contain|have|depict|include|feature|find|spot) )?(?:any |an? )?\w+ing (?=\w)"
)
"""The description of the first thing of a list: "no sitting woman or bottle"."""
_SOMEWHERE_ELSE = pattern_of(
    r"\s*(?:\w+ing|that|which|who|with|on|under|behind|beside|near|next|above|below|by|of"
    r"|in (?!(?:(?:the|this) )?(?:picture|image|photo|photograph|scene|frame)\b|it\b|view\b|here\b|sight\b))\b"
)
"""A condition of what is denied: "no dogs on the bed" leaves others. "In the picture" is none."""

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

_IS_NOT = pattern_of(rf"\s*(?:(?:in|of) (?:the|this) {PICTURE} )?is not ")
"""Denies an attribute of the only one: "the man is not running" to "is there no running man?"."""


def read_yes_no(answer: str | Prepared, meaning: Meaning) -> bool | UnreadableAnswer:
    """True if an answer says yes to the question of this meaning.

    Claims about the groups of the question decide: "there is no dog" says yes to "is there no dog?" and no to "is there
    a dog?", whatever particle stands before it. Without a claim "yes" and "no" are logical: "no" to "is there no dog?"
    says that there is one.

    >>> no_dog = Absent(group=Group(name="dog"))
    >>> read_yes_no("No, there is no dog.", no_dog), read_yes_no("No", no_dog)
    (True, False)
    """
    prepared = prepare(answer)
    if prepared.unreadable is None:
        return _read(prepared.text, meaning)
    # What reads as a doubt or a refusal may still begin with a verdict.
    decided = _DECIDED.match(prepared.plain)
    return _read(decided[1], meaning) if decided else prepared.unreadable


def leading_particle(answer: Prepared) -> bool | None:
    """The yes or no that an answer begins with; None if it begins with neither."""
    found = _PARTICLE.match(_OFFERS_HELP.sub("", answer.text))
    return None if found is None else found["yes"] is not None


def _read(text: str, meaning: Meaning) -> bool | UnreadableAnswer:
    """Yes or no by what the answer claims, then by its particles, then by its words without slips."""
    if _ONLY_OFFERS.fullmatch(text):
        return UnreadableAnswer(Unreadable.NO_YES_OR_NO)
    # "Dog: no" is written as a sentence first, since all later steps read sentences only.
    text = _LABELLED.sub(lambda found: _as_sentence(found, meaning), text)
    text = _without_what_others_say(_OFFERS_HELP.sub("", without_inscriptions(text)))
    if leaves_open(text):
        return UnreadableAnswer(Unreadable.UNSURE)
    text = _in_plain_words(text, meaning)
    answer = without_questions(_LETTER.sub("", text))
    if _ONLY_AGREES.fullmatch(answer):
        return UnreadableAnswer(Unreadable.NO_YES_OR_NO)
    if (foreign := _in_another_language(answer, meaning)) is not None:
        return foreign
    if isinstance(meaning, Located) and _BARE_RIGHT.fullmatch(answer):
        return UnreadableAnswer(Unreadable.NO_YES_OR_NO)  # the side, or "that is right"
    # A model that repeats itself ("yes yes yes ...") is read by which of the two words it says at all.
    if loop := _LOOP.fullmatch(answer):
        both = "yes" in loop[0] and "no" in loop[0]
        return UnreadableAnswer(Unreadable.YES_AND_NO) if both else "yes" in loop[0]
    particles = _particles_in(answer)
    if len(particles) == 2 or _YES_AND_NO.search(answer):
        return UnreadableAnswer(Unreadable.YES_AND_NO)
    # A hedged clause claims nothing: "there might be a dog".
    parts = tuple(part for part in claim_clauses(_LEADING.sub("\n", answer)) if not HEDGE.search(part))
    if isinstance(meaning, Has):
        claim = _attribute_claim(meaning, parts, with_fragments=not particles)
    elif isinstance(meaning, Located):
        claim = _place_claim(meaning, parts)
    else:
        claim = _presence_claim(meaning, parts)
    if claim is not None:
        # "No, there is a dog" is a yes, as the "no" may agree with something else. "No. There is a dog." and "Yes,
        # there is no dog" contradict themselves. After a question that denies, either word may stand before a claim.
        if (
            isinstance(meaning, Exists | Has | Located)
            and particles == {not claim}
            and (_ALONE.match(answer) or not claim or isinstance(meaning, Has | Located))
        ):
            return UnreadableAnswer(Unreadable.YES_AND_NO)
        return claim
    if isinstance(meaning, Exists | Absent) and {True, False} <= {presence_claimed(meaning.group, p) for p in parts}:
        return UnreadableAnswer(Unreadable.YES_AND_NO)  # "there is a dog. there is no dog"
    # Without a claim of the thing: "it is" alone agrees with the question.
    echoes = (found["not"] is None for found in map(_ECHO.fullmatch, parts) if found)
    said = particles.pop() if particles else _common_value(echoes)
    if said is not None:
        return said
    # Slips are mended last, so that a corrected word never beats one that is right.
    corrected = without_typing_errors(answer, _expected_words(meaning))
    return unreadable_answer(text, Unreadable.NO_YES_OR_NO) if corrected == answer else _read(corrected, meaning)


def _particles_in(answer: str) -> set[bool]:
    """The yes and no at the beginning of sentences, else in a verdict at the end, else in a table."""
    particles = {found["yes"] is not None for found in _PARTICLE.finditer(answer)}
    # Both groups of the pattern are optional, so its match may end in another word than yes or no.
    if not particles and (verdict := _VERDICT.search(answer)) and verdict[0].rstrip("'.! ").endswith(("yes", "no")):
        particles = {verdict["yes"] is not None}
    if not particles and "|" in answer:
        particles = {cell == "yes" for cell in _CELL.findall(answer)}
    return particles


@lru_cache(maxsize=65536)
def _expected_words(meaning: Meaning) -> tuple[str, ...]:
    """The words that a misspelt word of the answer may stand for."""
    names = (name for group in groups_of(meaning) for name in (group.name, *group.attributes))
    return ("yes", "nope", "there", "not", "is", "no", *" ".join(f"{name} {plural(name)}" for name in names).split())


def _as_sentence(found: re.Match[str], meaning: Meaning) -> str:
    """The sentence for a label with its value: "there is no dog" for "dog: no"."""
    name = found["name"].removeprefix("the ")
    said = "yes" if found["yes"] else "no" if found["no"] else ""
    if _ASKED_BACK.match(name):
        return f" {said}. "
    # "Red: yes" to "is the car red?"; with "n/a" behind it the label is dropped.
    if isinstance(meaning, Has) and name == meaning.attribute:
        return f" it is {'' if found['yes'] else 'not '}{name}. " if said else ". "
    # A label must name the thing asked about, or another known thing: in "I am sure: yes" it is none.
    is_named = any(noun_pattern(group).search(name) for group in groups_of(meaning))
    if not is_named and singular(name.rpartition(" ")[2]) not in entries_by_form():
        return found[0]
    there = {"yes": "there is a", "no": "there is no", "": "there may be a"}[said]
    return f" {there} {name}. "


def leaves_open(text: str) -> bool:
    """True of an answer that decides nothing, or takes back at its end what it said."""
    return _LEAVES_OPEN.search(text) is not None or _ENDS_UNSURE.search(text) is not None


@lru_cache(maxsize=256)  # called twice for one answer: for the text of the question, then for its meaning
def without_idioms(text: str) -> str:
    """The text with plain words for ways to say that something is so, or not: "one can't deny that it is red"."""
    for pattern, plain in _IDIOMS:
        text = pattern.sub(plain, text)
    return text


def _in_plain_words(prepared: str, meaning: Meaning) -> str:
    """The answer with idioms and comparisons written out: "more orange than red" is orange, and not red."""
    prepared = without_idioms(prepared)
    if isinstance(meaning, Has) and " than " in prepared:
        prepared = _LESS_THAN.sub(r"\2, not \1", _MORE_THAN.sub(r"\1, not \2", prepared))
    return prepared


def _without_what_others_say(prepared: str) -> str:
    """The answer without a statement that it contradicts: "the label says that there is no dog, but there is one"."""
    rest = prepared
    for contradicted in (_ALTHOUGH_OTHERS_SAY, _OTHERS_SAY_BUT, _OTHERS_ARE_WRONG, _AGREES):
        rest = contradicted.sub(r"\1", rest)
    # Where nothing else is said, what others say is all there is: "the label says that there is no dog".
    return rest if re.search(r"\w{3}|\bno\b", rest) else prepared


def _in_another_language(answer: str, meaning: Meaning) -> bool | UnreadableAnswer | None:
    """Reads yes and no in the languages of ``yes_no_words.toml``; None if the answer does not begin with one.

    What follows is not read, so it must not matter: after a denial ("Is there no dog?") a lone word is logical, and
    with a sentence behind it may be either.
    """
    found = _foreign_words().match(normalize("NFC", answer))
    if found is None:
        return None
    if isinstance(meaning, Absent | NotBoth | Neither) and re.search(r"\w", answer[found.end() :]):
        return UnreadableAnswer(Unreadable.NO_YES_OR_NO)
    return found["yes"] is not None


@cache
def _foreign_words() -> re.Pattern[str]:
    """Finds yes and no in other languages at the beginning of an answer."""
    rows = [row for language, row in toml_table("answers/yes_no_words.toml").items() if language != "english"]
    # A word that is yes in one language and no in another is read as neither.
    shared = {normalize("NFC", word) for row in rows for word in row["yes"]} & {
        normalize("NFC", word) for row in rows for word in row["no"]
    }

    def any_of(kind: str) -> str:
        words = {normalize("NFC", word) for row in rows for word in row[kind]} - shared - {"yes", "no"}
        return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))

    ends = r"(?=\W*$|\s*[,.;:!\u3002\uff0c\uff01\u3001\u060c\u0964\n-])"
    return re.compile(rf"\W*(?:(?P<yes>{any_of('yes')})|(?P<no>{any_of('no')})){ends}")


def _presence_claim(meaning: Meaning, parts: Sequence[str]) -> bool | None:
    """True if the things that the answer claims settle the question."""
    match meaning:
        case Exists(group=group) | Absent(group=group):
            groups: tuple[Group, ...] = (group,)
        case Both(groups=groups) | NotBoth(groups=groups) | Either(groups=groups) | Neither(groups=groups):
            pass
        case _:
            return None
    # "Nobody" has no noun to be found by.
    if any(group.name == "person" for group in groups):
        parts = tuple(_NOBODY.sub("no person", part) for part in parts)
    there = [_common_value(presence_claimed(group, part) for part in parts) for group in groups]
    # "There is only a cat": what such an answer does not name is not there.
    if any(map(_ONLY.search, parts)):
        there = [bool(each) for each in there]
    of_any = isinstance(meaning, Either | Neither)
    positive = _any_there(there) if of_any else _all_there(there)
    negated = isinstance(meaning, Absent | NotBoth | Neither)
    # "I see none" counts only where no clause names a thing; it could be about another one otherwise.
    if positive is None and set(there) == {None}:
        positive = _elliptic_claim(parts, agreeing=not negated)
    return positive if positive is None or not negated else not positive


def _elliptic_claim(parts: Sequence[str], *, agreeing: bool) -> bool | None:
    """Reads "there is", "I see none", "they are visible"; with ``agreeing``, also "it does" and "I can not"."""
    said: list[bool | None] = []
    for part in parts:
        if found := _ELLIPSIS.fullmatch(part):
            there = _NOT_THERE.search(found["said"]) is None
            said.append(None if found["where"] and not there else there)
        elif agreeing and (found := _AGREEMENT.fullmatch(part)):
            said.append(found["not"] is None)
    return _common_value(said)


def _attribute_claim(meaning: Has, parts: Sequence[str], *, with_fragments: bool) -> bool | None:
    """Reads clauses about the thing of the question."""
    attribute = re.compile(rf"\b{re.escape(meaning.attribute)}\b")
    nouns = noun_pattern(meaning.group)
    said: list[bool | None] = []
    for part in chain.from_iterable(map(_OF_ANOTHER_SUBJECT.split, parts)):
        if CONDITION.search(part):
            continue
        about = nouns.search(part) or _PRONOUN.match(part) or (with_fragments and not _VERB.search(part))
        before = len(said)
        for found in attribute.finditer(part) if about else ():
            word_before = part[: found.start()].rstrip().rpartition(" ")[2]
            if NEARLY.search(part, 0, found.start()):
                continue
            if word_before in _SHADES and not with_fragments:
                continue  # with a "no" before it, light blue is not called blue
            # "Lime green" is a colour of its own, and need not be green; "bright green" is, and so is "dark green".
            if word_before not in _PURE | _SHADES and f"{word_before} {meaning.attribute}" in descriptions():
                continue
            subjects = [noun.end() for noun in nouns.finditer(part, 0, found.start())]
            if subjects and _OTHER_THING.search(part, subjects[-1], found.start()):
                continue
            # It is said of the thing if its noun follows ("the red car") or the phrase ends ("is red").
            noun = nouns.match(part, found.end() + 1)
            if noun or _AFTER_A_PHRASE.match(part, found.end()) or part.startswith(" one", found.end()):
                said.append(DENIAL.search(part, 0, found.start()) is None)
        # No word on the attribute itself: another one may exclude it, as "it is closed" does "open".
        if about and len(said) == before and (excluded := _exclusion(meaning, part, nouns)) is not None:
            said.append(excluded)
    return _common_value(said) if said else _elliptic_claim(parts, agreeing=True)


def _exclusion(meaning: Has, part: str, nouns: re.Pattern[str]) -> bool | None:
    """False if the clause gives the thing an attribute that excludes the one of the question: "it is closed"."""
    # What is "certainly not dry" may be damp or wet.
    said = [found[1] for found in _PREDICATE.finditer(part) if not DENIAL.search(found[1])]
    described = re.search(rf"(?:^|\b(?:the|a|an)) ([a-z -]+?) {nouns.pattern}", part)
    if described and not DENIAL.search(part):
        said.append(described[1])
    words = {word for each in said for word in _attributes_in(each)}
    return False if any(_excludes(word, meaning.attribute) for word in words) else None


def _excludes(word: str, attribute: str) -> bool:
    return ontology().excludes(word, attribute) or exclude(content_word(word), content_word(attribute))


def _attributes_in(words: str) -> tuple[str, ...]:
    """The attributes that the last words of a phrase may be: "clearly half open" is "half open"."""
    each = words.split()
    return tuple(" ".join(each[start:end]) for start in range(len(each)) for end in range(start + 1, len(each) + 1))


def _place_claim(meaning: Located, parts: Sequence[str]) -> bool | None:
    """Reads clauses on where one of the two things is: "the car is to the right of the dog", "it is higher up"."""
    nouns = noun_pattern(meaning.group), noun_pattern(meaning.other)
    said: list[bool | None] = []
    for part in parts:
        for found in _SIDE.finditer(part):
            side = Side(str(found.lastgroup))
            # The noun nearest before the side is the one whose place is stated.
            last = [max((noun.end() for noun in each.finditer(part, 0, found.start())), default=-1) for each in nouns]
            if max(last) < 0 and _OTHER_SUBJECT.search(part, 0, found.start()):
                continue  # "a truck to the right of it"
            if (beside := _BESIDE.match(part, found.end())) and not any(each.search(beside[1]) for each in nouns):
                continue  # where it is to a third thing
            if last[1] > last[0]:  # it is said of the other thing
                side = side.opposite
            denied = DENIAL.search(part, 0, found.start()) is not None
            if side is meaning.side:
                said.append(not denied)
            # "Not to the right" leaves open that it is in between, so a denied opposite says nothing.
            elif side is meaning.side.opposite and not denied:
                said.append(False)
    return _common_value(said) if said else _elliptic_claim(parts, agreeing=True)


def _common_value(said: Iterable[bool | None]) -> bool | None:
    """Returns the common value of all claims that are not None; None if they disagree."""
    values = {each for each in said if each is not None}
    return values.pop() if len(values) == 1 else None


def _all_there(there: Sequence[bool | None]) -> bool | None:
    """True if all are there, False if one is not, None if one is unknown and the others are there."""
    return False if False in there else None if None in there else True


def _any_there(there: Sequence[bool | None]) -> bool | None:
    """True if one is there, False if none is, None if one is unknown and the others are not there."""
    return True if True in there else None if None in there else False


def presence_claimed(group: Group, clause: str) -> bool | None:
    """True if a clause claims that the group is there; None if it claims nothing of it.

    A claim must be about this very group: "there is a car" does not say that there is a red one, but "there is no car"
    denies it. A hot dog is no dog, and a dog that is not red is not absent.

    >>> dog, red_car = Group(name="dog"), Group(name="car", attributes=("red",))
    >>> presence_claimed(dog, "there is a small dog on the couch"), presence_claimed(dog, "there are no cats or dogs")
    (True, False)
    >>> presence_claimed(red_car, "there is a car"), presence_claimed(red_car, "there are no cars")
    (None, False)
    >>> presence_claimed(dog, "there is a hot dog") is None
    True
    """
    if len(clause) > _LONGEST or CONDITION.search(clause):
        return None
    # A clause that both claims and denies the group says neither.
    said = {_claim(group, noun, clause) for noun in _with_hyponyms(group).finditer(clause)} - {None}
    return said.pop() if len(said) == 1 else None


@lru_cache(maxsize=65536)
def _with_hyponyms(group: Group) -> re.Pattern[str]:
    """Finds also the kinds of the class of the group: "a puppy" is a dog."""
    kinds = hyponyms(group.name) if not group.covers else frozenset()
    return noun_pattern(replace(group, covers=(*group.covers, *sorted(kinds)))) if kinds else noun_pattern(group)


@lru_cache(maxsize=65536)
def noun_pattern(group: Group) -> re.Pattern[str]:
    """Finds the names of the group and of what it covers, in the singular or the plural."""
    names = {form for name in (group.name, *group.covers) for form in (name, plural(name))}
    # The longest first, so that "teddy bear" is found whole; "the dog's tail" and "a dog-house" name no dog.
    return re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, names), key=len, reverse=True))})\b(?!['-])")


def _claim(group: Group, noun: re.Match[str], clause: str) -> bool | None:
    """True if the clause claims the group by this noun of it, False if it denies it, None if it does neither."""
    described = _description_before(group, clause[: noun.start()])
    if described is None:
        return None
    before, determiner, description = described
    # A word behind the noun is a verb or the rest of a compound: "two dogs answer" and "a dog house".
    is_one = determiner in _SINGLE or _QUANTITY.search(before)
    has_verb = (_ANY_VERB if is_one else _VERB_OF_MANY).match(clause, noun.end()) and (is_one or determiner in _SEVERAL)
    if not has_verb and not _AFTER_A_PHRASE.match(clause, noun.end()):
        return None
    after = clause[noun.end() :]
    # "The man is not running": the only man there lacks what "is there a running man?" asks for.
    if determiner == "the" and not before and _denies_an_attribute(group, description, after):
        return False
    if _NONE_OF.search(f"{before} {determiner}".strip()):
        return False if description == "" and _covers_what_is_asked(group, description, after) else None
    says = _is_claimed(before, determiner, after)
    if says:
        return True if _covers_what_is_asked(group, description, after) else None
    # "There is no puppy" leaves other dogs, so only the own name of the group denies it.
    if says is False and noun[0] in (group.name, plural(group.name)):
        return False if _denies_what_is_asked(group, description, after) else None
    return None


def _description_before(group: Group, text: str) -> tuple[str, str, str] | None:
    """Returns the words before the noun phrase, its determiner, its adjectives; None if the noun ends a name."""
    words = _WORD.findall(text)
    # Leftward from the noun over adjectives and over compounds that stay of its kind ("soccer" of "soccer ball").
    known = _adjectives() | {word for attribute in group.attributes for word in attribute.split(" ")}
    start = len(words)
    while start:
        word = words[start - 1]
        if word in known or (word.endswith("ing") and word not in _LINKS):
            start -= 1
        elif length := next(
            (n for n in (2, 1) if n <= start and _is_kind(tuple(words[start - n : start]), group.name)), 0
        ):
            start -= length
        else:
            break
    described = " ".join(words[start:])
    last = words[start - 1] if start else ""
    # Any other word before the phrase makes a name of it ("hot dog"), which is of something else.
    if last in _DETERMINERS or last.isdecimal() or last.endswith("'s"):
        return " ".join(words[: start - 1]), last, described
    return (" ".join(words[:start]), "", described) if not last or last in _LINKS else None


@lru_cache(maxsize=65536)
def _is_kind(modifier: tuple[str, ...], name: str) -> bool:
    """True of a compound that is what its last word says: "a soccer ball", "a steel oven", but no "hot dog"."""
    if not all(word.isalpha() and word not in _DETERMINERS and word not in _LINKS for word in modifier):
        return False
    before, known = " ".join(modifier), wordnet()
    compound = f"{before} {name}"
    if known.senses(compound):
        return known.is_kind_of(compound, name)
    # A compound that WordNet lacks is made of its first word, but "a chocolate rabbit" is no rabbit.
    return known.is_kind_of(before, "substance") and not known.is_kind_of(name, "living thing")


def _is_claimed(before: str, determiner: str, after: str) -> bool | None:
    """True if the phrase between ``before`` and ``after`` is claimed to be there."""
    if _DENIED_DENIAL.search(f"{before} {determiner}"):
        return True
    if _ONLY_BEFORE.search(before) and determiner not in _NONE:
        return True
    if _NOTHING_IS.search(before):
        return False
    if determiner in _NONE:
        # "It is not that there is no dog": two denials stay unread but in the forms above.
        return None if re.search(r"\bnot\b", before) else False
    negators = list(_NEGATOR.finditer(before))
    if determiner == "not":
        # "The animals are cows, not horses".
        return None if negators else False
    if negators:
        # A denial of a denial ("I do not say that it lacks dogs") may affirm, and stays unread.
        if any(each[0] in ("not", "never") for each in negators[:-1]):
            return None
        return _denied_by(negators[-1], before[negators[-1].end() :], determiner)
    if _GONE.match(after):
        return False
    if _RATHER_THAN.search(before) and _FRAME.search(before):
        return False
    if _ABOUT_ANOTHER.search(before) or _DENIED.match(after):
        return None
    # "The owner of a dog is smiling" shows no dog.
    if before.endswith(" of") and not _QUANTITY.search(before):
        return None
    if _WISHED_FOR.search(before) or _DOUBTS.search(before) or _NOT_HERE.match(after):
        return None
    return True


def _denied_by(negator: re.Match[str], between: str, determiner: str) -> bool | None:
    """False if the negator denies the phrase after it: it denies a list up to the first phrase with an article."""
    if _BREAKS_A_LIST.search(_DESCRIBED.sub("", _THAT_THERE_IS.sub("", between))):
        return None
    # "I see no cat, and a dog" claims the dog; "I do not see a cat and a dog" may deny both or only the pair.
    if determiner not in ("", "any") and re.search(r"\band\b|,", between):
        return True if negator[0] == "no" else None
    return False


def _covers_what_is_asked(group: Group, description: str, after: str) -> bool:
    """True if all attributes and relations of the group are claimed of its noun."""
    predicate = re.match(r"\s*(?:(?:that|which|who) )?(?:is|are) (?!not )([\w ]+)", after)
    for attribute in group.attributes:
        # "A man running" needs no verb, "a car red" does: "the car is red".
        verbal = " " in attribute or attribute.endswith("ing")
        said_after = after if verbal else predicate[1] if predicate else ""
        found = None if _has_words(description, attribute) else re.search(rf"\b{re.escape(attribute)}\b", said_after)
        if not _has_words(description, attribute) and (not found or DENIAL.search(said_after, 0, found.start())):
            return False
    return all(_states_relation(condition, after) for condition in group.related)


def _states_relation(condition: Related, after: str) -> bool:
    """True if the words after a noun state the relation: "to the right of a table" is not "to the left of" it."""
    ways = _ways_to_say(after_a_noun(condition.predicate))
    return any(
        ways.search(after, 0, noun.start())
        and not DENIAL.search(after, 0, noun.start())
        and all(_has_words(after[: noun.start()], attribute) for attribute in condition.to.attributes)
        for noun in noun_pattern(condition.to).finditer(after)
    )


@cache
def _ways_to_say(predicate: str) -> re.Pattern[str]:
    words = next((group for group in _SAME_PLACE if predicate in group), (predicate,))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")


def _denies_what_is_asked(group: Group, description: str, after: str) -> bool:
    """True if the denial covers the group: "no dogs" denies black dogs, "no dogs on the bed" does not."""
    # "No visible dog" denies all of them; "no small dog" leaves large ones.
    words = set(description.split()) - {"visible", "actual", "single", "real", "such"}
    if words - {word for attribute in group.attributes for word in attribute.split(" ")}:
        return False
    if not _SOMEWHERE_ELSE.match(after):
        return True
    # The place or the look behind the denied noun is the one asked about: "no lamp on the desk".
    return any(noun_pattern(condition.to).search(after) for condition in group.related) or any(
        _has_words(after, attribute) for attribute in group.attributes
    )


def _denies_an_attribute(group: Group, description: str, after: str) -> bool:
    """True if the only thing of this name lacks the attribute: "the man in the picture is not sitting"."""
    denied = _IS_NOT.match(after)
    if not denied or set(description.split()) - {word for each in group.attributes for word in each.split(" ")}:
        return False
    return any(re.match(rf"{re.escape(attribute)}\b", after[denied.end() :]) for attribute in group.attributes)


def _has_words(text: str, words: str) -> bool:
    return re.search(rf"\b{re.escape(words)}\b", text) is not None


@cache
def _adjectives() -> frozenset[str]:
    # "And" comes from "black and white", and joins things where it stands alone.
    return frozenset(word for attribute in descriptions() for word in attribute.split(" ")) - {"and"}
