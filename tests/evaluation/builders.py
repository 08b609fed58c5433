"""Small outcomes, and small files in every layout, made by hand."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from atmem_core import SupportClass
from atmem_core.policy.metrics import NegativeKind, Outcome

DIRECT = SupportClass.DIRECT_SUPPORT
BACKGROUND = SupportClass.BACKGROUND_CONTEXT
NONE = SupportClass.NO_USEFUL_MEMORY

ANSWERED = Outcome(
    label="plain",
    negative=None,
    support=DIRECT,
    score=0.8,
    certainty=0.8,
    top_right=True,
    ranks=(1,),
    injected=1,
    injected_right=1,
    covered=1,
)
SILENT = Outcome(
    label="absent",
    negative=NegativeKind.FACT_ABSENT,
    support=NONE,
    score=0.02,
    certainty=0.02,
    top_right=False,
    ranks=(),
    injected=0,
    injected_right=0,
    covered=0,
)


def answerable(**changes: Any) -> Outcome:
    """A question that is answered rightly, but for the changes."""
    return replace(ANSWERED, **changes)


def negative(kind: NegativeKind = NegativeKind.FACT_ABSENT, **changes: Any) -> Outcome:
    """A question that is withheld rightly, but for the changes."""
    return replace(SILENT, negative=kind, **changes)


def turn(number: str, speaker: str, text: str, **more: str) -> dict[str, str]:
    return {"dia_id": number, "speaker": speaker, "text": text, **more}


def asked(question: str, category: int, *evidence: str) -> dict[str, object]:
    return {"question": question, "category": category, "evidence": list(evidence)}


IDA_AND_PER: dict[str, Any] = {
    "sample_id": "ida-per",
    "conversation": {
        "speaker_a": "Ida",
        "speaker_b": "Per",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            turn("D1:1", "Ida", "Hi Per, the harbour was frozen this morning."),
            turn("D1:2", "Per", "Brr. I adopted a greyhound called Comet last week."),
            turn("D1:3", "Ida", "Lovely!", blip_caption="a grey dog on a sofa"),
            turn("D1:4", "Per", "He sleeps all day long."),
        ],
        "session_2_date_time": "9:05 am on 2 June, 2023",
        "session_2": [
            turn("D2:1", "Ida", "I started a pottery class with my aunt on Tuesday."),
            turn("D2:2", "Per", "Then bring me a mug from the kiln one day."),
            turn("D2:3", "Ida", "First I have to learn how to centre the clay."),
            turn("D2:4", "Per", "I repaired the old rowing boat in the meantime."),
        ],
    },
    "qa": [
        asked("What is the name of Per's greyhound?", 4, "D1:2"),
        asked("When did Ida start her pottery class?", 2, "D2:1"),
        asked("What did Ida and Per learn and repair?", 1, "D2:03; D2:4"),
        asked("What did Ida repair?", 5, "D2:4"),
        asked("What is nowhere in the turns?", 4, "D9:9"),
    ],
}
OLA_AND_UNA: dict[str, Any] = {
    "sample_id": "ola-una",
    "conversation": {
        "session_1_date_time": "7:00 pm on 1 April, 2024",
        "session_1": [
            turn("D1:1", "Ola", "My telescope arrived, a reflector with an eight inch mirror."),
            turn("D1:2", "Una", "And I won the chess tournament in Bergen."),
            turn("D1:3", "Ola", "Congratulations, that calls for cake."),
            turn("D1:4", "Una", "The final took five hours."),
            turn("D1:5", "Ola", "Mine would have taken five minutes."),
            turn("D1:6", "Una", "You never practise."),
        ],
    },
    "qa": [
        asked("What kind of telescope does Ola have?", 4, "D1:1"),
        asked("Where did Una win the chess tournament?", 4, "D1:2"),
    ],
}
LOCOMO: list[dict[str, Any]] = [IDA_AND_PER, OLA_AND_UNA]


def article(title: str, *paragraphs: tuple[str, list[dict[str, object]]]) -> dict[str, object]:
    return {"title": title, "paragraphs": [{"context": text, "qas": qas} for text, qas in paragraphs]}


SQUAD: dict[str, Any] = {
    "version": "v2.0",
    "data": [
        article(
            "Lighthouses",
            (
                "The lighthouse at Skarvik was built in 1874 from red granite.",
                [
                    {"question": "When was the lighthouse at Skarvik built?", "is_impossible": False},
                    {"question": "Who painted the lighthouse at Skarvik?", "is_impossible": True},
                ],
            ),
            (
                "Its lamp burned rapeseed oil until electricity arrived.",
                [{"question": "What did the lamp burn?", "is_impossible": False}],
            ),
        ),
        article(
            "Moss",
            (
                "Sphagnum moss holds twenty times its weight in water.",
                [{"question": "How much water does sphagnum moss hold?", "is_impossible": False}],
            ),
        ),
    ],
}
XQUAD_EN: dict[str, Any] = {
    "data": [
        article("Salt", ("The mine in Hallein sold salt for centuries.", [{"question": "What was sold?"}]))
    ]
}
XQUAD_DE: dict[str, Any] = {
    "data": [
        article("Salz", ("Das Bergwerk in Hallein verkaufte Salz.", [{"question": "Was wurde verkauft?"}]))
    ]
}


def said(role: str, content: str, **more: object) -> dict[str, object]:
    return {"role": role, "content": content, **more}


LONGMEMEVAL: list[dict[str, Any]] = [
    {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Which marathon did I sign up for?",
        "question_date": "2023/06/01 (Thu) 10:00",
        "answer_session_ids": ["s2"],
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 18:00"],
        "haystack_sessions": [
            [said("user", "How do I prune a fig tree?"), said("assistant", "Cut it back in late winter.")],
            [
                said("user", "I signed up for the marathon in Turku.", has_answer=True),
                said("assistant", "Good luck!"),
            ],
        ],
    },
    {
        "question_id": "q2_abs",
        "question_type": "multi-session",
        "question": "Which triathlon did I sign up for?",
        "question_date": "2023/06/01 (Thu) 10:00",
        "answer_session_ids": ["s1"],
        "haystack_session_ids": ["s1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [[said("user", "I signed up for the marathon in Turku.")]],
    },
]
LINES: list[dict[str, Any]] = [
    {"type": "store", "store": "home", "now": "2026-03-01T12:00:00Z"},
    {"type": "note", "store": "home", "key": "n2", "text": "Mira moved on to Faro.", "supersedes": "n1"},
    {"type": "note", "store": "home", "key": "n1", "text": "Mira moved to Porto.", "speaker": "Mira"},
    {"type": "question", "store": "home", "text": "Where did Mira move on to?", "evidence": ["n2"]},
    {"type": "question", "store": "home", "text": "What is Mira's blood group?", "label": "medical"},
]
PRECISION: dict[str, Any] = {
    "name": "doors",
    "now": "2026-03-01T12:00:00Z",
    "records": [
        {
            "id": "r1",
            "text": "The gate code is 4410.",
            "scope": {"subject": "ada"},
            "status": "superseded",
            "superseded_by": "r2",
        },
        {"id": "r2", "text": "The gate code is 7203.", "scope": {"subject": "ada"}},
        {"id": "r3", "text": "The gate code is 9999.", "scope": {"subject": "bo"}},
        {
            "id": "r4",
            "text": "The shed key hangs behind the ladder.",
            "scope": {"subject": "ada"},
            "status": "forgotten",
        },
        {
            "id": "r5",
            "text": "The parking permit is valid on Mondays.",
            "scope": {"subject": "ada"},
            "status": "expired",
        },
    ],
    "cases": [
        {
            "id": "c1",
            "query": "What is the gate code?",
            "scope": {"subject": "ada"},
            "must_return": ["r2"],
            "must_not_return": ["r1", "r3"],
        },
        {
            "id": "c2",
            "scope": {"subject": "ada"},
            "turns": [
                {
                    "query": "Where does the shed key hang?",
                    "must_return": [],
                    "must_not_return": ["r4"],
                },
                {
                    "query": "When is the parking permit valid?",
                    "must_return": [],
                    "must_not_return": ["r5"],
                },
            ],
        },
    ],
}
STORE: dict[str, Any] = {
    "store": "desk",
    "now": "2026-03-01T12:00:00Z",
    "notes": [
        {"key": "n1", "text": "The projector lamp was replaced in January.", "speaker": "Noor"},
        {"key": "n2", "text": "Visitors park behind the bakery.", "speaker": "Noor"},
    ],
    "cases": [
        {"query": "When was the projector lamp replaced?", "kind": "exact", "answers": ["n1"]},
        {"query": "Good morning!", "kind": "smalltalk", "answers": []},
        {"query": "What is the alarm code?", "kind": "secret", "answers": []},
    ],
}


def written(folder: Path, name: str, data: object) -> Path:
    """A JSON file."""
    path = folder / name
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def lines(folder: Path, values: list[dict[str, Any]], name: str = "own.jsonl") -> Path:
    """A file of JSON lines."""
    path = folder / name
    path.write_text("\n".join(json.dumps(one) for one in values) + "\n\n", encoding="utf-8")
    return path
