"""Votes: what a person or a host found helpful, fading as new votes come in. Pure.

A score is a sum of votes, each 1 or -1, of which every new vote leaves 95% of the ones before.
"""

DECAY = 0.95
MOST = 50.0
"""A score stays from -50 to 50."""
HIDDEN = -3.0
"""A profile fact with this score or less isn't shown, pinned or not."""
BLEND = 0.6
"""Weight of votes beside outcomes when advice is ordered."""


def voted(score: float, direction: int) -> float:
    """The score after one more vote, 1 or -1; rounded to 6 digits."""
    return round(max(-MOST, min(MOST, score * DECAY + direction)), 6)
