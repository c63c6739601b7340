"""The words that the tests fill questions with: the picture world's and COCO's names, and attributes by kind."""

from __future__ import annotations

from tests.reader.lexicon import Lexicon


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


PICTURE_WORLD = _listed(
    "apple,banana,pear,carrot,cake,pizza,sandwich,strawberry,car,bus,truck,bicycle,boat,airplane,train,chair,table,bed,"
    "couch,shelf,lamp,cup,bottle,bowl,book,box,clock,vase,bucket,laptop,television,key,candle,ball,balloon,kite,"
    "teddy bear,robot,drum,tree,flower,cactus,bush,shirt,dress,hat,bag,shoe,umbrella,man,woman,boy,girl,dog,cat,horse,"
    "cow,sheep,pig,bird,rabbit,elephant,duck,giraffe,turtle,butterfly"
)

COCO = _listed(
    "person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,stop sign,parking meter,"
    "bench,bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,backpack,umbrella,handbag,tie,suitcase,frisbee,"
    "snowboard,sports ball,kite,baseball bat,baseball glove,skateboard,surfboard,tennis racket,bottle,wine glass,cup,"
    "fork,knife,spoon,bowl,banana,apple,sandwich,orange,carrot,hot dog,pizza,donut,cake,chair,couch,potted plant,bed,"
    "dining table,toilet,tv,laptop,mouse,remote,keyboard,cell phone,microwave,oven,toaster,sink,refrigerator,book,"
    "clock,vase,teddy bear,hair drier,toothbrush"
)
"""COCO's 80 classes without those that are not counted: broccoli, scissors and skis."""

NAMES = tuple(dict.fromkeys(PICTURE_WORLD + COCO))

COLOURS = _listed("red,orange,yellow,green,blue,purple,pink,brown,black,white,gray")
PATTERNS = ("plain", "striped", "dotted", "checked")
STATES = _listed("open,closed,full,empty,clean,dirty,tall,short,large,small")
POSES = ("standing", "sitting", "walking", "running", "jumping", "lying", "flying")
ACTIONS = (*POSES, "waving")
KINDS = (COLOURS, PATTERNS, STATES, ACTIONS)
"""A thing has at most one attribute of each kind."""

CLASSES = _listed(
    "person,animal,insect,vegetable,vehicle,aircraft,container,toy,plant,dessert,drink,appliance,electronic device,"
    "musical instrument,tool,utensil,building"
)
STUFF = _listed(
    "broccoli,furniture,food,fruit,clothing,footwear,headwear,jewelry,luggage,cutlery,sports equipment,asparagus,"
    "lettuce,celery,spinach"
)

NOT_DRAWN = _listed(
    "parrot,owl,penguin,ostrich,flamingo,swan,pigeon,bee,ladybug,dragonfly,lion,monkey,potato,onion,cucumber,tomato,grape,"
    "lemon,cherry,pineapple,watermelon,cookie,pie,helicopter,scarf,sock,skirt,jacket,boot,sandal,sneaker,bookshelf,desk,"
    "dresser,printer,television,blender,stove,dishwasher,guitar,piano,violin,trumpet,flute,doll,puzzle,yo-yo,basket,rose,"
    "tulip,sunflower,daisy"
)
"""Names that neither the picture world nor COCO has, and that stand beside theirs in a choice."""

_SAID = {attribute: attribute for kind in KINDS for attribute in kind}

LEXICON = Lexicon(
    names=frozenset((*NAMES, *CLASSES, *NOT_DRAWN)),
    attributes=frozenset(_SAID),
    before={**_SAID, "switched-on": "on", "switched-off": "off"},
    after_is={**_SAID, "on": "on", "off": "off", "turned on": "on", "turned off": "off"},
    after_are={**_SAID, "on": "on", "off": "off", "turned on": "on", "turned off": "off"},
    mass=frozenset(STUFF),
    pairs=frozenset({"scissors", "skis", "pants", "shorts"}),
    people=frozenset(_listed("person,man,woman,boy,girl")),
    actions=frozenset(ACTIONS),
    kinds={
        "color": frozenset(COLOURS),
        "pattern": frozenset(PATTERNS),
        "size": frozenset({"large", "small"}),
        "height": frozenset({"tall", "short"}),
        "pose": frozenset(POSES),
        "position": frozenset(POSES),
        "activity": frozenset(ACTIONS),
        "action": frozenset(ACTIONS),
    },
    categories=tuple(map(frozenset, (("open", "closed"), ("full", "empty"), ("clean", "dirty"), ("on", "off")))),
    links={
        words: words
        for words in ("on", "under", "near", "holding", "wearing", "to the left of", "to the right of", "in", "with")
    },
)
