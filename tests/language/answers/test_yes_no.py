"""Answers to yes/no questions as models write them, with what a person reads in each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.meaning import (
    Absent,
    Annotated,
    Both,
    Count,
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
)
from pytest_vqamt.language.answers.answer_text import Unreadable, UnreadableAnswer
from pytest_vqamt.language.answers.yes_no import read_yes_no
from pytest_vqamt.language.english.phrases import phrase, with_indefinite
from tests.rows import each_row

DOG, CAT = Group(name="dog"), Group(name="cat")
RED_CAR = Group(name="car", attributes=("red",))
RUNNING_MAN = Group(name="man", attributes=("running",))
ON_BED = Group(name="dog", related=(Related(predicate="on", to=Group(name="bed")),))
ANIMAL = Group(name="animal", covers=("animal", "dog", "cat"))
BEAR, TEDDY = Group(name="bear"), Group(name="teddy bear")
RED = Has(group=Group(name="car"), attribute="red")
PAIR = (DOG, CAT)

# What an answer says of whether there is a dog: the answer to "is there a dog?", and by logic to "is there no dog?".
SAID_OF_A_DOG = [
    ("There is a dog.", True), ("There's a dog", True), ("there are two dogs", True), ("There are 2 dogs.", True),
    ("2 dogs", True), ("I can see a dog on the couch.", True), ("A dog is sitting on the bench.", True),
    ("The dog is lying on the bed.", True), ("a dog", True), ("dog", True), ("a dog and a cat", True),
    ("Yes, there is a dog.", True), ("No, there is a dog.", True), ("I think there is a dog.", True),
    ("There appears to be a dog.", True), ("It looks like there is a dog.", True), ("This is a dog.", True),
    ("There is a man with a dog.", True), ("There is a picture of a dog.", True),
    ("The image features a man walking his dog on a beach.", True), ("There is a group of dogs", True),
    ("a lot of dogs", True), ("In the image, there are two dogs playing.", True),
    ("Dogs can be seen in the background.", True), ("A man and his dog", True), ("The man's dog is sitting", True),
    ("The picture shows dogs.", True), ("It contains a dog.", True), ("dogs are visible", True),
    ("There are no cats and a dog.", True), ("There is a small brown dog", True),
    ("There is a dog. There are no other dogs.", True), ("No, the dog is visible on the left.", True),
    ("Yes\u2014there\u2019s a dog.", True), ("There is a dog but no cat", True),
    ("<think>no dog?</think>There is a dog.", True), ("It is hard to tell, but there is a dog.", True),
    ("There is at least one dog.", True), ("Yes, there's a dog lying on the floor next to a cat.", True),
    ("There is no dog.", False), ("There are no dogs in the picture.", False),
    ("There isn't a dog in the image", False), ("There aren\u2019t any dogs.", False), ("No, there is no dog.", False),
    ("No dogs.", False), ("no dog", False), ("no dog in picture", False),
    ("I don't see any dogs.", False), ("No, I can't see a dog.", False), ("no there is no dog", False),
    ("There are no cats or dogs.", False), ("There are neither cats nor dogs", False),
    ("there is not a cat or a dog", False), ("No, the picture does not contain any dogs.", False),
    ("zero dogs", False), ("The picture is free of dogs.", False), ("The image is without any dogs", False),
    ("The photo is devoid of dogs.", False), ("Dogs are absent from the picture.", False),
    ("The image lacks a dog.", False), ("No dog is visible here.", False), ("no dogs are visible", False),
    ("The dogs are not visible.", False), ("Dogs aren't in the picture.", False),
    ("Dogs cannot be seen in the picture", False), ("I don't think there is a dog.", False), ("not a dog", False),
    ("It is not true that there is a dog.", False), ("There doesn't appear to be a dog in this image.", False),
    ("It doesn't look like there is a dog.", False), ("Based on the image, there is no dog visible.", False),
    ("I was not able to find any dogs.", False), ("I see a cat, not a dog.", False), ("It has no dogs in it", False),
    ("The picture includes a cat, but not a dog.", False), ("There is only a cat.", False),
    ("There are no visible dogs.", False), ("Unfortunately, I cannot see any dogs in the image.", False),
    ("I'm sorry, but there is no dog.", False), ("The answer is no, there is no dog.", False),
    ("No, there are no dogs. There is only a cat.", False),
    # without the noun
    ("There is.", True), ("Yes there is", True), ("There are two.", True), ("I see one.", True),
    ("They are present.", True), ("There isn't.", False), ("There is not", False), ("There are none.", False),
    ("none", False), ("None.", False), ("nothing", False), ("I see none", False), ("it is not visible", False),
    ("not visible", False), ("No, there isn't.", False), ("I believe there isn't any.", False),
    ("no there is not", False),
]  # fmt: skip

# Particles say yes or no to the question as it stands, be it "is there a dog?" or "is there no dog?".
PARTICLES = [
    ("yes", True), ("Yes.", True), ("YES", True), ("Yes!", True), ("yeah", True), ("Yep!", True), ("y", True),
    ("True", True), ("Correct.", True), ("Of course.", True), ("I think so", True), ("That is correct.", True),
    ("The answer is yes.", True), ("Answer: Yes", True), ("**Yes**", True), ("yes yes yes", True),
    ("## Answer\n\n- **Yes**\n\n---\n*Based on the image.*", True),
    ("likely yes", True), ("Well, yes", True), ("Yes, I can see that.", True), ("Yes, it is a sunny day.", True),
    ("Yes\nExplanation: the light is good.", True), ("no", False), ("No.", False), ("NO", False), ("nope", False),
    ("n", False), ("Not at all", False), ("false", False), ("I don't think so.", False),
    ("That is not correct.", False), ("I would say no.", False), ("Most likely no.", False),
    ("The answer is most probably yes. Ask me more!", True), ("Very likely yes.", True),
    ("No, there is a cat.", False), ("No, only cats.", False),
    ("No.\n\nThe image shows a cat sitting on a chair.", False), ("<think>there is a dog</think>No", False),
    ("no, there is a hot dog stand", False), ("incorrect", False), ("Not that I can see.", False),
]  # fmt: skip

SAYS_NEITHER = [
    ("The answer is not yes.", Unreadable.NO_YES_OR_NO),
    ("maybe", Unreadable.UNSURE), ("Possibly", Unreadable.UNSURE), ("2", Unreadable.NO_YES_OR_NO),
    ("red", Unreadable.NO_YES_OR_NO), ("There is a cat.", Unreadable.NO_YES_OR_NO),
    ("There is a hot dog.", Unreadable.NO_YES_OR_NO), ("dog bed", Unreadable.NO_YES_OR_NO),
    ("There is a chocolate dog.", Unreadable.NO_YES_OR_NO), ("I see a guide dog bed.", Unreadable.NO_YES_OR_NO),
    ("There is a statue of a dog.", Unreadable.NO_YES_OR_NO), ("There is a dog statue.", Unreadable.NO_YES_OR_NO),
    ("There is a dog-like animal", Unreadable.NO_YES_OR_NO), ("The dog is not red.", Unreadable.NO_YES_OR_NO),
    ("There is a man without a dog.", Unreadable.NO_YES_OR_NO),
    ("There is no man with a dog.", Unreadable.NO_YES_OR_NO),
    ("There are no dogs on the bed", Unreadable.NO_YES_OR_NO), ("The only animal is a cat.", Unreadable.NO_YES_OR_NO),
    ("a cat instead of a dog", Unreadable.NO_YES_OR_NO), ("There are no black dogs.", Unreadable.NO_YES_OR_NO),
    ("Yes and no.", Unreadable.YES_AND_NO), ("yes or no", Unreadable.YES_AND_NO), ("yes/no", Unreadable.YES_AND_NO),
    ("Yes. No.", Unreadable.YES_AND_NO), ("", Unreadable.EMPTY), ("<think>yes", Unreadable.CUT_OFF),
    ("I'm not sure if there is a dog.", Unreadable.UNSURE),
    ("It is unclear whether there is a dog.", Unreadable.UNSURE),
    ("I'm sorry, I can't help with that.", Unreadable.REFUSAL),
    ("I cannot tell whether there is a dog.", Unreadable.UNSURE), ("I cannot see the image.", Unreadable.SEES_NOTHING),
    ("As an AI language model, I cannot view images.", Unreadable.SEES_NOTHING), ("Hard to say.", Unreadable.UNSURE),
    ("unknown", Unreadable.UNSURE),
]  # fmt: skip

OTHERS: list[tuple[str, Meaning, bool | None]] = [
    # attributes: what is said must be about this very group
    ("There is a red car.", Exists(group=RED_CAR), True), ("There is a small red car", Exists(group=RED_CAR), True),
    ("The car is red", Exists(group=RED_CAR), True), ("There is a car that is red.", Exists(group=RED_CAR), True),
    ("There is a car.", Exists(group=RED_CAR), None), ("There is a blue car.", Exists(group=RED_CAR), None),
    ("No, there is a blue car.", Exists(group=RED_CAR), False),
    ("No, the car is not red.", Exists(group=RED_CAR), False), ("There are no cars.", Exists(group=RED_CAR), False),
    ("There are no red cars", Absent(group=RED_CAR), True), ("There is no blue car", Exists(group=RED_CAR), None),
    ("There is a car next to a red truck", Exists(group=RED_CAR), None),
    ("There is a man running on the beach.", Exists(group=RUNNING_MAN), True),
    ("The man is running.", Exists(group=RUNNING_MAN), True), ("There is a man.", Exists(group=RUNNING_MAN), None),
    ("There is no man running.", Absent(group=RUNNING_MAN), True),
    # relations
    ("There is a dog on the bed.", Exists(group=ON_BED), True), ("There is a dog.", Exists(group=ON_BED), None),
    ("There is no dog.", Exists(group=ON_BED), False), ("There is no dog on the bed", Exists(group=ON_BED), False),
    ("There is no dog on the couch", Exists(group=ON_BED), None), ("No dog on the bed", Absent(group=ON_BED), True),
    # hypernyms and compounds
    ("There is a dog", Exists(group=ANIMAL), True), ("There is no dog", Exists(group=ANIMAL), None),
    ("There are no animals", Exists(group=ANIMAL), False), ("I see two cats.", Absent(group=ANIMAL), False),
    ("There is a teddy bear.", Exists(group=BEAR), None), ("There is no teddy bear.", Exists(group=BEAR), None),
    ("There is a teddy bear.", Exists(group=TEDDY), True), ("There are no teddy bears.", Absent(group=TEDDY), True),
    # two groups
    ("yes", Both(groups=PAIR), True), ("There is a dog and a cat.", Both(groups=PAIR), True),
    ("both", Both(groups=PAIR), True), ("Both are present.", Both(groups=PAIR), True),
    ("There is only a dog.", Both(groups=PAIR), False), ("There is a dog but no cat.", Both(groups=PAIR), False),
    ("There is a dog.", Both(groups=PAIR), None), ("No, there is only a dog", Both(groups=PAIR), False),
    ("There is a dog but no cat.", Either(groups=PAIR), True), ("neither", Either(groups=PAIR), False),
    ("There are neither dogs nor cats in this picture.", Either(groups=PAIR), False),
    ("Yes, there is a cat", Either(groups=PAIR), True), ("There is no cat", Either(groups=PAIR), None),
    ("Neither.", Neither(groups=PAIR), True), ("There are no dogs and no cats.", Neither(groups=PAIR), True),
    ("No, just a cat.", Neither(groups=PAIR), False), ("There is a cat.", Neither(groups=PAIR), False),
    ("There is no dog.", NotBoth(groups=PAIR), True), ("Yes, there is no cat.", NotBoth(groups=PAIR), True),
    ("No, there is a dog and a cat.", NotBoth(groups=PAIR), False), ("no", NotBoth(groups=PAIR), False),
    # attributes of one thing
    ("yes", RED, True), ("The car is red.", RED, True), ("It's red.", RED, True), ("It is a red one", RED, True),
    ("red", RED, True), ("Yes, it is red and shiny", RED, True), ("There is a red car.", RED, True),
    ("It is.", RED, True), ("It's not red", RED, False), ("No, it is blue.", RED, False),
    ("It is blue, not red.", RED, False), ("not red", RED, False), ("No, it isn't.", RED, False),
    ("No, the car is next to a red truck.", RED, False), ("The truck is red, but the car is blue", RED, False),
    ("blue", RED, False), ("The car is blue and the bus is red.", RED, False), ("It is a bright red.", RED, True),
    # what is said of the thing beats the particle, but "yes" to what is denied is no answer
    ("Yes, there is no dog.", Exists(group=DOG), None), ("Yes, there is no dog.", Absent(group=DOG), True),
    ("Yes, the image lacks a dog.", Exists(group=DOG), None), ("Yes, it is not red.", RED, None),
    ("Yes, there's one on the left.", Absent(group=DOG), False),
    ("Yes, the man is holding a dog", Absent(group=DOG), False),
    ("No, the man is not running, he is standing", Absent(group=RUNNING_MAN), True),
    ("No, the man in the picture is not running", Exists(group=RUNNING_MAN), False),
    ("The car on the left is not red", Exists(group=RED_CAR), None),
    ("No, the image is not free of dogs", Exists(group=DOG), True),
    ("The picture is not without dogs", Absent(group=DOG), False),
    ("It is not true that there is no dog", Exists(group=DOG), True),
    ("There is none on the left", Exists(group=DOG), None),
    # agreement: what a bare "it is" says is taken logically, as a bare yes is
    ("It does.", Exists(group=DOG), True), ("It doesn't.", Exists(group=DOG), False),
    ("I do.", Exists(group=DOG), True), ("It is.", Absent(group=DOG), True), ("It doesn't.", Absent(group=DOG), False),
    ("Yes, it does not.", Absent(group=DOG), True),
    ("Yes, it is.", Absent(group=DOG), True), ("No, it is not free of dogs.", Absent(group=DOG), False),
    ("Dogs are not absent", Absent(group=DOG), None),
    # what repeats the question is no answer
    ("Is there a dog? Yes.", Exists(group=DOG), True), ("Is there no dog? No.", Absent(group=DOG), False),
    # other kinds of question know particles only
    ("Yes, there is.", Annotated(answers=(("yes", 1.0),)), True), ("There is a dog", Count(groups=(DOG,)), None),
]  # fmt: skip


def reading(text: str, meaning: Meaning) -> bool | None:
    value = read_yes_no(text, meaning)
    return None if isinstance(value, UnreadableAnswer) else value


@each_row(("text", "there"), SAID_OF_A_DOG)
def test_a_proposition_is_put_to_the_question(text: str, there: bool) -> None:
    assert reading(text, Exists(group=DOG)) is there
    assert reading(text, Absent(group=DOG)) is not there


@each_row(("text", "said"), PARTICLES)
def test_a_particle_is_taken_logically(text: str, said: bool) -> None:
    assert reading(text, Exists(group=DOG)) is said
    assert reading(text, Absent(group=DOG)) is said


@each_row(("text", "reason"), SAYS_NEITHER)
def test_what_says_neither_says_why(text: str, reason: Unreadable) -> None:
    assert read_yes_no(text, Exists(group=DOG)) == UnreadableAnswer(reason)
    assert read_yes_no(text, Absent(group=DOG)) == UnreadableAnswer(reason)


@each_row(("text", "meaning", "said"), OTHERS)
def test_other_questions(text: str, meaning: Meaning, said: bool | None) -> None:
    assert reading(text, meaning) is said


NAMES = ["dog", "teddy bear", "wine glass", "sheep", "bus", "umbrella", "man", "parking meter", "orange", "couch", "tv"]
GROUPS = st.builds(
    lambda name, attributes: Group(name=name, attributes=tuple(attributes)),
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(["red", "small", "striped", "standing", "open", "wooden"]), max_size=2, unique=True),
)
PRESENT = [
    "There is {a}.",
    "I can see {a} in the picture.",
    "Yes, there are three {many}.",
    "No, there is {a}!",
    "{a}",
    "Some {many}.",
]
ABSENT = [
    "There is no {one}.",
    "I don't see any {many}.",
    "No {many}",
    "The image shows no {one}.",
]


@given(group=GROUPS, frame=st.sampled_from(PRESENT))
def test_a_group_that_is_said_to_be_there_is_there(group: Group, frame: str) -> None:
    text = filled(frame, group)
    assert reading(text, Exists(group=group)) is True
    assert reading(text, Absent(group=group)) is False


@given(group=GROUPS, frame=st.sampled_from(ABSENT))
def test_a_group_that_is_denied_is_absent(group: Group, frame: str) -> None:
    text = filled(frame, group)
    assert reading(text, Exists(group=group)) is False
    assert reading(text, Absent(group=group)) is True


@given(group=GROUPS, other=st.sampled_from(NAMES), frame=st.sampled_from([*PRESENT[:3], *ABSENT[:3]]))
def test_what_is_said_of_another_thing_is_no_claim(group: Group, other: str, frame: str) -> None:
    if other != group.name:
        text = filled(frame, Group(name=other)).removeprefix("Yes, ")
        assert reading(text, Exists(group=group)) is None


@given(text=st.text(), group=GROUPS)
def test_every_text_has_a_reading(text: str, group: Group) -> None:
    assert isinstance(read_yes_no(text, Absent(group=group)), bool | UnreadableAnswer)


def filled(frame: str, group: Group) -> str:
    return frame.format(a=with_indefinite(group), one=phrase(group, "singular"), many=phrase(group, "plural"))


LEFT, ABOVE = (Located(group=DOG, side=side, other=CAT) for side in (Side.LEFT, Side.ABOVE))

# What an answer says of whether the dog is to the left of the cat, or higher up in the picture.
SAID_OF_A_PLACE = [
    (LEFT, "Yes", True), (LEFT, "no.", False), (LEFT, "The dog is to the left of the cat.", True),
    (LEFT, "No, the dog is to the right of the cat.", False), (LEFT, "The cat is to the right of the dog.", True),
    (LEFT, "The cat is on the left.", False), (LEFT, "left", True), (LEFT, "on the right side", False),
    (LEFT, "It is.", True), (LEFT, "It is not.", False), (LEFT, "The dog isn't to the left of the cat", False),
    (LEFT, "The dog is on the left, the cat on the right.", True), (LEFT, "Yes, that is right.", True),
    (LEFT, "The dog is farther to the left in the picture than the cat", True), (LEFT, "That's correct.", True),
    (LEFT, "No, the dog is actually to the right of the cat, closer to the right edge.", False),
    (LEFT, "The cat is to the left of the dog.", False), (LEFT, "No, it's farther right.", False),
    (ABOVE, "The dog is lower down.", False), (ABOVE, "It is higher up in the picture.", True),
    (ABOVE, "The cat is below the dog", True), (ABOVE, "The dog is closer to the top of the image.", True),
    # Neither says where it is on this axis, or that it is not there.
    (LEFT, "The dog is above the cat.", None), (LEFT, "The dog is not to the right of the cat.", None),
    # The side, or "that is right".
    (LEFT, "Right.", None),
]  # fmt: skip


@each_row(("meaning", "text", "said"), SAID_OF_A_PLACE)
def test_the_place_of_a_thing(meaning: Located, text: str, said: bool | None) -> None:
    read = read_yes_no(text, meaning)
    assert read is said if said is not None else isinstance(read, UnreadableAnswer)
