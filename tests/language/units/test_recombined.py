"""Units put together to sentences that a person would write."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.language.units import DescriptionUnit, recombine, units_of, without_unit
from tests.rows import each_row

# "object: property", "+" before what is plural; the sentences are written by hand.
SENTENCES = [
    ("man: is walking | dog: is asleep", "A man is walking and a dog is asleep."),
    ("man: walking", "A man is walking."),
    ("+men: walking", "Men are walking."),
    ("man:", "There is a man."),
    ("+men:", "There are men."),
    ("man: | dog: | +cats:", "There is a man, a dog and cats."),
    ("+cats: | man:", "There are cats and a man."),
    ("man: | cat: | dog: barks", "There is a man and a cat, and a dog barks."),
    ("man: | dog: barks", "There is a man and a dog barks."),
    ("man: sings | dog: barks | cat: sleeps", "A man sings, a dog barks and a cat sleeps."),
    # number
    ("bride: walk down the aisle", "A bride walks down the aisle."),
    ("bride: walk down the aisle | groom: walk down the aisle", "A bride and a groom walk down the aisle."),
    ("girl: are holding hands", "A girl is holding hands."),
    ("+girls: is laughing", "Girls are laughing."),
    ("girl: have candles and carry flags", "A girl has candles and carries flags."),
    ("+girls: has a candle", "Girls have a candle."),
    ("girl: were running", "A girl was running."),
    ("girl: can dance", "A girl can dance."),
    ("girl: ran", "A girl ran."),
    ("girl: tries to stand and catches a ball", "A girl tries to stand and catches a ball."),
    ("girl: do not dance", "A girl does not dance."),
    ("group of girls: dances", "A group of girls dances."),
    ("+group of girls: dance", "A group of girls dances."),
    ("one of the girls: dances", "One of the girls dances."),
    # what comes before the verb
    ("man: in a hat is asleep", "A man in a hat is asleep."),
    ("+men: in hats walks", "Men in hats walk."),
    ("man: who is tall sings", "A man who is tall sings."),
    ("dog: that is running", "A dog is running."),
    ("dog: that the man holds", "There is a dog that the man holds."),
    ("man: dressed as a clown is singing", "A man dressed as a clown is singing."),
    ("couple: holding hands walks away", "A couple holding hands walks away."),
    ("+girls: are waiting | boy: is waiting", "Girls and a boy are waiting."),
    ("man: waiting because he is late", "A man is waiting because he is late."),
    ("man: walking as he sings", "A man is walking as he sings."),
    ("woman: helping a boy read a book", "A woman is helping a boy read a book."),
    ("boy: read a book", "A boy reads a book."),
    ("Sandy: wearing her coat, went home", "Sandy, wearing her coat, went home."),
    # what lacks a verb
    ("boy: on a bike", "A boy is on a bike."),
    ("boy: asleep", "A boy is asleep."),
    ("boy: outside", "A boy is outside."),
    ("boy: about to kick", "A boy is about to kick."),
    ("boy: covered in mud", "A boy is covered in mud."),
    ("boy: being kind", "A boy is being kind."),
    ("boy: a musician", "A boy is a musician."),
    ("boy: with glasses", "There is a boy with glasses."),
    ("boy: with a frisbee | girl: with a frisbee", "There is a boy and a girl with a frisbee."),
    ("card: to buy", "There is a card to buy."),
    ("wheel: of a car", "There is a wheel of a car."),
    ("cat: 's sleeping", "A cat is sleeping."),
    ("+cats: 're sleeping", "Cats are sleeping."),
    # articles
    ("old man: sings", "An old man sings."),
    ("hour hand: moves", "An hour hand moves."),
    ("uniform: hangs", "A uniform hangs."),
    ("wood: is visible", "Wood is visible."),
    ("live music: is being played", "Live music is being played."),
    ("+scissors:", "There are scissors."),
    ("sky: is blue", "The sky is blue."),
    ("sky:", "There is a sky."),
    ("water:", "There is water."),
    ("+three dogs: bark", "Three dogs bark."),
    ("tallest boy: sings", "The tallest boy sings."),
    ("first boy: sings", "The first boy sings."),
    ("man's dog: barks", "A man's dog barks."),
    ("woman's hair: blows", "A woman's hair blows."),
    ("cup of tea: steams", "A cup of tea steams."),
    ("Asian girl: sings", "An Asian girl sings."),
    ("Old man: sings", "An old man sings."),
    ("+three woman: sing", "Three women sing."),
    ("+sheep: graze", "Sheep graze."),
    # pronouns and names
    ("she: is wearing jewelry", "She is wearing jewelry."),
    ("she:", "She is there."),
    ("him: cry", "He cries."),
    ("+They: are running", "They are running."),
    ("+they:", "They are there."),
    ("someone:", "There is someone."),
    ("Someone: yells", "Someone yells."),
    ("John: are married | Mary: are married", "John and Mary are married."),
    ("another: sings", "Another sings."),
    ("+Several: sings", "Several sing."),
    # nothing is said twice
    ("girl: throws a ball | ball:", "A girl throws a ball."),
    ("ball: | girl: throws a ball", "A girl throws a ball."),
    ("woman: helping a boy read a book | boy: read a book | book:", "A woman is helping a boy read a book."),
    ("girl: throws a football | ball:", "A girl throws a football and there is a ball."),
    ("bowl: | bowl:", "There is a bowl and another bowl."),
    ("", ""),
]


@each_row(("units", "sentence"), SENTENCES)
def test_sentences(units: str, sentence: str) -> None:
    assert recombine(_units(units)) == sentence


def _units(text: str) -> list[DescriptionUnit]:
    rows = (row.partition(":") for row in text.split(" | ") if row)
    return [
        DescriptionUnit(object=name.removeprefix("+"), property=said.strip(), is_plural=name.startswith("+"))
        for name, _, said in rows
    ]


# What is left of a hypothesis when one of its objects is erased.

# Sentence, the object that is erased, and what is left, "|" between units; worked out by hand.
LEFT = [
    # the paper's example
    ("the man is aiming his rifle at something", "rifle", "man:"),
    # another object's property stays
    ("A girl is reading and a boy is asleep.", "boy", "girl: is reading"),
    ("A man and a woman are cooking.", "man", "woman: are cooking"),
    # plural, compound, kind, what it is a kind of, the same word in a verb
    ("A dog chases two dogs.", "dog", "dogs:"),
    ("A boy kicks a soccer ball.", "soccer ball", "boy:"),
    ("A girl watches birds as a parrot talks.", "parrot", "girl: | birds:"),
    ("A girl pets a poodle and a dog barks.", "dog", "girl: | poodle:"),
    ("A girl sits in a vehicle and a car is parked.", "car", "girl: | vehicle:"),
    ("A girl is skateboarding on a skateboard.", "skateboard", "girl:"),
    # people by other words
    ("A clerk talks to someone while a man waits.", "man", "clerk: | someone:"),
    ("A skier passes a man.", "skier", "man:"),
    ("A girl looks at a person as a boy dives.", "boy", "girl: | person:"),
    ("A girl looks at a woman as a man dives.", "man", "girl: looks at a woman | woman:"),
    ("A boy looks at an adult as a girl dives.", "girl", "boy: looks at an adult | adult:"),
    # pronouns
    ("A woman walks a dog and a boy plays with it.", "dog", "woman: | boy:"),
    ("A man feeds a parrot as a girl watches him.", "man", "parrot: | girl:"),
    ("A man feeds his parrot as a girl watches.", "girl", "man: feeds his parrot | parrot:"),
    ("A boy watches as a man feeds his parrot.", "boy", "man: | parrot:"),
    ("A girl watches as a man feeds his parrot.", "girl", "man: feeds his parrot | parrot:"),
    ("A man holds a baby while it cries.", "baby", "man:"),
    ("A man looks at himself as a boy laughs.", "boy", "man: looks at himself"),
    ("Two cats sit and a dog watches them.", "cats", "dog:"),
    # what takes two
    ("A man and a woman are hugging.", "man", "woman:"),
    ("A cat and a dog play with each other.", "cat", "dog:"),
    ("A cat and a dog sleep together.", "dog", "cat:"),
    ("A man and a woman are friends.", "man", "woman:"),
    ("Two men hug and a dog barks.", "dog", "men: hug"),
    ("A man and a woman are a couple.", "man", "woman:"),
    # what is sought, meant, pictured or denied goes with the words that say so
    ("A nun is waiting for the bus.", "nun", ""),
    ("A nun and a boy are waiting for the bus.", "nun", "boy: are waiting for the bus | bus:"),
    ("A nun waits for a bus near a tree.", "nun", "tree:"),
    ("A nun waits for a bus near a tree.", "tree", "nun:"),
    ("A nun is looking for her parrot and holding a cage.", "nun", "cage:"),
    ("A nun wants a parrot.", "nun", ""),
    ("A nun dreams of a horse by a tree.", "nun", ""),
    ("A nun tries to catch a parrot.", "nun", ""),
    ("A nun tries to catch the parrot.", "nun", "parrot:"),
    ("A nun might ride a horse.", "nun", ""),
    ("A nun does a trick on a horse.", "nun", "horse:"),
    ("A nun holds a doll or a ball.", "nun", ""),
    ("A nun barks like a dog.", "nun", ""),
    ("A nun reads about a dog.", "nun", ""),
    ("A nun goes to a store.", "nun", ""),
    ("A nun rides a horse instead of a camel.", "nun", "horse:"),
    ("A nun paints a dog.", "nun", ""),
    ("A nun holds a picture of a dog.", "nun", "picture:"),
    ("A nun takes a picture of a dog.", "nun", "dog:"),
    ("A statue of a lion is near a tree.", "statue", "tree:"),
    ("The TV shows a dog chasing a rabbit.", "TV", ""),
    ("A nun seeks a dog and a dog barks.", "nun", "dog: barks"),
    # whose and of what
    ("One of the men sings and a dog barks.", "dog", "One of the men: sings"),
]


@each_row(("sentence", "erased", "left"), LEFT)
def test_what_is_left(sentence: str, erased: str, left: str) -> None:
    units = units_of(sentence)
    place = [unit.object for unit in units].index(erased)
    kept = without_unit(units, place)
    assert " | ".join(f"{unit.object}: {unit.property}".strip() for unit in kept) == left


def test_what_is_part_of_the_erased_goes_with_it() -> None:
    units = (
        DescriptionUnit(object="men", is_plural=True),
        DescriptionUnit(object="one of the men", property="sings"),
        DescriptionUnit(object="dog"),
    )
    assert [unit.object for unit in without_unit(units, 0)] == ["dog"]


def test_the_owner_is_left_out_of_a_name() -> None:
    units = (
        DescriptionUnit(object="man"),
        DescriptionUnit(object="man's hat"),
        DescriptionUnit(object="photo of a man"),
    )
    assert [unit.object for unit in without_unit(units, 0)] == ["hat", "photo"]


def test_the_units_given_are_left_as_they_are() -> None:
    units = units_of("A girl holds a doll.")
    without_unit(units, 1)
    assert units == units_of("A girl holds a doll.")


# Whatever stands in a line, taking it apart and putting it together again goes well.

_WORDS = (
    "a", "an", "the", "two", "one", "some", "no", "his", "her", "man", "men", "dog", "dogs", "woman", "people",
    "boy", "and", "or", "of", "in", "on", "with", "to", "who", "that", "while", "as", "is", "are", "was", "be",
    "being", "been", "not", "can", "there", "it", "they", "running", "run", "runs", "walk", "walks", "dressed",
    "holding", "old", "red", "quickly", "outside", "rock", "group", "couple", "by", "each", "other", "both", ",",
    ".", "'s", "n't", "-", "(", ")", "12", "sand", "wave", "waves", "swimming", "pool", "like", "what", "another",
)  # fmt: skip
_SENTENCES = st.lists(st.sampled_from(_WORDS), max_size=16).map(" ".join)


@given(_SENTENCES)
def test_objects_and_properties_are_words_of_the_sentence(sentence: str) -> None:
    words = sentence.replace(" 's", "'s")
    for unit in units_of(words):
        assert unit.object
        # "Two" of "two's" is a word, too.
        known = {*words.split(), *sentence.split()}
        assert f" {unit.object} " in f" {' '.join(words.split())} " or set(unit.object.split()) <= known


@given(_SENTENCES)
def test_each_part_makes_a_sentence(sentence: str) -> None:
    units = units_of(sentence)
    for place in range(len(units)):
        left = without_unit(units, place)
        assert len(left) < len(units)
        assert {unit.object for unit in left} <= {unit.object for unit in units} | {
            unit.object.partition(" of ")[0] for unit in units
        } | {unit.object.rpartition("'s ")[2] for unit in units}
        text = recombine(left)
        assert (text == "") == (not left)
        assert not text or (text[0] == text[0].upper() and text.endswith("."))


@given(st.text(max_size=60))
def test_no_text_is_too_strange(text: str) -> None:
    recombine(units_of(text))


@each_row("word", ["running", "of a", "one of", "a", "and", "who is", "the man's", "black and", "with a dog", ","])
def test_long_lines_are_no_harm(word: str) -> None:
    units = units_of(f"{word} " * (2000 // (len(word) + 1)))
    recombine(units[:50])
