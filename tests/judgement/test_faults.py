"""Faults that memories are known for, each a small store and a question, with the bundled model and without.

A right note has a name; what must stay back is whatever else is in the store.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product

import pytest

from atmem_core import Memory, ReasonCode, SupportClass
from atmem_core.embedding import Embedder, resolve
from atmem_core.embedding.hashing import HashingEmbedder
from atmem_core.testing.clocks import FakeClock

ADA = "ada"
MODEL, WORDS = "model", "words"
BOTH = (MODEL, WORDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One store, one question, and the only notes that may be released for it."""

    name: str
    notes: Sequence[str]
    query: str
    right: Sequence[str] = ()
    by: Sequence[str] = BOTH
    """The judges that must release what is right; all must hold back the rest."""


DOG = "Brutus is my Bernese mountain dog."
DOGS = (DOG, "Anna's dog is called Rex.", "I bought dog food for 30 euros.")
LONG = (
    "I was talking to a colleague yesterday about back pain, and she asked me for a recommendation. So could "
    "you please remind me: what was the name of my physiotherapist again?"
)
PHYSIO = "My physiotherapist is called Marta Lindqvist."
SHARED = ("Our refund policy is thirty days.", "Our privacy policy was updated by legal.")
TICKET = "Ticket INC100234 is about the broken printer."
BOILER = "Our boiler is serviced every October."

FAULTS = (
    # one shared word of two isn't direct
    Fault(name="two policies", notes=SHARED, query="travel policy"),
    Fault(name="the right policy", notes=SHARED, query="refund policy", right=[SHARED[0]]),
    # filler words of a long question don't dilute
    Fault(name="long question", notes=[PHYSIO, *DOGS], query=LONG, right=[PHYSIO], by=[MODEL]),
    Fault(
        name="polite question",
        notes=[PHYSIO, *DOGS],
        query="hey, sorry to bother you again, but could you please tell me who my physiotherapist is?",
        right=[PHYSIO],
    ),
    # negation is seen
    Fault(
        name="asked for what isn't",
        notes=["I eat fish on Fridays.", "I don't eat meat."],
        query="what don't I eat?",
        right=["I don't eat meat."],
    ),
    Fault(
        name="asked for what is",
        notes=["I don't drink coffee.", "I drink green tea."],
        query="which drinks do I drink?",
        right=["I drink green tea."],
    ),
    Fault(name="positive for negated", notes=["I like peanuts."], query="which nuts do I not like?"),
    # identifiers match whole or not at all
    Fault(name="a ticket off by a digit", notes=[TICKET], query="what is ticket INC100235 about?"),
    Fault(name="the ticket", notes=[TICKET], query="what is ticket INC100234 about?", right=[TICKET]),
    Fault(
        name="a version that is a prefix",
        notes=["Release 2.3.10 broke the login page."],
        query="what did release 2.3.1 break on the login page?",
    ),
    Fault(
        name="another year",
        notes=["In 2023 we went to Crete for the summer holidays."],
        query="where did we go for the summer holidays in 2024?",
    ),
    Fault(
        name="another date",
        notes=["The lease review is on 2026-04-12."],
        query="what happens on 2026-04-13 with the lease review?",
    ),
    Fault(
        name="another day",
        notes=["The swimming course is on Tuesday evenings."],
        query="which course is on Thursday evenings?",
    ),
    # one right record without a tail
    Fault(name="no tail", notes=DOGS, query="what breed is my dog Brutus?", right=[DOG]),
    # who, when, how much, a secret, a reason: asked, and absent
    Fault(name="who", notes=[BOILER], query="who services our boiler?"),
    Fault(name="price", notes=[BOILER], query="how much does servicing our boiler cost?"),
    Fault(name="reason", notes=[BOILER], query="why is our boiler serviced every October?"),
    Fault(name="when", notes=["The boiler is serviced by Tomas."], query="when is the boiler serviced?"),
    Fault(name="clock", notes=[BOILER], query="what time is our boiler serviced?"),
    Fault(name="count", notes=["I keep bees on the roof."], query="how many bees do I keep on the roof?"),
    Fault(name="colour", notes=["I drive an old Saab."], query="what colour is my old Saab?"),
    Fault(name="secret", notes=["The Wi-Fi router is in the hall."], query="what's the Wi-Fi password?"),
    Fault(
        name="another secret",
        notes=["The PIN of the garage door is 2580."],
        query="what's the PIN of my bank card?",
    ),
    Fault(
        name="when, present",
        notes=[BOILER],
        query="when is our boiler serviced?",
        right=[BOILER],
    ),
    Fault(
        name="when, at nine",
        notes=["The standup is at nine."],
        query="when is the standup?",
        right=["The standup is at nine."],
    ),
    Fault(
        name="when, at half past nine in digits",
        notes=["The standup is at 9:30."],
        query="when is the standup?",
        right=["The standup is at 9:30."],
    ),
    Fault(
        name="a secret, present",
        notes=["The PIN of the garage door is 2580."],
        query="what's the PIN of the garage door?",
        right=["The PIN of the garage door is 2580."],
    ),
    Fault(
        name="a secret, spelt otherwise",
        notes=["The password of the Wi-Fi is sunflower42."],
        query="what's the wifi password?",
        right=["The password of the Wi-Fi is sunflower42."],
    ),
    Fault(
        name="the code of another lock",
        notes=["The code for the bike lock is 8812."],
        query="what's the code for the front door?",
    ),
    Fault(name="where", notes=["My bike is a red Gazelle."], query="where is my bike?"),
    Fault(
        name="salary",
        notes=["I work as a nurse at St. Mary's."],
        query="what is my salary at St. Mary's?",
    ),
    # another person's
    Fault(
        name="the sister's for the brother's",
        notes=["My sister's phone number is 555 0199."],
        query="what is my brother's phone number?",
    ),
    Fault(
        name="the mother's for the father's",
        notes=["My mother's surgery is on 3 June."],
        query="when is my father's surgery?",
    ),
    Fault(
        name="another one's diet",
        notes=["Clara is vegetarian."],
        query="is Tomas vegetarian?",
    ),
    Fault(
        name="the user's own for somebody's",
        notes=["My birthday is on 4 May."],
        query="when is Clara's birthday?",
    ),
    Fault(
        name="somebody's for the user's own",
        notes=["Clara's birthday is on 4 May."],
        query="when is my birthday?",
    ),
    Fault(
        name="another name",
        notes=["Clara works at the harbour office."],
        query="where does Tomas work?",
    ),
    Fault(
        name="the right name",
        notes=["Clara works at the harbour office.", "Tomas works at the mill."],
        query="where does Tomas work?",
        right=["Tomas works at the mill."],
    ),
    # not a memory's business
    Fault(name="greeting", notes=["Hello is the name of our cat."], query="hello there!"),
    Fault(name="thanks", notes=["Thanks was what she said."], query="ok thanks, that's great"),
    Fault(name="command", notes=["The haiku club meets on Mondays."], query="write a haiku"),
    Fault(name="unrelated", notes=DOGS, query="what's the capital of Mongolia?"),
)


each_judge = pytest.mark.parametrize("judge", BOTH)


def embedder_of(judge: str) -> Embedder | None:
    return resolve("auto").embedder if judge == MODEL else None


def cases() -> Iterator[object]:
    for judge, fault in product(BOTH, FAULTS):
        yield pytest.param(judge, fault, id=f"{judge}: {fault.name}")


def filled(notes: Sequence[str], embedder: Embedder | None) -> Memory:
    memory = Memory.open(":memory:", embedder=embedder, clock=FakeClock())
    for text in notes:
        memory.remember(text, subject=ADA)
    return memory


def released(memory: Memory, query: str) -> list[str]:
    return [note.text for note in memory.recall(query, subject=ADA).records]


@pytest.mark.parametrize(("judge", "fault"), list(cases()))
def test_only_what_is_right_is_released(judge: str, fault: Fault) -> None:
    with filled(fault.notes, embedder_of(judge)) as memory:
        out = released(memory, fault.query)
    assert set(out) <= set(fault.right)
    if judge in fault.by:
        assert out == list(fault.right)


@pytest.mark.parametrize("query", ["hello there!", "thanks a lot", "ok", "write a haiku", "good morning :)"])
def test_what_asks_for_no_memory_is_refused_by_rule(query: str) -> None:
    with filled([query], None) as memory:
        decision = memory.decide(query, subject=ADA)
    assert decision.support_class is SupportClass.NO_USEFUL_MEMORY
    assert set(decision.reason_codes) <= {
        ReasonCode.SMALL_TALK,
        ReasonCode.TASK_COMMAND,
        ReasonCode.NO_CONTENT,
    }


def test_a_named_speaker_may_tell_of_somebody_else() -> None:
    text = "My daughter Mia won the sprint at the school race."
    with Memory.open(":memory:", embedder=embedder_of(MODEL), clock=FakeClock()) as memory:
        memory.remember(text, subject=ADA, speaker="Melanie")
        assert released(memory, "what did Mia win at the school race?") == [text]


# -- what was true once


@each_judge
def test_the_superseded_is_never_released(judge: str) -> None:
    with Memory.open(":memory:", embedder=embedder_of(judge), clock=FakeClock()) as memory:
        old = memory.remember("My dentist is Dr. Okafor in Mill Lane.", subject=ADA)
        memory.supersede(old.id, "My dentist is Dr. Brandt in Quay Street.", subject=ADA)
        for query in ("who is my dentist?", "is Dr. Okafor in Mill Lane my dentist?", "dentist Mill Lane"):
            assert "My dentist is Dr. Okafor in Mill Lane." not in released(memory, query)
        assert released(memory, "who is my dentist?") == ["My dentist is Dr. Brandt in Quay Street."]


@each_judge
def test_of_two_tellings_of_one_statement_the_newer_is_released(judge: str) -> None:
    with Memory.open(":memory:", embedder=embedder_of(judge), clock=FakeClock()) as memory:
        for year, city in ((2024, "Lisbon"), (2025, "Porto")):
            told = datetime(year, 1, 1, tzinfo=UTC)
            memory.remember(f"I live in {city} in a small flat.", subject=ADA, occurred_at=told)
        assert released(memory, "where do I live?") == ["I live in Porto in a small flat."]


# -- what may order and never support


@each_judge
def test_trust_and_age_make_nothing_relevant(judge: str) -> None:
    with Memory.open(":memory:", embedder=embedder_of(judge), clock=FakeClock()) as memory:
        memory.remember("The library closes at six.", subject=ADA, trust=1.0)
        decision = memory.decide("what breed is my dog Brutus?", subject=ADA)
        assert decision.ranked_record_ids == ()
        priors = [
            part
            for one in decision.candidates
            for part in one.contributions
            if part.name in {"trust", "recency", "candidate_prior", "graph"}
        ]
        assert not any(part.eligible_for_support for part in priors)


@each_judge
def test_a_web_page_is_not_released_on_its_own_word(judge: str) -> None:
    with Memory.open(":memory:", embedder=embedder_of(judge), clock=FakeClock()) as memory:
        memory.remember(DOG, subject=ADA, source="web")
        decision = memory.decide("what breed is my dog Brutus?", subject=ADA)
    assert decision.ranked_record_ids == ()
    assert ReasonCode.UNTRUSTED_SOURCE in decision.candidates[0].reason_codes


def test_hashing_releases_no_more_than_words_do() -> None:
    for fault in FAULTS:
        with filled(fault.notes, HashingEmbedder()) as hashing, filled(fault.notes, None) as words:
            assert set(released(hashing, fault.query)) <= set(released(words, fault.query)), fault.name


# -- slips of the pen, in a large vocabulary

SYLLABLES = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]
TARGETS = {
    "The telescope is stored in the northern observatory.": "where is the tleescope stored?",
    "Our accountant is Benedikta Sørlund.": "who is our accuontant?",
    "The harpsichord was tuned by Leopold.": "who tuned the harpsicord?",
}


def made_up_words() -> Iterator[str]:
    yield from (
        f"{one}{two}{three}x" for one, two, three in product(SYLLABLES, SYLLABLES[::9], SYLLABLES[::3])
    )


@pytest.fixture(scope="module")
def crowded() -> Iterator[Memory]:
    """A store whose vocabulary has more than 10,000 words."""
    words = made_up_words()
    with Memory.open(":memory:", embedder=None, clock=FakeClock()) as memory:
        for _ in range(90):
            memory.remember(" ".join(next(words) for _ in range(120)), subject=ADA)
        for text in TARGETS:
            memory.remember(text, subject=ADA)
        yield memory


@pytest.mark.parametrize(("text", "query"), TARGETS.items())
def test_a_slip_is_found_among_ten_thousand_words(crowded: Memory, text: str, query: str) -> None:
    assert released(crowded, query) == [text]
