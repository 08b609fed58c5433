"""Fuzzers: of queries, of import files, of the MCP server. Each gives how many inputs it tried."""

import json
import random
import string
from io import BytesIO
from pathlib import Path
from typing import Any

from atmem_core import ImportFormat, InvalidInput, Memory, WriteRefused
from tests.store.test_text import SYNTAX

FILES = Path(__file__).parents[2] / "transfer" / "files"
SUBJECT = "ada"
_MARKS = "\"'*^()[]{}:;,.-+%_\\/?!#@&|~`$<>= \t\n\0"
_STRANGE = "\u200b\u202e\u0301\ud800\udfff\ufeff\uffff\U000e0041\U0001f468\u200d犬家ไทयह"
_WORDS = "dog house red NEAR AND OR NOT search_text what is the of my when who code 2026 12:30".split()
_ANY: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1e308,
    10**30,
    "",
    "x" * 5_000,
    [],
    {},
    [[[]]],
    {"a": None},
    "\ud800",
)


def odd_text(dice: random.Random) -> str:
    """Words, marks, syntax, and whatever code point comes."""
    parts = []
    for _ in range(dice.randrange(1, 12)):
        kind = dice.randrange(5)
        if kind == 0:
            parts.append(dice.choice(_WORDS))
        elif kind == 1:
            parts.append("".join(dice.choices(_MARKS + _STRANGE, k=dice.randrange(1, 9))))
        elif kind == 2:
            parts.append(dice.choice(SYNTAX)[:200])
        elif kind == 3:
            parts.append("".join(chr(dice.randrange(0x110000)) for _ in range(dice.randrange(1, 6))))
        else:
            parts.append("".join(dice.choices(string.printable, k=dice.randrange(1, 20))))
    return dice.choice(("", " ", "\n")).join(parts)


def fuzz_queries(memory: Memory, rounds: int, seed: int) -> int:
    """Odd texts, stored and asked for; whatever has a word is found again."""
    dice = random.Random(seed)  # noqa: S311 - the same inputs each time
    tried = 0
    for number in range(rounds):
        text = odd_text(dice)
        tried += 1
        if number % 8 == 0:
            try:
                memory.remember(text, subject=SUBJECT)
                memory.facts.add("user", "said", text[:1_000], subject=SUBJECT)
                memory.sessions.append(text, subject=SUBJECT, session="s")
            except WriteRefused as refused:
                if refused.code not in {"empty_text", "only_recalled_memory", "text_too_long"}:
                    raise
        _ask(memory, text, dice)
    return tried


def _ask(memory: Memory, text: str, dice: random.Random) -> None:
    verb = dice.randrange(5)
    try:
        if verb == 0:
            memory.decide(text, subject=SUBJECT)
        elif verb == 1:
            memory.context(text, subject=SUBJECT, allow_background=True, budget_tokens=dice.randrange(1, 500))
        elif verb == 2:
            memory.search(text, subject=SUBJECT, mode=dice.choice(("hybrid", "keyword")))
        elif verb == 3:
            memory.facts.search(text, subject=SUBJECT)
        else:
            memory.sessions.search(text, subject=SUBJECT, session="s")
    except InvalidInput:
        if text.strip():  # a query with something in it is never refused
            raise


def fuzz_imports(memory: Memory, rounds: int, seed: int) -> int:
    """Files of every format and an export, with bytes changed, cut, doubled, and values of another kind."""
    dice = random.Random(seed)  # noqa: S311 - the same inputs each time
    samples = [(path.read_bytes(), _format_of(path)) for path in sorted(FILES.iterdir())]
    samples.append(("\n".join(memory.export_records(subject=SUBJECT)).encode(), "jsonl"))
    stored = 0
    for number in range(rounds):
        data, form = dice.choice(samples)
        data = _retyped(data, dice) if dice.random() < 0.4 else _changed(data, dice)
        if dice.random() < 0.1:
            form = dice.choice(list(ImportFormat)).value
        try:
            receipt = memory.import_file(BytesIO(data), subject=f"import {number % 7}", format=form)
        except InvalidInput:
            continue  # the file is none of its format
        stored += bool(receipt.created or receipt.unchanged)
    assert stored > rounds / 4, "most files must get past their first bytes"
    return rounds


def _format_of(path: Path) -> str:
    return "jsonl" if path.suffix == ".jsonl" else path.stem


def _changed(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.randrange(1, 8)):
        at = dice.randrange(len(changed) + 1)
        kind = dice.randrange(4)
        if kind == 0 and changed:
            changed[at % len(changed)] = dice.randrange(256)
        elif kind == 1:
            del changed[at : at + dice.randrange(1, 200)]
        elif kind == 2:
            changed[at:at] = dice.choice(
                (b"\0", b"\xff\xfe", b'"', b"{", b"]", b"\n", b"\\u0000", b"\\ud800")
            )
        else:
            changed[at:at] = changed[at : at + dice.randrange(1, 400)]
    return bytes(changed)


def _retyped(data: bytes, dice: random.Random) -> bytes:
    """Well-formed JSON, some of whose values are of another kind."""
    lines = data.decode(errors="replace").split("\n")
    if len(lines) > 2 and lines[0].lstrip().startswith("{") and lines[0].rstrip().endswith("}"):
        return "\n".join(_one_retyped(line, dice) for line in lines).encode(errors="replace")
    return _one_retyped("\n".join(lines), dice).encode(errors="replace")


def _one_retyped(text: str, dice: random.Random) -> str:
    try:
        return json.dumps(_exchanged(json.loads(text), dice))
    except ValueError:
        return text


def _exchanged(value: Any, dice: random.Random) -> Any:
    if dice.random() < 0.04:
        return dice.choice(_ANY)
    if isinstance(value, dict):
        return {key: _exchanged(one, dice) for key, one in value.items()}
    if isinstance(value, list):
        return [_exchanged(one, dice) for one in value]
    return value


def messages(rounds: int, seed: int) -> list[bytes]:
    """Lines for an MCP server: requests that are nearly right, and garbage. Each asks for one answer."""
    dice = random.Random(seed)  # noqa: S311 - the same inputs each time
    return [_message(number, dice) for number in range(rounds)]


def _message(number: int, dice: random.Random) -> bytes:
    tool = dice.choice(("memory_recall_decision", "memory_store", "memory_forget", "no_such_tool"))
    argument = dice.choice(("query", "text", "record_id", "subject"))
    arguments: Any = {argument: dice.choice((odd_text(dice), *_ANY))}
    params: Any = {"name": tool, "arguments": dice.choice((arguments, arguments, [], None, "x"))}
    method = dice.choice(
        ("tools/call", "tools/call", "tools/call", "resources/read", "tools/list", "no/such")
    )
    if method == "resources/read":
        params = {
            "uri": dice.choice(("memory://index", "memory://note/" + "x" * 300, "file:///etc/passwd", ""))
        }
    line = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
    return line if dice.random() < 0.8 else _changed(line, dice).replace(b"\n", b" ").replace(b"\r", b" ")
