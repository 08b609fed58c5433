"""Every table of a file, and what erases a person's rows of it. A table that isn't here fails a test."""

from collections.abc import Mapping

ERASERS: Mapping[str, str] = {
    "notes": "leaving.erase",
    "notes_fts": "leaving.leave_index",
    "vocabulary": "leaving.leave_index",
    "waiting": "leaving.leave_index",
    "near_keys": "leaving.leave_index",
    # With their note, by the cascades of the schema.
    "note_tags": "leaving.erase",
    "vectors": "leaving.erase",
    "links": "leaving.erase",
    "facts": "leaving.erase",
    "fact_ends": "leaving.erase",
    "turns": "turns.erase_with_turns",
    # With the last note of the subject; its epochs by a trigger.
    "subjects": "leaving.erase",
    "epochs": "leaving.erase",
    "profile_facts": "context_leaving.erase_all",
    "advice": "context_leaving.erase_all",
    # With their advice, by the cascades of the schema.
    "advice_parents": "context_leaving.erase_all",
    "votes": "context_leaving.erase_all",
}
"""Module and function, from this package."""
NOBODYS = frozenset({"file_state"})
"""Tables that hold nothing of a person."""
