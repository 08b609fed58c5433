"""The receipt: what stands in a context, read off its bytes and not off what was meant to stand there."""

import hashlib
import re
from collections.abc import Mapping, Sequence

from atmem_core.context.assembly import HEADINGS
from atmem_core.records import Channel, ContextReceipt, Entry, ReceiptLine, Section

_HEAD = re.compile(r"- \[(\S+) ")
_CHANNEL_OF = {heading: channel for channel, heading in HEADINGS.items()}


def receipt_of(text: str, sections: Sequence[Section], decision_id: str | None) -> ContextReceipt:
    """Each line of the text that shows a record.

    Args:
        text: As a model gets it.
        sections: What knows by which rule, and with which score, a record was offered.
        decision_id: Of the decision behind it.
    """
    offered = {(section.channel, entry.record_id): entry for section in sections for entry in section.entries}
    data = text.encode()
    return ContextReceipt(
        sha256=hashlib.sha256(data).hexdigest(),
        bytes=len(data),
        lines=tuple(_read(data, offered)),
        decision_id=decision_id,
    )


def _read(data: bytes, offered: Mapping[tuple[Channel, str], Entry]) -> list[ReceiptLine]:
    found: list[ReceiptLine] = []
    channel: Channel | None = None
    start = 0
    for raw in data.split(b"\n"):
        end = start + len(raw)
        line = raw.decode()
        channel = _CHANNEL_OF.get(line, channel)
        head = _HEAD.match(line)
        if head and channel:
            entry = offered[channel, head[1]]
            found.append(
                ReceiptLine(
                    record_id=entry.record_id,
                    channel=channel,
                    shown_for=entry.shown_for,
                    score=entry.score,
                    start=start,
                    end=end,
                )
            )
        start = end + 1
    return found
