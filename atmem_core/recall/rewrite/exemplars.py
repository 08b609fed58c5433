"""Messages that need what was said before them: the embedding gate fires for what is near to one of these."""

EXEMPLARS: tuple[str, ...] = (
    # they refer to something just named
    "And what about hers?",
    "Which of the two was cheaper?",
    "Tell me more about that one.",
    "Does he still work there?",
    "Why did they do it?",
    "How much did it cost again?",
    "Is the other one better?",
    "Who gave it to him?",
    "What was the second option called?",
    "And the same for my brother?",
    "Can you say that differently?",
    "Where did she put them?",
    # they ask for a time or a chain that only the talk before makes plain
    "What happened after that?",
    "When was that, before or after the move?",
    "And how long ago did it start?",
    "What did I say the time before?",
    "Who was living there at that time?",
    "What was the name of the person who told us about it?",
    "Is it still the case since the last change?",
)
"""Twelve referential follow-ups, then seven that ask for a time or by way of another thing."""
