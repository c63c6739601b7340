"""The English that the reader knows, as rewriting rules.

Notation: ``NAME : way | way`` with continuation lines indented. Capitals are rewritten, small words stand for
themselves; ``?`` makes a part optional; ``!`` marks a word that negates. ``#`` stands for a number throughout its rule
(``.sg`` singular, ``.pl`` plural, ``.ms`` mass), which is how subject and verb agree. ``a`` is "a" or "an", whichever
the next word's sound asks for. NOUN and TRAILED are read from the lexicon: attributes and a name, and for TRAILED also
what follows the name ("running", "that are red"). What follows the last of several names could belong to all of them,
so it is read only where it follows each. What stands before the first of several names is taken to be the first's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

Way: TypeAlias = tuple[str, ...]
Rules: TypeAlias = Mapping[str, tuple[Way, ...]]

NUMBERS = (".sg", ".pl", ".ms")

ONCE = {"PIC": "the picture", "A_PIC": "the picture", "HERE": "the picture", "TOTAL": "the total"}
"""What a question mentions at most once, by the symbols that mention it."""

_RULES = """
# Words that stand for each other.
PIC       : DET PICNOUN
DET       : the | this
PICNOUN   : picture | image | photo | photograph | scene
IN        : in | within
PLACE     : IN PIC | HERE | anywhere IN PIC | somewhere IN PIC
HERE      : here
FRONT     : IN PIC , | looking at PIC , | judging by PIC ,
TOTAL     : in total | in all | altogether | all together | together | overall | all told
VISIBLE   : visible | shown | pictured | depicted | displayed | present | seen | found
          | to be seen | to be found | in view
PASSIVE   : seen | found | spotted | counted | made out
SEE       : see | spot | find | make out | count
YOU       : you | we | one
SHOW      : show | contain | have | include | depict | feature
SHOWS     : shows | contains | has | includes | depicts | features
SHOWING   : showing | depicting
BE.sg     : is
BE.pl     : are
BE.ms     : is
DO.sg     : does
DO.pl     : do
DO.ms     : does
APPEAR.sg : appears
APPEAR.pl : appear
APPEAR.ms : appears

# A phrase that names things.
HEAD#     : NOUN# | TRAILED#

# Phrases that say there is one, that say there is none, and that lie under a negator. "One dog" and "a single dog"
# could mean exactly one, so they are read under a negator only; "some dogs" and "at least one dog" anywhere else.
SOME.sg   : a HEAD.sg | any HEAD.sg | at least one HEAD.sg | even one HEAD.sg | even a single HEAD.sg
SOME.pl   : HEAD.pl | any HEAD.pl | some HEAD.pl | one or more HEAD.pl
SOME.ms   : HEAD.ms | any HEAD.ms | some HEAD.ms
NONE.sg   : !no HEAD.sg | !not any HEAD.sg | !not one HEAD.sg | !not even one HEAD.sg
          | !not a single HEAD.sg | !not even a single HEAD.sg
NONE.pl   : !no HEAD.pl | !not any HEAD.pl | !zero HEAD.pl
NONE.ms   : !no HEAD.ms | !not any HEAD.ms
ANY.sg    : any HEAD.sg | a single HEAD.sg | even one HEAD.sg | even a single HEAD.sg
ANY.pl    : any HEAD.pl
ANY.ms    : any HEAD.ms
BARE.sg   : a HEAD.sg
BARE.pl   : HEAD.pl
BARE.ms   : HEAD.ms
THING#    : SOME# | NONE#
OBJECT    : THING.sg | THING.pl | THING.ms
WANTED    : SOME.sg | SOME.pl | SOME.ms
UNSEEN    : ANY | BARE.sg | BARE.pl | BARE.ms
ANY       : ANY.sg | ANY.pl | ANY.ms

# Yes or no.
YESNO     : FRONT? ASKED | FRONT? WHETHER STATED
ASKED     : EXISTING.sg | EXISTING.pl | EXISTING.ms
          | can YOU SEE OBJECT PLACE? | do YOU SEE OBJECT PLACE?
          | does PIC SHOW OBJECT | does PIC have OBJECT in it
          | does PIC !not SHOW ANY | does PIC !fail to SHOW UNSEEN | does PIC !lack UNSEEN
          | is PIC SHOWING OBJECT | is PIC LACKING UNSEEN
          | is this A_PIC PORTRAYING | are BARE.pl ABSENT from PIC | is BARE.ms ABSENT from PIC
EXISTING# : BE# there THING# VISIBLE? PLACE?
          | BE# THING# VISIBLE PLACE? | BE# THING# PLACE
          | DO# THING# appear PLACE? | can THING# be PASSIVE PLACE?
ABSENT    : !absent | !missing
LACKING   : !without | !free of | !devoid of | !lacking | !lacking in
A_PIC     : a PICNOUN
PORTRAYING : of WANTED | with OBJECT | !without UNSEEN | that SHOWS OBJECT | showing OBJECT

WHETHER   : is it TRUE that | is it !FALSE that | would it be FAIR to say that
          | would it be !FALSE to say that
          | can YOU tell if | can YOU tell whether | can YOU say whether | can YOU confirm that | would YOU say that
FAIR      : true | right | correct
TRUE      : FAIR | the case | a fact
FALSE     : false | untrue | wrong | incorrect
STATED    : STATING.sg | STATING.pl | STATING.ms | BARE.pl are ABSENT from PIC | BARE.ms is ABSENT from PIC
          | PIC SHOWS OBJECT | PIC has OBJECT in it | PIC !lacks UNSEEN
          | PIC does NOT SHOW UNSEEN | PIC !fails to SHOW UNSEEN | PIC is LACKING UNSEEN
          | YOU can SEE OBJECT PLACE? | YOU can NOT SEE UNSEEN PLACE?
          | there is !nothing PLACE that is a NOUN.sg | !nothing PLACE is a NOUN.sg
NOT       : !not | !n't
STATING#  : there BE# THING# VISIBLE? PLACE? | there BE# NOT ANY# VISIBLE? PLACE?
          | there BE# NOT BARE# VISIBLE? PLACE? | IN PIC there BE# THING# | IN PIC , there BE# THING#
          | THING# BE# VISIBLE PLACE? | THING# BE# PLACE | THING# APPEAR# PLACE? | THING# can be PASSIVE PLACE?

# Is there one of each? What follows the last of two names could belong to both, so nothing does.
BOTH      : FRONT? BE.sg there both? a NOUN.sg OTHER PLACE? | FRONT? BE.pl there both? NOUN.pl OTHER PLACE?
          | FRONT? BE.ms there both? NOUN.ms OTHER PLACE?
          | FRONT? can YOU SEE EACH PLACE? | FRONT? do YOU SEE EACH PLACE?
          | FRONT? does PIC SHOW EACH | FRONT? does PIC have EACH in it
EACH      : both? ONE_OF OTHER
OTHER     : and ONE_OF
ONE_OF    : a NOUN.sg | NOUN.pl | NOUN.ms

# How many.
COUNT     : FRONT? how many COUNTED TOTAL? BEING TAIL?
          | FRONT? HOWMANY BEING TOTAL PLACE? | FRONT? HOWMANY BEING PLACE? TOTAL
          | FRONT? what TOTALLED? number of COUNTED BEING TAIL?
          | FRONT? WHATIS the TOTALLED? NUMBER of OF_WHAT SUCH? TAIL?
          | FRONT? WHATIS the SUM of SUMMED TAIL? | FRONT? WHATIS SUMMED TAIL?
          | FRONT? counting LISTED TOTAL? , how many are there TAIL?
          | FRONT? if YOU count LISTED TOTAL? , RESULT
          | how many things PLACE? are OPTIONS | how many objects PLACE? are OPTIONS
          | FRONT? how many things are there that are OPTIONS
COUNTED   : HEAD.pl | PLAIN
OF_WHAT   : COUNTED | both NOUN.pl and NOUN.pl
LISTED    : OF_WHAT | THE_ALL
PLAIN     : NOUN.pl AND NOUN.pl | TRAILED.pl AND TRAILED.pl | NOUN.pl , MORE
MORE      : NOUN.pl , MORE | NOUN.pl ,? AND NOUN.pl
AND       : and | plus | as well as | together with
THE_ALL   : the NOUN.pl and the NOUN.pl | all NOUN.pl and all NOUN.pl | all the NOUN.pl and all the NOUN.pl
          | the NOUN.pl and NOUN.pl
BEING     : are there | are VISIBLE | are PLACE | appear | can YOU SEE | do YOU SEE | can be PASSIVE | does PIC SHOW
          | does PIC have in it | are there to be seen
TAIL      : PLACE | TOTAL | , TOTAL | PLACE ,? TOTAL | TOTAL PLACE
HOWMANY   : how many NOUN.pl and how many NOUN.pl | how many NOUN.pl plus how many NOUN.pl
WHATIS    : what is | what 's
TOTALLED  : total | combined | overall | joint | exact
NUMBER    : number | count | tally
SUM       : sum | total
SUMMED    : the NUMBER of NOUN.pl ADDED the NUMBER of NOUN.pl | the numbers of NOUN.pl and NOUN.pl
ADDED     : and | plus | added to
SUCH      : VISIBLE | that are VISIBLE | that YOU can SEE | YOU can SEE | that PIC SHOWS | that appear | that there are
RESULT    : how many are there TAIL? | how many do YOU get TAIL? | what total do YOU get | what is the total TAIL?
OPTIONS   : either NOUN.pl or NOUN.pl | NOUN.pl or NOUN.pl
"""


def _rules(text: str) -> Rules:
    rules: dict[str, tuple[Way, ...]] = {}
    name = ""
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        head, _, ways = ("", "", line) if line.startswith(" ") else line.partition(":")
        name = head.strip() or name
        for number in NUMBERS if "#" in name else ("",):
            whole = name.replace("#", number)
            added = tuple(tuple(way.split()) for way in ways.replace("#", number).split("|") if way.strip())
            rules[whole] = (*rules.get(whole, ()), *added)
    return MappingProxyType(rules)


RULES = _rules(_RULES)
"""Every way to rewrite each symbol."""


def _beginnings(symbol: str) -> frozenset[str] | None:
    if symbol.startswith(("NOUN.", "TRAILED.")):
        return None
    if symbol not in RULES:
        return frozenset({"a", "an"} if symbol == "a" else {symbol})
    beginnings: set[str] = set()
    for way in RULES[symbol]:
        for part in way:
            words = _beginnings(part.strip("!?"))
            if words is None:
                return None
            beginnings |= words
            if not part.endswith("?"):
                break
    return frozenset(beginnings)


BEGINNINGS = MappingProxyType({symbol: _beginnings(symbol) for symbol in RULES})
"""The words that each symbol can begin with; nothing where those of the lexicon are among them."""
