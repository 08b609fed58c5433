"""A vote, checked."""

from atmem_core.clock import Clock
from atmem_core.errors import InvalidInput
from atmem_core.records import Vote, label, shown


def checked_vote(direction: object, clock: Clock, *, session: str | None, turn: str | None) -> Vote:
    """A vote. Raises InvalidInput unless it is 1 or -1."""
    if direction not in {1, -1} or isinstance(direction, bool) or not isinstance(direction, int):
        raise InvalidInput("direction", f"must be 1 for helpful or -1 for not, got {shown(direction)}")
    return Vote(
        direction=direction,
        at=clock.now(),
        session=None if session is None else label("session", session),
        turn=None if turn is None else label("turn", turn),
    )
