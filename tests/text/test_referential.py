"""Which messages point back, by their words."""

import pytest

from atmem_core.text import points_back
from tests.recall.follow_ups import FOLLOW_UPS, SELF_CONTAINED


@pytest.mark.parametrize(
    "message",
    [
        "what about it?",
        "Tell the people at the bank in Porto about that",
        "And when does the train to Porto leave on Sunday morning?",
        "the red one",
        "more details on how long the flight from Oslo takes please",
        "А когда уходит поезд из Москвы в Казань утром?",
        "где живёт он сейчас, после переезда в другой город?",
    ],
)
def test_a_pronoun_a_conjunction_in_front_or_few_words_point_back(message: str) -> None:
    assert points_back(message)


@pytest.mark.parametrize(
    "message",
    [
        "",
        " \n\t",
        "?!...",
        "what is FTS5?",
        "What's FTS5?",
        "Where does my sister Anna keep the spare keys of the house in Porto?",
        "Когда день рождения у Анны?",
        "Wann haben Sie in Berlin Ihre Praxis eröffnet?",
        "¿Qué es FTS5?",
        "Does NASA or ESA pay for the launch in May?",
        "What happens when the old plant dies in winter?",
    ],
)
def test_a_message_that_stands_alone_does_not(message: str) -> None:
    assert not points_back(message)


@pytest.mark.parametrize(
    "message",
    [
        "Wann ist ihr Flug nach Lissabon gelandet, weißt du das?",
        "Wie heißt er und wo wohnt er mit der Familie?",
        "Und wann fährt der Zug nach Porto am Sonntag?",
        "¿Cuándo llega ella a la casa de mi hermano?",
        "¿Y cuándo sale el tren de Lisboa a Porto?",
        "Où habite-t-elle depuis le mois de mars dernier ?",
        "Et quand part le train de Paris pour la ville ?",
    ],
)
def test_pronouns_and_conjunctions_of_three_more_languages_count(message: str) -> None:
    assert points_back(message)


def test_punctuation_at_the_edges_is_no_part_of_a_word() -> None:
    assert points_back("What would the landlord of the house say about «it»?!")


def test_how_many_follow_ups_fire_and_how_many_other_questions() -> None:
    # What was measured, as docs/explanation/figures.md tells it; a change of the lists has to look at both.
    fired = sum(map(points_back, FOLLOW_UPS)), sum(map(points_back, SELF_CONTAINED))
    assert (fired, len(FOLLOW_UPS), len(SELF_CONTAINED)) == ((20, 3), 26, 24)
