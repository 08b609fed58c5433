"""What a caller can do with one file: the facade."""

from atmem_core.memory.facade import Memory

__all__ = ["Memory"]
