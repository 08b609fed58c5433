"""SQuAD's layout: an article is a store, its paragraphs are notes. XQuAD's: a language asks another.

Both are objects with ``data``, a list of articles with ``title`` and ``paragraphs``; a paragraph has
``context`` and ``qas``, each with ``question`` and, in SQuAD 2.0, ``is_impossible``.
"""

from collections.abc import Iterator, Mapping, Sequence

from atmem_core.errors import InvalidInput
from atmem_core.evaluation.dataset import SUBJECT, DatasetNote, DatasetStore, Question, asked_at
from atmem_core.evaluation.readers.fields import Fields
from atmem_core.policy.metrics import NegativeKind
from atmem_core.records import Scope

ARTICLES_A_STORE = 10
"""XQuAD's articles have five paragraphs each: alone they would be no search."""
_SOURCE = "import"
_SPEAKER = "document"


def read(data: object) -> tuple[DatasetStore, ...]:
    """SQuAD: a store for each article; an impossible question is one whose fact is absent."""
    return tuple(_article(article, index) for index, article in enumerate(articles(data)))


def articles(data: object) -> list[Fields]:
    """The articles of a file of either layout."""
    return Fields.of(data, "the file").objects("data")


def _article(article: Fields, index: int) -> DatasetStore:
    subject = article.some_text("title") or f"article {index + 1}"
    paragraphs = article.objects("paragraphs")
    notes = tuple(_note(subject, number, one) for number, one in enumerate(paragraphs, 1))
    questions = [
        _question(subject, (f"p{number}",), one, label="")
        for number, paragraph in enumerate(paragraphs, 1)
        for one in paragraph.objects("qas")
    ]
    return DatasetStore(name=subject, now=asked_at(notes), notes=notes, questions=tuple(questions))


def _note(subject: str, key: int | str, paragraph: Fields) -> DatasetNote:
    name = f"p{key}" if isinstance(key, int) else key
    return DatasetNote(
        key=name,
        text=paragraph.text("context"),
        scope=Scope(subject=subject),
        speaker=_SPEAKER,
        source=_SOURCE,
    )


def _question(subject: str, evidence: tuple[str, ...], one: Fields, *, label: str) -> Question:
    impossible = one.values.get("is_impossible") is True
    return Question(
        text=one.text("question"),
        label=label or ("impossible" if impossible else "possible"),
        scope=Scope(subject=subject),
        evidence=() if impossible else (evidence,),
        negative=NegativeKind.FACT_ABSENT if impossible else None,
    )


def read_languages(asking: Mapping[str, object], paragraphs: object) -> tuple[DatasetStore, ...]:
    """XQuAD: the paragraphs of one file, and the questions of each language about them.

    Args:
        asking: Language to the file whose questions are asked; the same articles in the same order.
        paragraphs: The file whose paragraphs are stored.
    """
    stored = articles(paragraphs)
    questions = {language: articles(data) for language, data in asking.items()}
    for language, asked in questions.items():
        _refuse_unlike(language, asked, stored)
    return tuple(
        _shelf(range(first, min(first + ARTICLES_A_STORE, len(stored))), stored, questions)
        for first in range(0, len(stored), ARTICLES_A_STORE)
    )


def _shelf(
    numbers: range, stored: Sequence[Fields], questions: Mapping[str, Sequence[Fields]]
) -> DatasetStore:
    notes = tuple(
        _note(SUBJECT, f"a{article + 1}p{number}", paragraph)
        for article in numbers
        for number, paragraph in enumerate(stored[article].objects("paragraphs"), 1)
    )
    asked = tuple(
        one
        for language, of_language in questions.items()
        for article in numbers
        for one in _asked(language, article, of_language[article])
    )
    name = f"articles {numbers.start + 1} to {numbers.stop}"
    return DatasetStore(name=name, now=asked_at(notes), notes=notes, questions=asked)


def _asked(language: str, article: int, of_language: Fields) -> Iterator[Question]:
    for number, paragraph in enumerate(of_language.objects("paragraphs"), 1):
        for one in paragraph.objects("qas"):
            yield _question(SUBJECT, (f"a{article + 1}p{number}",), one, label=language)


def _refuse_unlike(language: str, asked: Sequence[Fields], stored: Sequence[Fields]) -> None:
    """Question and paragraph are matched by place, so both files must hold the same articles."""
    shapes = [[len(one.objects("paragraphs")) for one in file] for file in (asked, stored)]
    if shapes[0] != shapes[1]:
        raise InvalidInput(
            "dataset",
            f"the questions of {language!r} come from {len(asked)} articles and the paragraphs from "
            f"{len(stored)}, or their paragraphs differ; give two files of the same set",
        )
