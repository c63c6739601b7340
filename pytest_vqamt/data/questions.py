"""``questions:FILE``: photos with questions, and answers and options where there are any.

A file is JSON Lines or CSV, with a row for each question. A folder has such a file, as Hugging Face's image folders do,
or is one of their datasets.
"""

from __future__ import annotations

import ast
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property, partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from posixpath import normpath

from pytest_vqamt.core.conversation import Ability, abilities_for, bare_picture, published_conversation
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.input_files import MAX_DATA_BYTES, parse_json, read_bytes
from pytest_vqamt.core.meaning import YES_OR_NO
from pytest_vqamt.core.scene import Photo, PublishedQuestion, PublishedTurn, Scene
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import count_noun, error_reason, one_line, short_path, short_repr
from pytest_vqamt.data.annotations import AnnotatedPhotos, ListedAnnotations
from pytest_vqamt.data.conversations import (
    TURNS,
    AskedRow,
    asked_in,
    checked_file,
    has_image_mark,
    numbered_columns,
    with_images,
)
from pytest_vqamt.data.graphs import QuestionIndex
from pytest_vqamt.data.hugging_face import (
    TABLE_SUFFIXES,
    missing_parts,
    read_table,
    repeated_column,
    saved_splits,
    split_of,
    table_files,
)
from pytest_vqamt.data.json_io import JsonLines, text_of
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.records import Record, UniqueIds, is_number, is_text, whole
from pytest_vqamt.data.sanity import Oddity, SourceChecks
from pytest_vqamt.language.questions.free import QuestionForm, form_of

FILES = ("questions.jsonl", "questions.csv", "metadata.jsonl", "metadata.csv")
"""The files that a folder may have; the last two are those of Hugging Face's image folders."""
FIELDS: Mapping[str, tuple[str, ...]] = {
    "image": ("image", "file_name", "photo"),
    "question": ("question",),
    "answer": ("answer", "answers", "answer_text", "answer_index"),
    "options": ("options", "choices"),
    "id": ("id", "question_id"),
    "images": ("images",),
    "turns": TURNS,
}
"""The names that a field may have."""
_MISNAMED: Mapping[str, tuple[str, ...]] = {
    "image": (
        *("img", "img_path", "image_path", "image_file", "image_name"),
        *("picture", "pic", "path", "file", "filename", "filepath"),
    ),
    "images": ("image_list", "image_paths", "image_files", "pictures", "photos", "imgs"),
    "turns": ("conversation", "dialog", "dialogue", "chat", "message"),
    "question": ("questions", "query", "q", "prompt", "text", "instruction"),
    "answer": ("ans", "gt", "gold", "label", "target", "reference", "response"),
    "options": ("option", "candidates", "multiple_choices"),
    "id": ("qid",),
}
"""What other data sets call the fields, for messages."""
LETTERS = "ABCDEFGH"
"""The columns of options that have one each, as in MMBench, and the letters of answers."""
_LETTER = re.compile(rf"\(?([{LETTERS}])[.):]?", re.IGNORECASE)
"""A letter as answers have it: "B", "(b)", "B."."""
_WITH_LETTER = re.compile(rf"\(?([{LETTERS}])(?:[.:]\s+|\)\s*)(\S.*)", re.IGNORECASE)
"""An option with its letter in its text: "B. a plate", "(B) a plate"."""
_OPTION_COLUMN = re.compile(rf"(?:(?:option|choice)s?[ _-]?)?([{LETTERS}])|(?:option|choice)s?[ _-]?\d", re.IGNORECASE)
"""What other data sets call the columns of options: option_a, Choice B, c, option1."""
_TRUTHS: Mapping[str, str] = {"1": "yes", "0": "no", "true": "yes", "false": "no"}
"""How tables write yes and no: as numbers, or as the texts TRUE and FALSE."""
_INDEX_COLUMN = re.compile(r"|index|level_0|Unnamed: \d+")
"""The columns that pandas writes for the numbers of rows."""
_SEPARATOR = "|"
_FORMS = "questions:FILE.jsonl, questions:FILE.csv or questions:DIR, each with :PHOTOS after it"

_BLANKS = ("nan", "none", "null", "n/a", "-")
"""How tools write a missing value; one of them may be an option."""

_FLOAT = re.compile(r"(\d+)(?:\.0)?")
"""A whole number in a cell of CSV; pandas writes 1.0 where a cell of the column is empty."""


class QuestionedPhotos(AnnotatedPhotos):
    """Photos of which only questions are known."""

    preset = "questions"
    """The relations that run where none are named."""

    @cached_property
    def demands(self) -> Mapping[frozenset[Ability], int]:
        """The numbers of questions by what a model must be able to take (``DemandingSource``)."""
        scenes = (self.annotations.scene(index) for index in range(len(self)))
        return Counter(_abilities(question) for scene in scenes for question in scene.questions)


def _abilities(question: PublishedQuestion) -> frozenset[Ability]:
    """What a model must be able to take."""
    return abilities_for(published_conversation(question.turns, question.text, bare_picture))


@dataclass(slots=True)
class _QuestionedPhoto:
    """A photo and the questions of its rows."""

    size: tuple[int, int]
    """Width and height in pixels, turned as its EXIF says."""
    questions: list[PublishedQuestion] = field(default_factory=list)
    """In the order of the rows."""


class QuestionRows(ListedAnnotations):
    """The photos of the rows, in their order, each with its questions."""

    def __init__(self, rows: Iterator[Record | DataError], photos: PhotoFiles, file: Path) -> None:
        """Reads all rows.

        Raises:
            DataError: the file cannot be read, or no row can be used.
        """
        self._photos_there = photos
        self.asked: dict[str, _QuestionedPhoto] = {}
        self._beside: dict[str, tuple[int, int]] = {}
        self._ids, self._index = UniqueIds(), QuestionIndex()
        self._unused: dict[str, None] = {}
        self._used: set[str] = set()
        # Answers of rows without options: a letter may be that of an option that was left out, unless most are words.
        self._lone_letters, self._words = Oddity(), 0
        # Rows with a single column of A to H; odd only where other rows have two columns or more.
        self._lone_options, self._are_in_columns = Oddity(), False
        bad = []
        for number, row in enumerate(rows, start=1):
            try:
                if isinstance(row, DataError):
                    raise row
                self._add(row, number)
            except DataError as error:
                bad.append(str(error))
        if not self.asked:
            of_all = "its only row cannot" if len(bad) == 1 else f"none of its {len(bad):,} rows can"
            why = f"{of_all} be used: {bad[0]}" if bad else "it is empty"
            raise DataError(
                f"Expected questions in {short_path(file)} (docs/how-to/questions.md), but {why}", bad_records=bad
            )
        truths = self._read_truths(file)  # after all rows, as it depends on the answers of the others
        checks = SourceChecks.of(file.name)
        for name, asked in self.asked.items():
            for question in asked.questions:
                for text in (*(turn.text for turn in question.turns), question.text):
                    checks.questions.add(name, text)
        remarks = (
            *(() if file.is_file() else missing_parts(_tables(file))),
            *self._unused_columns(file),
            *truths,
            *self._rows_with_one_option(file),
            *self._letters_without_options(file),
            *self._index.remarks(),
            *checks.lines(),
        )
        super().__init__(self.asked, bad, _digest_of(file), remarks)

    def scene(self, index: int) -> Scene:
        name = self._photos[index]
        width, height = self.asked[name].size
        return Scene(
            id=name,
            photo=Photo(id=name, digest=""),
            width=width,
            height=height,
            questions=tuple(self.asked[name].questions),
        )

    @property
    def beside(self) -> dict[str, tuple[int, int]]:
        """The photos that are in conversations, but first in none: their sizes by their files."""
        return {name: size for name, size in self._beside.items() if name not in self.asked}

    def _add(self, row: Record, number: int) -> None:
        turns: tuple[PublishedTurn, ...] = ()
        row = with_images(row)
        lettered = _options(row)
        self._check_options(row, lettered)
        if row.has("images") or row.has(_field(row, "turns")):
            asked = _conversation(row)
            photos, text, turns = asked.photos, asked.text, asked.published_turns(partial(self._size, row))
            if asked.answer and not row.has(_field(row, "answer")):
                row = Record({**row.row, "answer": asked.answer}, row.where, row.path)
        else:
            photos, text = self._plain(row)
        image = photos[0]
        options = tuple(lettered.values())
        answers = _answers(row, lettered)
        if {option.casefold() for option in options} == set(YES_OR_NO):  # "No, Yes" is read as any yes/no question
            options, answers = YES_OR_NO, tuple(answer.casefold() for answer in answers)
        question = PublishedQuestion(
            id=self._ids.add(_identity(row, number), row, _field(row, "id")),
            text=text,
            answers=answers,
            options=options,
            turns=turns,
        )
        sizes = {each: self._size(row, each) for each in photos}
        self.asked.setdefault(image, _QuestionedPhoto(size=sizes[image])).questions.append(question)
        self._beside |= {name: size for name, size in sizes.items() if name != image}
        self._index.add(image, row.where, (question,))
        if answers and not options:
            if all(_LETTER.fullmatch(answer) for answer in answers):
                self._lone_letters.add(f"{row.where}: {short_repr(answers[0])}")
            else:
                self._words += 1
        self._are_in_columns |= len(options) > 1  # not of a list in one column and not row.has(_field(row, "options"))
        if not options and (lone := [letter for letter in LETTERS if row.has(letter)]):
            self._lone_options.add(f"{row.where}: {lone[0]}={short_repr(row.row[lone[0]])}")
        self._used.update(name for name in FIELDS if row.has(_field(row, name)))
        known = {name for names in FIELDS.values() for name in names}
        self._unused.update(
            dict.fromkeys(name for name in row.row if name not in known and not (options and name in LETTERS))
        )

    def _check_options(self, row: Record, lettered: Mapping[str, str]) -> None:
        marked = next(filter(has_image_mark, lettered.values()), "")
        # About a picture of a page, "<img>" may be an option as it stands.
        if marked and (marked.casefold() != "<img>" or row.has("images") or row.has(_field(row, "turns"))):
            name = _field(row, "options")
            raise row.wrong(name if row.has(name) else "A", f"options without pictures, not {short_repr(marked)}")

    def _plain(self, row: Record) -> tuple[tuple[str, ...], str]:
        """The photo and the question of a row with one of each."""
        for name in ("image", "question"):
            _check_named(row, name)
        image = row.text(_field(row, "image"))
        # "./a.jpg" and "a.jpg" are one photo. Of a URL normpath takes a slash, and the advice would not know it.
        image = image if "://" in image else normpath(image)
        return (image,), " ".join(row.text(_field(row, "question")).split())

    def _read_truths(self, file: Path) -> tuple[str, ...]:
        """Reads 1 and 0, or TRUE and FALSE, as yes and no if all yes/no questions are answered so; else tells of them.

        Beside other answers they may be something else, such as 0, 1 and 2 the numbers of labels.
        """
        answered = [
            (asked, place, question)
            for asked in self.asked.values()
            for place, question in enumerate(asked.questions)
            if question.answers and not question.options
        ]
        # "How many dogs?" may be answered with 1, too, so only the form of the question says what is meant.
        truths = [each for each in answered if _are_truths(each[2].answers) and _is_yes_no(each[2].words)]
        if not truths:
            return ()
        other = next((each for *_, each in answered if not _are_truths(each.answers) and _is_yes_no(each.words)), None)
        if other:
            first = truths[0][2]
            are, count = (
                ("is a number or a truth", "counts as a word")
                if len(truths) == 1
                else ("are numbers or truths", "count as words")
            )
            return (
                f"{count_noun(len(truths), 'answer')} of {short_path(file)} to yes/no questions {are} "
                f"({short_repr(first.text)}: {short_repr(first.answers[0])}) and {count}, as others are answered "
                f"otherwise ({short_repr(other.text)}: {short_repr(other.answers[0])}): write yes or no",
            )
        for asked, place, question in truths:
            said = tuple(_TRUTHS[answer.casefold()] for answer in question.answers)
            asked.questions[place] = replace(question, answers=said)
        return ()

    def _size(self, row: Record, image: str) -> tuple[int, int]:
        fields = "images", _field(row, "image"), _field(row, "turns")
        field = next((name for name in fields if row.has(name)), "image")
        try:
            return self._photos_there.size_px(image)
        except DataError as error:
            raise DataError(f"{row.label(field)}: {error}") from error

    def _unused_columns(self, file: Path) -> tuple[str, ...]:
        lone = LETTERS if self._are_in_columns else ""  # _rows_with_one_option has a line about these
        unused = [name for name in self._unused if not _INDEX_COLUMN.fullmatch(name) and name not in [*lone]]
        if not unused:
            return ()
        names, known = ", ".join(map(short_repr, unused)), ", ".join(FIELDS)
        lettered = [name for name in unused if _OPTION_COLUMN.fullmatch(name)]
        # One such column alone may be anything; two are options under another name.
        if len(lettered) > 1 and (found := _OPTION_COLUMN.fullmatch(lettered[0])):
            renamed = f": rename {short_repr(lettered[0])} to {(found[1] or 'A').upper()!r}, and so on"
        else:
            renamed = _renamed(unused, [name for name in ("answer", "options", "id") if name not in self._used])
        return (f"{short_path(file)} has columns that are not used: {names} (used: {known}){renamed}",)

    def _rows_with_one_option(self, file: Path) -> tuple[str, ...]:
        """A remark on rows that have one option where others have several; empty without any."""
        odd = self._lone_options
        if not odd.count or not self._are_in_columns:
            return ()
        have = "has" if odd.count == 1 else "have"
        return (
            f"{count_noun(odd.count, 'row')} of {short_path(file)} {have} one option ({odd.first}) and {have} none "
            "for models, where others have several: add the others, or leave it blank",
        )

    def _letters_without_options(self, file: Path) -> tuple[str, ...]:
        """A remark on answers that count as words, where most are letters; empty without any."""
        odd = self._lone_letters
        if odd.count <= self._words:
            return ()
        are, count = ("is a letter", "counts as a word") if odd.count == 1 else ("are letters", "count as words")
        return (
            f"{count_noun(odd.count, 'answer')} of {short_path(file)} {are} ({odd.first}) and {count}, as their "
            "questions have no options: put these into columns A, B and so on, or into options",
        )


def _check_named(row: Record, name: str) -> None:
    """Checks that the row has the field by one of its names."""
    if not any(each in row.row for each in FIELDS[name]):
        there = ", ".join(map(short_repr, row.row)) or "no field"
        wanted = (name, "images", "turns") if name == "image" else (name, "turns")
        raise DataError(
            f"{row.label(name)}: Expected a text that is not blank, but got no {name!r} among {there}"
            f"{_renamed(row.row, wanted)} (fields: {', '.join(FIELDS)})"
        )


def _conversation(row: Record) -> AskedRow:
    """What a row with several pictures or turns asks."""
    image, turns = _field(row, "image"), _field(row, "turns")
    for one, other in (("images", image), (turns, "question")):
        if row.has(one) and row.has(other):
            raise row.wrong(other, f"one of {one} and {other}", "leave one of them out")
    listed = "images" if row.has("images") else image
    if not row.has(turns):
        _check_named(row, "question")
        return asked_in(row, _files(row, listed), listed, "", row.text("question"))
    return asked_in(row, _files(row, listed) if row.has(listed) else (), listed, turns, "")


def _files(row: Record, field: str) -> tuple[str, ...]:
    """The files of a row: a text, a list, or the parts of a text between bars."""
    if field != "images":
        return (checked_file(row, field, row.text(field)),)
    given = row.row[field]
    if isinstance(given, list):  # as datasets write photos that are not embedded
        paths = [each["path"] if isinstance(each, Mapping) and each.get("path") else each for each in given]
        row = Record({**row.row, field: paths}, row.where, row.path)
        if None in paths:
            raise row.wrong(field, "names of files", "one of them is null")
    files = _texts(row, field)
    if not all(files):
        raise row.wrong(field, "names of files", "one of them is blank")
    return tuple(checked_file(row, field, name) for name in files)


def load(argument: str) -> QuestionedPhotos:
    """The scenes of ``questions:FILE``, ``questions:DIR`` or ``questions:FILE:PHOTOS``, one for each photo.

    Photos lie beside the file, unless their folder is named.

    Raises:
        OptionError: nothing is named.
        DataError: the file or the folder is not there, or no row can be used.
    """
    if not argument:
        raise OptionError(f"Expected {option('data')}={_FORMS}, but got no file")
    file, folder = _named(argument)
    photos, found = _read(file, folder)
    rows = QuestionRows(found, photos, file)
    questions = sum(len(asked.questions) for asked in rows.asked.values())
    answered = sum(bool(each.answers) for asked in rows.asked.values() for each in asked.questions)
    photos_in_words = count_noun(len(rows) + len(rows.beside), "photo")
    return QuestionedPhotos(
        spec=f"questions:{argument}",
        description=f"{photos_in_words} with {count_noun(questions, 'question')}, {answered:,} of them "
        f"answered, of {file.name}",
        annotations=rows,
        photos=photos,
        beside=rows.beside,
    )


def _read(file: Path, folder: Path) -> tuple[PhotoFiles, Iterator[Record | DataError]]:
    files = _tables(file)
    if files:
        splits = {split_of(each): each for each in files}
        if len(splits) > 1:  # one of them may be "", of files that name none
            places = {split or each.name: file / (split or each.relative_to(file)) for split, each in splits.items()}
            named = " or ".join(f"questions:{place}" for place in places.values())
            raise DataError(
                f"Expected one split of the dataset {short_path(file)}, but it has {', '.join(places)}: name {named}"
            )
        return read_table(files, FIELDS["image"], "images", numbered_columns)
    return PhotoFiles(folder), _csv_rows(file) if file.suffix == ".csv" else _json_rows(file)


def _tables(place: Path) -> tuple[Path, ...]:
    """The files of a dataset: a folder, a split of one, or one file; none for a file of questions."""
    if place.is_file():
        return (place,) if place.suffix in TABLE_SUFFIXES else ()
    return table_files(place) or table_files(place.parent, place.name)


def _named(argument: str) -> tuple[Path, Path]:
    """The file of questions, or the folder of a dataset, and the folder of photos."""
    given, photos = Path(argument), None
    # A path that is there is taken whole: a colon may be part of it, as in C:\data\questions.csv.
    if not given.exists() and ":" in argument:
        file, _, folder = argument.rpartition(":")
        given, photos = Path(file), Path(folder)
    if given.is_dir():
        found = [given / name for name in FILES if (given / name).is_file()]
        if not found and table_files(given):
            return given, given
        if not found and (splits := saved_splits(given)):
            if len(splits) == 1:
                return given / splits[0], given / splits[0]
            named = " or ".join(f"questions:{given}/{split}" for split in splits)
            raise DataError(f"Expected one split of the dataset {short_path(given)}, but it has several: name {named}")
        if len(found) != 1:
            there = " and ".join(file.name for file in found) or "none"
            how = "name the file, as questions:DIR/FILE" + (
                "" if found else ", or begin one: vqamt init-data DIR --questions"
            )
            raise DataError(
                f"Expected one file of questions ({', '.join(FILES)}) in {short_path(given)}, but there is {there}: "
                f"{how}"
            )
        given = found[0]
    if _tables(given):
        return given, given
    if not given.is_file():
        beside = given.parent  # DIR/tset: a misspelt split of the dataset DIR
        if splits := saved_splits(beside) or tuple(dict.fromkeys(filter(None, map(split_of, table_files(beside))))):
            named = " or ".join(f"questions:{beside}/{split}" for split in splits)
            raise DataError(
                f"Expected a split of the dataset {short_path(beside)}, but got {short_repr(given.name)}: name {named}"
            )
        raise DataError(
            f"Expected a file of questions ({_FORMS}), but got {short_path(argument)}: there is no such file"
        )
    if given.suffix not in (".jsonl", ".csv"):
        raise DataError(
            f"Expected a file of questions, .jsonl, .csv or .parquet, but got {short_path(given)}: convert it "
            "(docs/how-to/questions.md)"
        )
    return given, photos or given.parent


def _json_rows(file: Path) -> Iterator[Record | DataError]:
    for line in JsonLines(file):
        try:
            yield line.record()
        except DataError as error:
            yield error


def _csv_rows(file: Path) -> Iterator[Record | DataError]:
    """The rows of a CSV file by the names of its first line; empty cells count as missing."""
    try:
        text = text_of(read_bytes(file, MAX_DATA_BYTES, is_text=True), file.name)
    except OSError as error:
        raise DataError(f"Expected {short_path(file)} to be readable, but it is not ({error_reason(error)})") from error
    lines = list(io.StringIO(text, newline=""))
    first = next((line.rstrip("\r\n") for line in lines if line.strip()), "")
    # Spreadsheets write semicolons where the comma is the decimal mark. Where none is there, the comma wins.
    delimiter = max(",;\t", key=first.count)
    records = _csv_records(lines, delimiter)
    number, header = next(records, (1, ()))
    if isinstance(header, str):
        raise DataError(f"{file.name}:{number}: Expected CSV, but {header}")
    columns = tuple(header)
    needed = {"image": (*FIELDS["image"], *FIELDS["images"]), "question": (*FIELDS["question"], *FIELDS["turns"])}
    required = tuple(each for names in needed.values() for each in names)
    needed["image"] = (*needed["image"], *numbered_columns(columns))
    lacking = [name for name, names in needed.items() if not any(each in columns for each in names)]
    if lacking:
        raise DataError(
            f"Expected the first line of {short_path(file)} to name its columns, with image and question, "
            f"but got {short_repr(first)}{_renamed(columns, lacking) or ': add it'} (columns: {', '.join(FIELDS)})"
        )
    if twice := next((name for name in _used_names() if columns.count(name) > 1), ""):
        raise repeated_column(twice, file)
    for number, cells in records:
        where = f"{file.name}:{number}"
        if isinstance(cells, str):
            yield DataError(f"{where}: Expected CSV, but {cells}")
        elif len(cells) > len(columns):
            yield DataError(
                f"{where}: Expected {len(columns)} cells, but got {len(cells)}: put cells that hold {delimiter!r} into "
                "double quotes"
            )
        elif any(name in required for name in columns[len(cells) :]):  # the end of a row may lack optional cells
            there, more = count_noun(len(cells), "cell"), ", ".join(columns[len(cells) :])
            yield DataError(f"{where}: Expected {len(columns)} cells, but got {there}: add {more}")
        else:
            named = zip(columns, map(str.strip, cells), strict=False)
            yield Record.of({name: cell for name, cell in named if cell}, where)


def _csv_records(lines: Sequence[str], delimiter: str) -> Iterator[tuple[int, Sequence[str] | str]]:
    """The cells of each record that is not blank, or what is wrong with it, and the number of its first line.

    After a quote that is not closed the reading goes on in the next line.
    """
    begin = 0
    while begin < len(lines):
        reader, skipped = csv.reader(islice(lines, begin, None), delimiter=delimiter, strict=True), begin
        try:
            for cells in reader:
                if cells:  # a blank line has none
                    yield begin + 1, cells
                begin = skipped + reader.line_num
        except csv.Error as error:
            # An error some lines on, or at the end of the file, means that the quote took up what follows.
            if skipped + reader.line_num > begin + 1 or "end of data" in str(error):
                yield begin + 1, "a quote is not closed: add the closing '\"'"
            else:
                yield begin + 1, f"{error}: write a quote within a quoted cell twice"
            begin += 1


def _is_yes_no(question: str) -> bool:
    return form_of(question) is QuestionForm.YES_NO


def _are_truths(answers: Iterable[str]) -> bool:
    return all(answer.casefold() in _TRUTHS for answer in answers)


def _used_names() -> tuple[str, ...]:
    return (*(each for names in FIELDS.values() for each in names), *LETTERS)


def _renamed(there: Iterable[str], wanted: Iterable[str]) -> str:
    """Which of the fields that are there to rename to those that are wanted, as the end of a message; "" if none."""
    known = {each for names in FIELDS.values() for each in names}
    free = {each.strip().casefold().replace(" ", "_"): each for each in there if each not in known}
    found: dict[str, str] = {}
    for name in wanted:  # a known other name first, then a slip: "qestion"
        others = [other for other in (*FIELDS[name], *_MISNAMED[name]) if other in free]
        for other in (others or get_close_matches(name, free, n=1, cutoff=0.75))[:1]:
            found.setdefault(other, name)
    renamed = " and ".join(f"{short_repr(free[other])} to {name!r}" for other, name in found.items())
    return f": rename {renamed}" if renamed else ""


def _digest_of(file: Path) -> str:
    """Of the bytes of the file; of a dataset of its files' names, sizes and times."""
    if not file.is_file():
        files = [(each.name, each.stat().st_size, each.stat().st_mtime_ns) for each in _tables(file)]
        return digest(str(files))
    return sha256(read_bytes(file, MAX_DATA_BYTES)).hexdigest()[:16]


def _field(row: Record, name: str) -> str:
    """The name by which the row has the field; raises DataError if it has two."""
    found = [each for each in FIELDS[name] if row.has(each)]
    if len(found) > 1:
        raise row.wrong(found[1], f"one of {' and '.join(found)}", "leave one of them out")
    return found[0] if found else name


def _identity(row: Record, number: int) -> str:
    name = _field(row, "id")
    return row.identity(name) if row.has(name) else str(number)


def _options(row: Record) -> dict[str, str]:
    """The options by their letters: a list, cells of one column between bars, or a column each.

    The letter of a column is that of its option, also where another column is blank.
    """
    name = _field(row, "options")
    if row.row.get(name) in ([], "[]"):  # open questions of MMMU
        row = Record({**row.row, name: None}, row.where, row.path)
    there = [letter for letter in LETTERS if row.has(letter)]
    if row.has(name) and len(there) > 1:
        raise row.wrong(name, f"options in {name} or in columns", f"leave {' and '.join(there)} out, or {name}")
    if not row.has(name):
        found = {letter: _text(row, letter) for letter in there} if len(there) > 1 else {}
    elif isinstance(given := row.row[name], Mapping) and set(given) <= set(LETTERS):  # {"A": "a plate", "B": "a cup"}
        lettered = Record(given, row.where, name)
        found = {letter: _text(lettered, letter) for letter in LETTERS if lettered.has(letter)}
    else:
        texts = _texts(row, name)
        if len(texts) < 2 or len(texts) > len(LETTERS):
            raise row.wrong(name, f"2 to {len(LETTERS)} options", "write a list, or | between them")
        found = dict(zip(LETTERS, texts, strict=False))
    found = _without_letters(row, name, found)
    first: dict[str, str] = {}
    for letter, text in found.items():
        same = first.setdefault(text.casefold(), letter)
        if same != letter:  # an answer could not say which of the two it is; two cells "nan" are such
            advice = f"{same} and {letter} are both {short_repr(text)}"
            advice += "; leave a cell blank where there is no option" if text.casefold() in _BLANKS else ""
            raise row.wrong(letter if row.has(letter) else name, "options that differ", advice)
    return found


def _without_letters(row: Record, name: str, options: Mapping[str, str]) -> dict[str, str]:
    """The options without the letters in their texts, as prompts write letters of their own before them."""
    parts = {letter: _WITH_LETTER.fullmatch(option) for letter, option in options.items()}
    written = {letter: part for letter, part in parts.items() if part}
    if not options or len(written) < len(options):
        return dict(options)  # "A. Lincoln" beside other names is the text itself
    for letter, part in written.items():
        if part[1].upper() != letter:
            wrong, advice = letter if row.has(letter) else name, f"{short_repr(part[0])} has the place of {letter}"
            raise row.wrong(wrong, "options in the order of the letters in their texts", advice)
    return {letter: part[2] for letter, part in written.items()}


def _answers(row: Record, lettered: Mapping[str, str]) -> tuple[str, ...]:
    """The answers, each as often as it was given; a letter is the option that has it."""
    name = _field(row, "answer")
    if not row.has(name):
        return ()
    options = tuple(lettered.values())
    if name == "answer_index":  # counts from 0
        row = _with_number(row, name)
        index = row.whole(name, least=0, most=len(options) - 1 if options else None)
        if not options:
            raise row.wrong(name, "a number of an option", "the row has no options")
        return (options[index],)
    said = _texts(row, name)
    if not options:
        return tuple(said)
    by_name = {option.casefold(): option for option in options}
    found = []
    for each in said:
        # The text of an option goes before a letter, and both before "B. a plate".
        letter = found_letter[1].upper() if (found_letter := _LETTER.fullmatch(each)) else ""
        by_letter = lettered.get(letter) if name != "answer_text" else None
        option = by_name.get(each.casefold()) or by_letter
        if option is None and (part := _WITH_LETTER.fullmatch(each)) and lettered.get(part[1].upper()) == part[2]:
            option = part[2]
        if option is None:
            # A letter of a column that the file has, or within the number of options, is right but for the empty cell.
            blank = bool(letter) and letter in row.row.keys() | set(LETTERS[: len(options)])
            advice = f"{letter} is blank" if blank else f"they are {', '.join(map(short_repr, options))}"
            if _FLOAT.fullmatch(each):
                advice += "; if it counts from 0, name the column answer_index"
            raise row.wrong(name, "one of the options, or its letter", advice)
        # "B" may be the text of option A and the letter of another: neither reading is safe, so none is taken.
        is_letter = by_letter not in (None, option)
        if is_letter or (name != "answer_text" and _may_be_an_index(each, options)):
            other = f"is it the letter of {short_repr(by_letter)}" if is_letter else "does it count the options"
            raise row.wrong(
                name,
                "an option or its letter",
                f"is it the option {short_repr(each)}, or {other}? Name the column answer_text, or "
                "answer_index if it counts from 0",
            )
        found.append(option)
    return tuple(found)


def _with_number(row: Record, name: str) -> Record:
    """The row with a text of CSV as its number."""
    value = row.row[name]
    found = _FLOAT.fullmatch(value) if isinstance(value, str) else None
    return Record({**row.row, name: int(found[1])}, row.where, row.path) if found else row


def _may_be_an_index(answer: str, options: Sequence[str]) -> bool:
    """True if an answer such as "2" may be an index rather than the text of its option."""
    if not answer.isdecimal():
        return False
    places = {int(answer), int(answer) - 1}  # counted from 0 or from 1
    return any(0 <= place < len(options) and options[place] != answer for place in places)


def _texts(row: Record, name: str) -> list[str]:
    """A list, or the parts of a text between bars."""
    value = row.row[name]
    # A cell of CSV holds a list as text: '["a plate", "a cup"]'.
    if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
        try:
            value = _list_in(value)
        except ValueError:
            raise row.wrong(name, "a JSON list, or texts with | between them") from None
    if isinstance(value, Mapping) and isinstance(value.get("answer"), list):
        value = value["answer"]  # as older versions of datasets store the answers of VQA v2: one object of lists
    if isinstance(value, str):
        value = [each.strip() for each in value.split(_SEPARATOR)]
    if not isinstance(value, list):
        return [_plain(row, name, value)]
    if not value:
        raise row.wrong(name, "one text or more", "leave the field out where there is none")
    # Answers of several annotators, as VQA v2 has them on the hub: objects with an answer each.
    answers = [each.get("answer", each) if isinstance(each, Mapping) else each for each in value]
    return [_plain(row, name, each) for each in answers]


def _list_in(text: str) -> object:
    """The list in a cell: JSON, or as Python writes it, which MMMU and pandas do."""
    try:
        return parse_json(text)
    except ValueError:
        pass
    try:
        found: object = ast.literal_eval(text)
    except (SyntaxError, MemoryError, RecursionError, TypeError) as error:
        raise ValueError(text) from error
    return found


def _text(row: Record, name: str) -> str:
    return _plain(row, name, row.row[name])


def _plain(row: Record, name: str, value: object) -> str:
    """A text; a number or a truth in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    number = whole(value)
    if number is not None:
        return str(number)
    if is_number(value):
        return f"{value:g}"
    if not is_text(value):
        raise row.wrong(name, "texts, numbers or truths")
    return one_line(value)
