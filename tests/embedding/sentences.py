"""Pairs of sentences for tests of meaning."""

ALIKE = (
    ("My dog Brutus is a Bernese mountain dog.", "What breed is my dog?"),
    ("I work as a nurse in the children's hospital.", "What is my job?"),
    ("She is allergic to peanuts.", "Which foods make her ill?"),
    ("We moved to Lisbon last spring.", "Where do we live now?"),
    ("He plays the cello in an orchestra.", "Does he make music?"),
)
"""Statement and a question that it answers, with few words in common."""

ACROSS_LANGUAGES = (
    ("My dog Brutus is a Bernese mountain dog.", "¿De qué raza es mi perro?"),
    ("I work as a nurse in the children's hospital.", "Was bin ich von Beruf?"),
    ("She is allergic to peanuts.", "哪种食物会让她过敏"),
    ("We moved to Lisbon last spring.", "Куда мы переехали прошлой весной?"),
    ("He plays the cello in an orchestra.", "De quel instrument joue-t-il ?"),
)
"""English statement and a question in another language that it answers."""
