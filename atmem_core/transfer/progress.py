"""How far a long move is."""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int | None], None]
"""Called after each batch with how much is done, and of how much; None when that isn't known."""
