"""Pairs of sentences for tests of meaning."""

ALIKE = (
    ("My dog Brutus is a Bernese mountain dog.", "What breed is my dog?"),
    ("I work as a nurse in the children's hospital.", "What is my job?"),
    ("She is allergic to peanuts.", "Which foods make her ill?"),
    ("We moved to Lisbon last spring.", "Where do we live now?"),
    ("He plays the cello in an orchestra.", "Does he make music?"),
)
"""Statement and a question that it answers, with few words in common."""
