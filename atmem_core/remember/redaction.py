"""Secrets in a text, taken out before anything is written: keys, tokens, card numbers, passwords.

Off by default, since memory is verbatim. The shapes are our own, see docs/adr: what is on PyPI either finds
files that hold a secret and not where it stands, or brings a language model along. A list of shapes finds
what looks like a secret or is called one; a secret that does neither is stored.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from atmem_core.config import Redaction
from atmem_core.errors import WriteRefused
from atmem_core.remember.fact_draft import Statement
from atmem_core.remember.history import Said
from atmem_core.remember.ingest import Telling

_KEYS = (
    r"(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|glpat-[\w-]{20,}"
    r"|(?:sk|rk|pk)[-_](?:live[-_]|test[-_]|proj-|ant-)?[\w-]{20,}|xox[abeoprs]-[\w-]{10,}|AIza[\w-]{35}"
    r"|npm_\w{36}|pypi-[\w-]{40,}|hf_[A-Za-z0-9]{30,}|SG\.[\w-]{16,}\.[\w-]{16,}|ya29\.[\w-]{20,}"
)
_CALLED = r"pass ?words?|pass ?phrases?|passcodes?|pwd|pins?|pin codes?|passwort|kennwort|contraseña|mot de passe|senha"
_CALLED_KEY = (
    r"(?:api|access|secret|private|auth|client)[ _-]?(?:key|secret|token)s?|bearer token|access token"
)
_NO_SECRET = (
    r"(?!(?:on|in|at|under|the|a|an|not|no|kept|stored|written|hidden|with|by|too|very|still|now|our|my|your|his"
    r"|her|their|same|different|changed|weak|strong|needed|required|wrong|correct|expired|unknown|secret|what"
    r"|where|who|auf|im|in|der|die|das|en|la|el|le|sur|dans|no|na|known|shared|saved|asked|reset|from|for)\b)"
)
_CARD = re.compile(r"(?<![\d.-])\d(?:[ -]?\d){12,18}(?![\d-]|\.\d)")
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "private key",
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    ),
    ("key", re.compile(rf"(?<!\w)(?:{_KEYS})(?!\w)")),
    ("token", re.compile(r"(?<!\w)eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|(?<=[Bb]earer )[\w.~+/-]{16,}=*")),
    ("password", re.compile(r"(?<=://)[^\s/:@]+:[^\s/@]+(?=@)")),
    (
        "key",
        re.compile(rf"(?i)\b(?:{_CALLED_KEY})\b[^.!?\n]{{0,20}}?(?:\bis\b|=|:)\s*[\"'`]?(?P<value>[^\s\"'`]{{8,}})"),
    ),
    (
        "password",
        re.compile(
            rf"(?i)\b(?:{_CALLED})\b[^.!?\n=:]{{0,40}}?(?:\b(?:is|was|ist|es|est|é)\b|=|:)\s*[\"'`“„]?{_NO_SECRET}"
            r"(?P<value>[^\s\"'`”“]{3,})"
        ),
    ),
    ("password", re.compile(r"(?:密码|暗号|パスワード|口令)\s*(?:是|为|は|[:：])\s*(?P<value>[^\s，。、]{3,})")),
)  # fmt: skip
_DECIMAL = 9


def redact(text: str) -> tuple[str, Counter[str]]:
    """The text with each secret as ``[redacted KIND]``, and how many of each kind there were."""
    found: Counter[str] = Counter()
    for kind, shape in _SHAPES:
        text = shape.sub(_hiding(kind, found), text)
    return _CARD.sub(_hiding_card(found), text), found


def _hiding(kind: str, found: Counter[str]) -> Callable[[re.Match[str]], str]:
    def hide(match: re.Match[str]) -> str:
        value = match.groupdict().get("value") or match[0]
        if value.startswith("[redacted"):
            return match[0]
        found[kind] += 1
        mark = value[len(value.rstrip(".,;!?)")) :]
        return match[0].removesuffix(value) + f"[redacted {kind}]" + mark

    return hide


def _hiding_card(found: Counter[str]) -> Callable[[re.Match[str]], str]:
    def hide(match: re.Match[str]) -> str:
        digits = [int(char) for char in match[0] if char.isdigit()]
        if not _is_card(digits):
            return match[0]
        found["card"] += 1
        return "[redacted card]"

    return hide


def _is_card(digits: list[int]) -> bool:
    """Luhn's check digit, and a first digit that issuers of payment cards have."""
    doubled = [2 * digit for digit in digits[-2::-2]]
    total = sum(digits[::-2]) + sum(digit - _DECIMAL if digit > _DECIMAL else digit for digit in doubled)
    return digits[0] in {2, 3, 4, 5, 6} and total % 10 == 0


def cleared(text: object, redaction: Redaction) -> object:
    """A text as it may be written; what isn't a text is for somebody else to refuse.

    Raises:
        WriteRefused: ``secret_found``, when secrets are to be refused.
    """
    if redaction is Redaction.OFF or not isinstance(text, str):
        return text
    clean, found = redact(text)
    if found and redaction is Redaction.REFUSE:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(found.items()))
        raise WriteRefused(
            "secret_found", f"the text holds {kinds}; take it out, or set redaction to replace"
        )
    return clean


def cleared_telling(telling: Telling, redaction: Redaction) -> Telling:
    """The same for a note."""
    return replace(telling, text=cleared(telling.text, redaction))


def cleared_turn(said: Said, redaction: Redaction) -> Said:
    """The same for one side of an exchange."""
    return replace(said, text=cleared(said.text, redaction))


def cleared_statement(statement: Statement, redaction: Redaction) -> Statement:
    """The same for a fact, whose predicate may say that the object is a secret."""
    clean = replace(
        statement,
        entity=cleared(statement.entity, redaction),
        predicate=cleared(statement.predicate, redaction),
        object=cleared(statement.object, redaction),
    )
    if redaction is Redaction.OFF:
        return clean
    said = f"{clean.entity} {clean.predicate}: ".replace("_", " ")
    whole = str(cleared(f"{said}{clean.object}", redaction))
    return replace(clean, object=whole.removeprefix(said)) if whole.startswith(said) else clean
