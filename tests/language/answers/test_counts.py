"""Answers to "how many" as models write them, with the number that a person reads in each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.language.answers.answer_text import Unreadable, UnreadableAnswer
from pytest_vqamt.language.answers.counts import Quantifier, read_count
from pytest_vqamt.language.english.nouns import number_word
from tests.rows import each_row

NUMBERS = [
    ("3", 3), ("Three", 3), ("three.", 3), ("  7  ", 7), ("7!", 7), ("2.0", 2), ("0", 0), ("12", 12),
    ("1,000 birds", 1000), ("3 dogs", 3), ("There are three dogs.", 3), ("The image shows 4 giraffes.", 4),
    ("I count 7.", 7), ("7 birds are visible", 7), ("I think there are three.", 3), ("about 5", 5),
    ("Approximately 20 people", 20), ("probably two", 2), ("Yes, there are 3.", 3), ("No, there are 3 dogs.", 3),
    ("seventeen", 17), ("twenty", 20), ("twenty-one", 21), ("Twenty one birds", 21), ("ninety-nine", 99),
    ("One can see two cats.", 2), ("one can", 1), ("One can of soda is there.", 1), ("One can be seen.", 1),
    ("one hundred", 100), ("a hundred and five", 105), ("a dozen eggs", 12), ("dozen", 12), ("half a dozen", 6),
    ("two dozen", 24), ("2 dozen", 24), ("a pair", 2), ("A pair of gloves", 2), ("a couple", 2),
    ("a couple of dogs", 2), ("couple", 2),
    # nothing
    ("none", 0), ("None.", 0), ("no", 0), ("No.", 0), ("zero", 0), ("nothing", 0), ("nobody", 0), ("No one", 0),
    ("no dogs", 0), ("There are no dogs in the picture.", 0), ("There aren't any dogs.", 0),
    ("I don't see any dogs in this image.", 0), ("I can't see any dogs", 0), ("There isn't a dog in the picture.", 0),
    ("There is not a single dog", 0), ("No, there are no dogs.", 0), ("None of them", 0),
    ("Sorry, there are no dogs", 0), ("0 red cars and 0 blue cars", 0), ("no dogs and no cats", 0),
    ("There are neither dogs nor cats.", 0), ("The picture is without any dogs", 0),
    # one
    ("a dog", 1), ("An apple.", 1), ("There is a dog.", 1), ("There's one dog", 1), ("There is only one.", 1),
    ("just one", 1), ("A single dog", 1), ("single", 1), ("I can see a dog on the couch.", 1), ("One of them", 1),
    ("the one and only... 1", 1), ("There is only a dog", 1),
    # the same number twice, and numbers that count nothing
    ("1 (one)", 1), ("three (3)", 3), ("There are 2 dogs. The 2 dogs are brown.", 2),
    ("There are 3 dogs (one is hidden)", 3), ("about 10", 10), ("A) 3", 3), ("There is one two-storey house.", 1),
    ("I'm 90% sure there are 2 dogs", 2), ("3 buses at 10:30", 3), ("2 cars from 1998", 2),
    ("2 children, both 5 years old", 2), ("1998", 1998), ("There are 3 dogs. The 1st is black.", 3),
    ("How many dogs are there? 3", 3), ("two on the left... so two", 2),
    # totals
    ("2 dogs and 3 cats, 5 in total", 5), ("2 dogs and 3 cats, 5 animals in total.", 5), ("3 + 2 = 5", 5),
    ("3 + 2 = **5**", 5), ("There are 2 dogs and 3 cats, for a total of 5.", 5),
    ("The total number of dogs and cats is 5.", 5), ("Total: 6", 6), ("a total of 4", 4), ("4 dogs in all", 4),
    ("twelve people altogether", 12), ("There are 5 giraffes in total in the image.", 5),
    ("There are two red cars and one blue car, so there are three cars in total.", 3),
    ("three dogs and two cats = 5 animals", 5), ("There is one dog and two cats, making a total of three animals.", 3),
    ("2 on the left, 1 on the right, so the answer is 3.", 3), ("There are three zebras: two adults and one baby.", 3),
    ("6 people (3 men, 3 women)", 6), ("two, one black and one white", 2), ("1 dog + 1 cat, so 2", 2),
    ("1. dog\n2. dog\n3. cat\nTotal: 3", 3), ("In total there are 5 animals: 2 dogs and 3 cats.", 5),
    # parts of what was counted
    ("There are 3 dogs. One of them is black.", 3), ("There are 3 people, two of whom are sitting.", 3),
    ("4, many of them red", 4), ("There are 2 cars, a red one and a blue one.", 2), ("a group of 5 people", 5),
    ("The second one is red; there are 2.", 2),
    # wrapping
    ("<think>two or three, maybe 4</think>3", 3), ("<thinking>2?</thinking>\n\n2", 2), ("two dogs... </think> 4", 4),
    ("Answer: 4", 4), ("**4**", 4), ("`4`", 4), ("The answer is 4", 4), (r"\boxed{5}", 5), ("<answer>5</answer>", 5),
    ("five</s>", 5), ("I see 2 on the left and 3 on the right.\n\nFinal answer: 5", 5),
    ("I don't know, but I think 3", 3), ("I cannot tell for sure, but there may be 3.", 3),
    ("I am not sure, maybe 2", 2),
    # none first is the answer, where "no" before a number is none
    ("0. There is one blue car", 0), ("Zero. All three cars are blue.", 0), ("None, there are 3 cats", 0),
    ("Nope, there are 2", 2), ("Nope", 0), ("Not a single one", 0), ("Not even one.", 0), ("10 000", 10000),
    ("There is a table with 3 chairs.", 3),
    # parts after the total, and a total that comes last
    ("There are 2 dogs in the picture, one on the left and one on the right.", 2),
    ("one on the left and one on the right", 2), ("Two are black and one is white.", 3),
    ("2\n\nThere is 1 on the left and 1 on the right.", 2), ("There are three. Two are standing and one is lying.", 3),
    ("3. Two men are standing and one is sitting.", 3), ("There are two cars, one red and one blue.", 2),
    ("dog: 2, cat: 1, total: 3", 3), ("There are 2 dogs, 1 cat, and 3 birds: 6 animals.", 6), ("2 and 3, i.e. 5", 5),
    ("2 cats & 3 dogs (5)", 5), ("There are two dogs. One is brown and the other is black.", 2),
    ("2 cars, one on the left and another on the right", 2),
]  # fmt: skip

QUANTIFIERS = [
    ("many", "many"), ("Many people.", "many"), ("several", "several"), ("a lot", "a lot"), ("lots", "lots"),
    ("lots of dogs", "lots"), ("a few", "a few"), ("few", "few"), ("some", "some"), ("plenty", "plenty"),
    ("There are some dogs.", "some"), ("lot", "lot"), ("too many to count", "many"), ("not many", "many"),
    ("dozens of birds", "dozens"), ("hundreds", "hundreds"), ("herd", "herd"), ("A group of people", "group"),
    ("two men and several women", "several"), ("at least 3", "at least 3"), ("10+", "10+"),
    ("no less than 3", "no less than 3"), ("no more than 3 dogs", "no more than 3"),
    ("There are no fewer than 2", "no fewer than 2"), ("No, there are many dogs", "many"),
    ("more than 10", "more than 10"), (">10", "more than 10"), ("over 20", "over 20"), ("up to 4 dogs", "up to 4"),
]  # fmt: skip

UNREADABLE = [
    ("", Unreadable.EMPTY), ("   ", Unreadable.EMPTY), ("...", Unreadable.EMPTY), ("<think>two", Unreadable.CUT_OFF),
    ("<think>two</think>", Unreadable.EMPTY), ("</s>", Unreadable.EMPTY),
    ("I'm sorry, I can't help with that.", Unreadable.REFUSAL),
    ("I\u2019m sorry, but I can\u2019t assist with that request.", Unreadable.REFUSAL),
    ("As an AI language model, I cannot see images.", Unreadable.SEES_NOTHING), ("unanswerable", Unreadable.UNSURE),
    ("I don't know", Unreadable.UNSURE), ("don't know", Unreadable.UNSURE), ("can't tell", Unreadable.UNSURE),
    ("unknown", Unreadable.UNSURE), ("not sure", Unreadable.UNSURE), ("No idea.", Unreadable.UNSURE),
    ("unclear", Unreadable.UNSURE), ("It is not possible to determine the number of dogs.", Unreadable.UNSURE),
    ("No image was provided.", Unreadable.SEES_NOTHING), ("2 or 3", Unreadable.SEVERAL_NUMBERS),
    ("One could say that it is lovely.", Unreadable.NO_NUMBER),
    ("2-3", Unreadable.SEVERAL_NUMBERS), ("2\u20133", Unreadable.SEVERAL_NUMBERS),
    ("between two and three", Unreadable.SEVERAL_NUMBERS), ("2 dogs and 3 cats", Unreadable.SEVERAL_NUMBERS),
    ("2 dogs and 3 cats in total", Unreadable.SEVERAL_NUMBERS),
    ("In total there are 2 dogs and 3 cats", Unreadable.SEVERAL_NUMBERS), ("3 + 2", Unreadable.SEVERAL_NUMBERS),
    ("1 dog and 1 cat", Unreadable.SEVERAL_NUMBERS), ("a dog and a cat", Unreadable.SEVERAL_NUMBERS),
    ("There is a dog and a cat.", Unreadable.SEVERAL_NUMBERS), ("one of the 3", Unreadable.SEVERAL_NUMBERS),
    ("2 dogs and a cat", Unreadable.SEVERAL_NUMBERS), ("2.5", Unreadable.NOT_WHOLE), ("-2", Unreadable.NOT_WHOLE),
    ("two pairs", Unreadable.NOT_WHOLE), ("one and a half", Unreadable.NOT_WHOLE), ("yes", Unreadable.NO_NUMBER),
    ("Yes.", Unreadable.NO_NUMBER), ("dogs", Unreadable.NO_NUMBER),
    ("There are dogs on a table.", Unreadable.NO_NUMBER), ("50%", Unreadable.NO_NUMBER), ("1st", Unreadable.NO_NUMBER),
    ("10:30", Unreadable.NO_NUMBER), ("1/2", Unreadable.NO_NUMBER), ("parking lot", Unreadable.NO_NUMBER),
    ("1. dog\n3. dog", Unreadable.NO_NUMBER), ("red", Unreadable.NO_NUMBER),
    ("There are not 3 dogs", Unreadable.NO_NUMBER), ("9" * 5000, Unreadable.NO_NUMBER),
    ("9" * 5000 + " dozen", Unreadable.NO_NUMBER), ("0, 1", Unreadable.SEVERAL_NUMBERS),
    ("0 or 2", Unreadable.SEVERAL_NUMBERS), ("Zero. Total: 3", Unreadable.SEVERAL_NUMBERS),
    # what an article brings in is counted by nobody
    ("There is a man and two women", Unreadable.SEVERAL_NUMBERS),
    ("Two dogs and another cat", Unreadable.SEVERAL_NUMBERS),
    ("There is a man, a woman and two children", Unreadable.SEVERAL_NUMBERS),
    ("There are two dogs and also a cat", Unreadable.SEVERAL_NUMBERS),
    ("There are two dogs. There is also a cat.", Unreadable.SEVERAL_NUMBERS),
    ("There is a man. There are two women.", Unreadable.SEVERAL_NUMBERS),
    ("The image shows a man and two women.", Unreadable.SEVERAL_NUMBERS),
    # sums that come out by chance
    ("3 dogs, 2 cats and 1 bird", Unreadable.SEVERAL_NUMBERS), ("3, 2, 1", Unreadable.SEVERAL_NUMBERS),
    ("100 200", Unreadable.SEVERAL_NUMBERS),
    ("There are two cars, one dog and one cat", Unreadable.SEVERAL_NUMBERS),
    ("There are 3 dogs. There are 2 cats and 1 bird.", Unreadable.SEVERAL_NUMBERS),
    ("3 dogs on the left, 2 on the right and 1 in the middle", Unreadable.SEVERAL_NUMBERS),
    ("3 red, 2 blue and 1 green", Unreadable.SEVERAL_NUMBERS),
    ("3 dogs are standing, 2 are lying and 1 is sitting", Unreadable.SEVERAL_NUMBERS),
    ("dog: 1, cat: 2, bird: 3", Unreadable.SEVERAL_NUMBERS),
    ("dogs (1), cats (2), birds (3)", Unreadable.SEVERAL_NUMBERS),
]  # fmt: skip


@each_row(("text", "number"), NUMBERS)
def test_a_number_is_read(text: str, number: int) -> None:
    assert read_count(text) == number


@each_row(("text", "word"), QUANTIFIERS)
def test_a_quantifier_is_no_number(text: str, word: str) -> None:
    assert read_count(text) == Quantifier(word)


@each_row(("text", "reason"), UNREADABLE)
def test_what_gives_no_number_says_why(text: str, reason: Unreadable) -> None:
    assert read_count(text) == UnreadableAnswer(reason)


WORDED = st.integers(min_value=0, max_value=99)


@given(
    n=WORDED,
    frame=st.sampled_from(["{}", "{}.", "There are {} dogs.", "{} dogs", "I can see {}!", "**{}**", "It is {}"]),
)
def test_a_number_in_words_or_digits_is_the_same_number(n: int, frame: str) -> None:
    assert read_count(frame.format(n)) == n
    assert read_count(frame.format(number_word(n))) == n
    assert read_count(frame.format(number_word(n)).upper()) == n


@given(a=WORDED, b=WORDED)
def test_a_total_that_is_said_is_read(a: int, b: int) -> None:
    assert read_count(f"There are {a} dogs and {number_word(b)} cats, {a + b} in total.") == a + b
    assert read_count(f"{a} + {b} = {a + b}") == a + b


@given(a=WORDED, b=WORDED)
def test_parts_without_a_total_are_never_read_as_one_of_them(a: int, b: int) -> None:
    reading = read_count(f"{number_word(a)} dogs and {b} cats")
    assert reading == UnreadableAnswer(Unreadable.SEVERAL_NUMBERS) if (a, b) != (0, 0) else reading == 0


@given(st.text())
def test_every_text_has_a_reading(text: str) -> None:
    assert isinstance(read_count(text), int | Quantifier | UnreadableAnswer)
