"""The kinds of record that an export holds, in their order in the file.

A kind joins here, and nowhere else; what it names by id comes before it.
"""

from atmem_core.records import RecordKind
from atmem_core.transfer.advice_lines import AdviceTransfer
from atmem_core.transfer.fact_lines import FactTransfer
from atmem_core.transfer.kinds import RecordTransfer
from atmem_core.transfer.link_lines import LinkTransfer
from atmem_core.transfer.note_lines import NoteTransfer
from atmem_core.transfer.profile_lines import ProfileTransfer
from atmem_core.transfer.turn_lines import TurnTransfer

KINDS: tuple[RecordTransfer, ...] = (
    NoteTransfer(),
    TurnTransfer(),
    FactTransfer(),
    LinkTransfer(),
    ProfileTransfer(),
    AdviceTransfer(RecordKind.LESSON),
    AdviceTransfer(RecordKind.PROCEDURE),
)
