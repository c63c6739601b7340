"""Words that annotators of photos use, picked for what is hard to word: no plural, odd articles, verbs, stuff."""

from __future__ import annotations

from tests.reader.lexicon import Lexicon


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


COUNTED = _listed(
    "man,woman,boy,girl,child,tennis player,baby,dog,cat,horse,sheep,deer,goose,mouse,elephant,umbrella,apple,orange,"
    "onion,egg,oven,airplane,engine,igloo,hour hand,uniform,unicycle,utensil,x-ray,suv,tv,mp3 player,rv,knife,loaf,"
    "wolf,calf,shelf,hoof,tooth,foot,bus,box,dish,brush,church,dress,potato,tomato,photo frame,zebra,key,toy,"
    "berry,city,bench,bus stop,hot dog,teddy bear,wine glass,wii controller,t-shirt,slice of pizza,glass of water,"
    "bunch of bananas,fire hydrant,stop sign,computer mouse,table,chair,window,building,bag,plate,house,sidewalk,floor,"
    "aircraft,fireman,snowman,human,policeman,skateboard,bicycle,leash,scarf,bracelet,hat,jacket,road,fence,wall,towel"
)
MASS = _listed(
    "water,grass,snow,sand,hair,broccoli,rice,bread,cheese,soup,furniture,luggage,graffiti,traffic,food,fruit,clothing,"
    "ice,mud,foliage,ocean water,facial hair,whipped cream,toilet paper"
)
PLURAL = _listed(
    "people,trees,leaves,flowers,clouds,pants,scissors,skis,jeans,shorts,glasses,sunglasses,goggles,headphones,clothes,"
    "stairs,cattle,police,lights,shoes,swim trunks,french fries"
)
PEOPLE = frozenset(_listed("person,man,woman,boy,girl,child,tennis player,baby,people,fireman,policeman,human,police"))

COLOURS = _listed("red,orange,yellow,green,blue,white,black,gray,tan,light blue,dark blue,dark brown,black and white")
MATERIALS = {"wood": "wood", "metal": "metal", "plastic": "plastic", "leather": "leather", "brick": "brick"}
SHAPES = _listed("round,square,oval,rectangular,octagonal")
PATTERNS = _listed("striped,spotted,plaid,checkered,floral")
STATES = _listed(
    "open,closed,empty,full,clean,dirty,wet,dry,old,young,unripe,ornate,upside down,asleep,in the air,cut,sliced,"
    "snow-covered,bushy,shiny,hairy,unlit,overcast,wrinkled"
)
ACTIONS = _listed("standing,sitting,walking,lying down,running,jumping,eating,grazing,playing tennis,talking,smiling")
SPORTS = _listed("skiing,surfing,skateboarding,snowboarding,playing tennis")

AFTER = frozenset(("upside down", "asleep", "in the air", "lying down", "playing tennis"))
"""Attributes that do not stand before a name."""

_PLAIN = {
    word: word for word in (*COLOURS, *SHAPES, *PATTERNS, *STATES, *ACTIONS, *SPORTS) if word != "stainless steel"
}
_MADE = {f"made of {word}": word for word in (*MATERIALS, "stainless steel")}
_BEFORE = {word: word for word in _PLAIN if word not in AFTER}

PREDICATES = {
    "on": "on",
    "in": "in",
    "near": "near",
    "by": "by",
    "behind": "behind",
    "in front of": "in front of",
    "on top of": "on top of",
    "next to": "next to",
    "to the left of": "to the left of",
    "left of": "to the left of",
    "right of": "to the right of",
    "sitting on": "sitting on",
    "sits on": "sitting on",
    "standing in": "standing in",
    "laying on": "lying on",
    "hanging from": "hanging from",
    "is wearing a": "wearing",
    "wears": "wearing",
    "wearing": "wearing",
    "holding": "holding",
    "holds": "holding",
    "carrying": "carrying",
    "riding": "riding",
    "are on": "on",
    "has": "with",
    "with": "with",
    "have": "with",
    "covered in": "covered in",
    "covered by": "covered by",
    "made of": "made of",
    "full of": "full of",
    "looking at": "looking at",
    "eating": "eating",
    "pulling": "pulling",
    "attached to": "attached to",
    "parked on": "parked on",
    "inside of": "inside",
    "front of": "in front of",
}
"""Relationships as annotators write them, with how they are said after a noun."""

LEXICON = Lexicon(
    names=frozenset((*COUNTED, "person")),
    mass=frozenset(MASS),
    pairs=frozenset(PLURAL),
    people=PEOPLE,
    attributes=frozenset((*_PLAIN, "baby", "on", "off", *MATERIALS, "stainless steel")),
    before={
        **_BEFORE,
        **{word: word for word in (*MATERIALS, "stainless steel", "baby")},
        "switched-on": "on",
        "switched-off": "off",
    },
    after_is={**_PLAIN, **_MADE, "a baby": "baby", "turned on": "on", "turned off": "off"},
    after_are={**_PLAIN, **_MADE, "babies": "baby", "turned on": "on", "turned off": "off"},
    actions=frozenset((*ACTIONS, *SPORTS)),
    after=AFTER,
    stuffs={word: word for word in MATERIALS},
    kinds={
        "color": frozenset(COLOURS),
        "material": frozenset(MATERIALS),
        "shape": frozenset(SHAPES),
        "pattern": frozenset(PATTERNS),
        "age": frozenset({"old", "young"}),
        "pose": frozenset({"standing", "sitting", "walking", "running", "jumping", "lying down"}),
        "activity": frozenset(ACTIONS),
        "sport": frozenset(SPORTS),
    },
    categories=(frozenset({"open", "closed"}), frozenset({"empty", "full"}), frozenset({"wet", "dry"})),
    links={words: words for words in PREDICATES.values()},
    of_stuff=frozenset({"made of", "covered in", "full of"}),
)
