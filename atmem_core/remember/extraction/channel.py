"""A queue that never makes its producer wait: when it is full, the oldest item gives way."""

from collections import deque
from typing import Generic, TypeVar

_T = TypeVar("_T")


class BoundedChannel(Generic[_T]):
    """First in, first out. Not safe for threads by itself: whoever owns it holds a lock.

    Args:
        capacity: Most items that wait.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._items: deque[_T] = deque()

    def __len__(self) -> int:
        return len(self._items)

    def send(self, item: _T) -> _T | None:
        """Append the item; the oldest one when it had to go for it, else None."""
        gone = self._items.popleft() if len(self._items) >= self._capacity else None
        self._items.append(item)
        return gone

    def take(self) -> _T | None:
        """The oldest item, or None when there is none."""
        return self._items.popleft() if self._items else None

    def clear(self) -> list[_T]:
        """Everything that waited, oldest first; nothing waits any more."""
        items = list(self._items)
        self._items.clear()
        return items
