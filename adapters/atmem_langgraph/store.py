"""A LangGraph store over a memory: for what asks ``runtime.store``, such as LangMem's tools.

An item is a note. Its namespace is the note's project, as JSON, and its key the note's session, so that both
are found by exact equality and read back as they were; a tag for each prefix of the namespace finds what
lies below it. A value that is one text under one key is stored as that text; any other as JSON.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from atmem_core import InvalidInput, Memory, Note
from atmem_langgraph.store_item import Address, ItemText, item_of, matches, prefix_tag

_PAGE = 200
_MOST_HITS = 50
"""What a memory's search gives at most."""
_BY_STORE = prefix_tag(())


class AtmemStore(BaseStore):
    """A key-value store whose items live in a memory, and may be recalled from it like any note.

    Deleting forgets: the item leaves store and recall, its history stays until it is erased.

    Args:
        memory: Where items live.
        subject: Whose memory: fixed, or the place of the label in a namespace that says so, such as 1
            for ``("memories", "ada")``. Then every operation has to name that label.
        index: For LangGraph's own signature; there is nothing to set, and a key in it is an error. What
            is searched is the whole value.
        source: Source of the notes, which sets their trust.

    Raises:
        InvalidInput: ``index`` has a key, or the subject is neither a text nor a place.
    """

    supports_ttl = False

    def __init__(
        self,
        memory: Memory,
        *,
        subject: str | int,
        index: dict[str, Any] | None = None,
        source: str = "assistant",
    ) -> None:
        if index:
            raise InvalidInput("index", f"has keys that nothing is set by: {', '.join(sorted(index))}")
        if isinstance(subject, bool) or not (isinstance(subject, str) or subject >= 0):
            raise InvalidInput("subject", f"must be a text, or a place from 0, got {subject!r}")
        self._memory = memory
        self._subject = subject
        self._source = source

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the reads in order, then the last write of each key."""
        results: list[Result] = []
        writes: dict[Address, PutOp] = {}
        for op in ops:
            if isinstance(op, PutOp):
                if op.index is not None:
                    raise InvalidInput("index", f"of a put can't be chosen here, got {op.index!r}")
                writes[Address(namespace=op.namespace, key=op.key)] = op
                results.append(None)
            else:
                results.append(self._read(op))
        for address, write in writes.items():
            self._write(address, write.value)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As ``batch``, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                note = self._note(Address(namespace=op.namespace, key=op.key))
                return None if note is None else item_of(note)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
            case _:
                raise InvalidInput("op", f"is none that a store knows: {type(op).__name__}")

    def _write(self, address: Address, value: Mapping[str, Any] | None) -> None:
        subject, old = self._whose(address.namespace), self._note(address)
        if value is None:
            if old is not None:
                self._memory.forget(old.id, subject=subject)
            return
        written = ItemText.of(value)
        if old is not None and ItemText.of_note(old) == written:
            return
        first_written = None if old is None else item_of(old).created_at
        told: dict[str, Any] = {
            "subject": subject,
            "project": address.project,
            "session": address.session,
            "tags": address.tags(written, first_written),
            "speaker": "assistant",
            "source": self._source,
        }
        stored = self._memory.remember(written.text, supersedes=None if old is None else old.id, **told)
        if old is not None and not stored.created:
            # Equal but for white space or accents' form: one text to a memory, two to a store.
            self._memory.forget(old.id, subject=subject)
            self._memory.remember(written.text, **told)

    def _note(self, address: Address) -> Note | None:
        found = self._memory.notes(
            subject=self._whose(address.namespace),
            project=address.project,
            session=address.session,
            tags=[_BY_STORE],
            limit=1,
        )
        return found[0] if found else None

    def _search(self, op: SearchOp) -> list[SearchItem]:
        tags, subject = [prefix_tag(op.namespace_prefix)], self._whose(op.namespace_prefix)
        if op.query:
            hits = self._memory.search(op.query, subject=subject, tags=tags, k=_MOST_HITS)
            found = [_scored(hit.record, hit.score) for hit in hits]
        else:
            found = [_scored(note, None) for note in self._all(subject, tags)]
        kept = [item for item in found if matches(item.value, op.filter)]
        return kept[op.offset : op.offset + op.limit]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        prefixes = [tuple(one.path) for one in conditions if one.match_type == "prefix"]
        subject = self._whose(max(prefixes, key=len, default=()))
        held = {Address.of_note(note).namespace for note in self._all(subject, [_BY_STORE])}
        found = {one for one in held if all(_matches(condition, one) for condition in conditions)}
        if op.max_depth is not None:
            found = {one[: op.max_depth] for one in found}
        return sorted(found)[op.offset : op.offset + op.limit]

    def _all(self, subject: str, tags: Sequence[str]) -> list[Note]:
        """Oldest first, as LangGraph's own store lists them."""
        notes: list[Note] = []
        while page := self._memory.notes(subject=subject, tags=tags, limit=_PAGE, offset=len(notes)):
            notes.extend(page)
        return notes[::-1]

    def _whose(self, namespace: Sequence[str]) -> str:
        if isinstance(self._subject, str):
            return self._subject
        named = namespace[self._subject] if len(namespace) > self._subject else "*"
        if named == "*":
            raise InvalidInput(
                "namespace",
                f"{tuple(namespace)!r} doesn't say whose memory; its label {self._subject} names the subject",
            )
        return named


def _scored(note: Note, score: float | None) -> SearchItem:
    item: Item = item_of(note)
    return SearchItem(
        namespace=item.namespace,
        key=item.key,
        value=item.value,
        created_at=item.created_at,
        updated_at=item.updated_at,
        score=score,
    )


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part = (
        namespace[: len(path)]
        if condition.match_type == "prefix"
        else namespace[len(namespace) - len(path) :]
    )
    return all(wanted in ("*", had) for wanted, had in zip(path, part, strict=True))
