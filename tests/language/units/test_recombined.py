"""Units put together to sentences that a person would write."""

from __future__ import annotations

from pytest_vqamt.language.units import DescriptionUnit, recombine
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
