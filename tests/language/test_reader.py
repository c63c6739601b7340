"""The reader of questions, on sentences written by hand."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.meaning import (
    Absent,
    Both,
    Count,
    Exists,
    Group,
    Meaning,
)
from tests.reader.questions import Unreadable, read
from tests.reader.vocabulary import LEXICON
from tests.rows import each_row


def of(name: str, *attributes: str) -> Group:
    """The things of a name that have the attributes."""
    return Group(name=name, attributes=attributes)


CARS_AND_DOGS = Count(groups=(of("car", "red"), of("dog")))
CATS_AND_DOGS = Count(groups=(of("cat"), of("dog")))
DOG = Exists(group=of("dog"))
NO_DOG = Absent(group=of("dog"))
CAT_AND_DOG = Both(groups=(of("cat"), of("dog")))
READ: dict[str, Meaning] = {
    # How many of one group.
    "How many dogs are there?": Count(groups=(of("dog"),)),
    "How many people are there in this picture?": Count(groups=(of("person"),)),
    "How many sheep can you see?": Count(groups=(of("sheep"),)),
    "What is the number of knives in the photo?": Count(groups=(of("knife"),)),
    "What's the total number of mice?": Count(groups=(of("mouse"),)),
    "How many tall women does the image show?": Count(groups=(of("woman", "tall"),)),
    "How many people running are there?": Count(groups=(of("person", "running"),)),
    "How many boxes that are open are visible in the scene?": Count(groups=(of("box", "open"),)),
    "In this photo, how many orange oranges are there?": Count(groups=(of("orange", "orange"),)),
    "How many buses can be seen here?": Count(groups=(of("bus"),)),
    "How many hot dogs do you see?": Count(groups=(of("hot dog"),)),
    # How many of several.
    "What is the total number of red cars and dogs in the picture?": CARS_AND_DOGS,
    "How many red cars and how many dogs are there in total?": CARS_AND_DOGS,
    "What is the number of red cars plus the number of dogs?": CARS_AND_DOGS,
    "Counting both red cars and dogs, how many are there in the image?": CARS_AND_DOGS,
    "How many things in the picture are either red cars or dogs?": CARS_AND_DOGS,
    "How many cats and dogs are there altogether?": CATS_AND_DOGS,
    "How many cats and dogs in total are shown in this image?": CATS_AND_DOGS,
    "If you count the cats and the dogs together, how many do you get?": CATS_AND_DOGS,
    "What is the combined count of cats and dogs that the picture shows?": CATS_AND_DOGS,
    "What is the sum of the number of cats and the number of dogs?": CATS_AND_DOGS,
    "How many dogs and cats are there?": Count(groups=(of("dog"), of("cat"))),
    "How many standing giraffes and lying giraffes are there?": Count(
        groups=(of("giraffe", "standing"), of("giraffe", "lying"))
    ),
    "How many men standing and women sitting are there?": Count(groups=(of("man", "standing"), of("woman", "sitting"))),
    "How many shelves, couches and beds are there in total?": Count(groups=(of("shelf"), of("couch"), of("bed"))),
    "How many cacti, bushes, and trees does this photo show?": Count(groups=(of("cactus"), of("bush"), of("tree"))),
    # Is there one?
    "Is there a brown teddy bear in this image?": Exists(group=of("teddy bear", "brown")),
    "Is there any dog?": DOG,
    "Are there any dogs?": DOG,
    "Are there dogs in the picture?": DOG,
    "Is there at least one dog?": DOG,
    "Does the picture show a dog?": DOG,
    "Does this image contain any dogs?": DOG,
    "Does the photo have a dog in it?": DOG,
    "Can you see dogs anywhere in the picture?": DOG,
    "Do you see any dogs here?": DOG,
    "Is a dog visible in the picture?": DOG,
    "Are any dogs to be seen?": DOG,
    "Can any dogs be seen in the scene?": DOG,
    "Do any dogs appear in the photo?": DOG,
    "Does a dog appear in the photo?": DOG,
    "Is it true that there is a dog in the picture?": DOG,
    "Is it true that the picture shows at least one dog?": DOG,
    "Is this a picture with dogs?": DOG,
    "Is there an open umbrella?": Exists(group=of("umbrella", "open")),
    "Is there an elephant?": Exists(group=of("elephant")),
    "Is there a striped orange cat?": Exists(group=of("cat", "striped", "orange")),
    "Is there a man who is waving?": Exists(group=of("man", "waving")),
    "Is there a TV?": Exists(group=of("tv")),
    "Are there any TVs in the scene?": Exists(group=of("tv")),
    "Is there any broccoli?": Exists(group=of("broccoli")),
    "Are there scissors in the picture?": Exists(group=of("scissors")),
    # Is there none?
    "Is there no dog?": NO_DOG,
    "Are there no dogs in the image?": NO_DOG,
    "Are there not any dogs?": NO_DOG,
    "Is there not a single dog in the picture?": NO_DOG,
    "Is it true that not one dog can be seen in the picture?": NO_DOG,
    "Is the picture without a single dog?": NO_DOG,
    "Does the picture show no dog?": NO_DOG,
    "Does the picture contain no dogs?": NO_DOG,
    "Does the picture not show any dogs?": NO_DOG,
    "Does the picture lack dogs?": NO_DOG,
    "Is the picture without any dogs?": NO_DOG,
    "Is the picture free of dogs?": NO_DOG,
    "Are dogs absent from the picture?": NO_DOG,
    "Is it true that there is no dog?": NO_DOG,
    "Is it true that there isn't a dog in the picture?": NO_DOG,
    "Is it true that there aren't any dogs?": NO_DOG,
    "Is it the case that no dogs are visible in the picture?": NO_DOG,
    "Is it true that you can't see any dogs in the picture?": NO_DOG,
    "Is it correct that nothing in the picture is a dog?": NO_DOG,
    "Is it false that there is a dog?": NO_DOG,
    "Is it false that there is no dog?": DOG,
    "Is there no broccoli?": Absent(group=of("broccoli")),
    # Is there one of each?
    "Is there a cat and a dog?": CAT_AND_DOG,
    "Are there cats and dogs in the image?": CAT_AND_DOG,
    "Does the picture show both a cat and a dog?": CAT_AND_DOG,
    "Can you see cats and dogs here?": CAT_AND_DOG,
    "Is there a dog and a cat?": Both(groups=(of("dog"), of("cat"))),
    "Does the photo have a red car and a teddy bear in it?": Both(groups=(of("car", "red"), of("teddy bear"))),
    "Is there a red car and a blue car?": Both(groups=(of("car", "red"), of("car", "blue"))),
    "Are there scissors and a cup in the picture?": Both(groups=(of("scissors"), of("cup"))),
    "Is there broccoli and a cup in the picture?": Both(groups=(of("broccoli"), of("cup"))),
    "Is there a cup and broccoli in the picture?": Both(groups=(of("cup"), of("broccoli"))),
}

REFUSED = {
    "a plural after 'is'": "Is there dogs?",
    "a plural with any after 'is'": "Is there any dogs?",
    "a plural with no after 'is'": "Is there no dogs?",
    "a singular after 'are'": "Are there a dog?",
    "a singular with no after 'are'": "Are there no dog?",
    "no article": "Is there dog?",
    "no article after a verb": "Does the picture show dog?",
    "the wrong verb for the picture": "Do the picture show a dog?",
    "the wrong verb for the number": "What are the number of dogs?",
    "a singular after 'many'": "How many dog are there?",
    "a singular second noun": "How many cats and dog are there?",
    "'is' with many": "How many dogs is there?",
    "'much' with things": "How much dogs are there?",
    "'a' before a vowel": "Is there a apple?",
    "'an' before a consonant": "Is there an dog?",
    "'a' before an attribute with a vowel": "Is there a orange dog?",
    "'an' for the noun's sake": "Is there an red apple?",
    "an article before a plural": "Does the picture show a dogs?",
    "an article before a mass noun": "Is there a broccoli?",
    "a plural of a mass noun": "Are there broccolis?",
    "two determiners": "Is there no any dog?",
    "two others": "Are there no any dogs?",
    "an article after 'no'": "Is there no a dog?",
    "two negators in one clause": "Is the picture without no dogs?",
    "two negators around the verb": "Is it true that there isn't no dog?",
    "a negated verb that expects yes": "Isn't there a dog?",
    "its plural": "Aren't there any dogs?",
    "a negated verb of showing": "Doesn't the picture show a dog?",
    "a negator with wide or narrow scope": "Is there not a dog?",
    "one or exactly one": "Is there one dog?",
    "a single one or exactly one": "Does the picture show a single dog?",
    "one of them absent or each": "Is a dog absent from the picture?",
    "some not or none": "Is it true that the picture does not show some dogs?",
    "a regular plural of an irregular noun": "How many mans are there?",
    "a regular plural of 'knife'": "How many knifes are there?",
    "a plural of 'sheep'": "How many sheeps are there?",
    "a plural without its e": "How many boxs are there?",
    "a plural with too many letters": "How many busses are there?",
    "a plural of the first word": "How many teddies bear are there?",
    "half a name": "Is there a teddy?",
    "an unknown name": "Is there a walrus?",
    "an unknown attribute": "Is there a walrusy dog?",
    "an attribute without a name": "Are there any red?",
    "an attribute twice": "Is there a red red dog?",
    "two attributes for one name": "How many red and blue cars are there?",
    "an ending for both names or for the last": "How many men and women running are there?",
    "no conjunction": "How many cats dogs are there?",
    "a comma for it": "How many cats, dogs are there?",
    "a list of one": "How many cats and are there?",
    "one group twice": "How many dogs and dogs are there?",
    "two questions": "How many cats are there, and how many dogs?",
    "two questions without a total": "How many cats and how many dogs are there?",
    "one article for two": "Is there a cat and dog?",
    "no article before the first of two": "Is there cat and a dog?",
    "a plural first after 'is'": "Is there cats and a dog?",
    "a singular first after 'are'": "Are there a cat and a dog?",
    "an article before a mass noun, second": "Is there a cup and a broccoli?",
    "one group twice, each": "Is there a dog and a dog?",
    "both of one": "Is there both a dog?",
    "an ending for both names of two or for the last": "Is there a man and a woman running?",
    "two names, of which one negated": "Is there a cat and no dog?",
    "two names, either": "Is there any cat and dog?",
    "a choice": "Is there a cat, or a dog?",
    "a word twice": "Are there there any dogs?",
    "the picture twice": "Does the picture show a dog in the image?",
    "the places in a row": "In this picture, are there any dogs in the picture?",
    "the total twice": "How many cats and dogs in total are there in total?",
    "doubt about the truth": "Is it not true that there is a dog?",
    "a word left over": "Are there any dogs in the picture today?",
    "a missing noun": "Is there a?",
    "a missing verb": "Any dogs in the picture?",
    "a missing 'there'": "Are any dogs?",
    "a statement's order": "There are any dogs?",
    "a statement": "There are dogs.",
    "no question mark": "Are there any dogs",
    "two question marks": "Are there any dogs??",
    "no capital": "are there any dogs?",
    "a capital inside": "Are there any Dogs?",
    "two spaces": "Are there  any dogs?",
    "a space before the mark": "Are there any dogs ?",
    "an unfilled slot": "Are there any {name}?",
    "nothing": "",
}


@each_row(("text", "meaning"), READ.items())
def test_a_question_is_read(text: str, meaning: Meaning) -> None:
    assert read(text, LEXICON) == meaning


@each_row("text", REFUSED.values())
def test_a_garbled_question_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="text="):
        read(text, LEXICON)
