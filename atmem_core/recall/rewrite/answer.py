"""What the model answered: a tag around the query, or a JSON object with it and nothing else."""

import json
import re
from html import unescape

from atmem_core.recall.rewrite.prompt import QUERY_CHARS
from atmem_core.text import storable

_FIELD = "rewritten_query"
_ENVELOPE = re.compile(rf"<{_FIELD}>([^<]*)</{_FIELD}>", re.IGNORECASE)
_BLOCK = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL)
_NOTHING = "NONE"


class NoAnswer(Exception):
    """The reply is in neither form."""


def query_in(reply: str) -> str | None:
    """The query of the first tag, else of the JSON object; None when the model found nothing to resolve.

    An empty query, NONE and one of several lines are nothing to resolve. A long one is cut.

    Raises:
        NoAnswer: There is neither a tag nor such an object.
    """
    found = _ENVELOPE.search(reply)
    written = _field_of(reply) if found is None else found[1]
    # The model reads entities in place of brackets, and may write them.
    query = storable(unescape(written)).strip()
    if not query or query.upper() == _NOTHING or len(query.splitlines()) > 1:
        return None
    return query[:QUERY_CHARS].rstrip()


def _field_of(reply: str) -> str:
    text = reply.strip()
    block = _BLOCK.match(text)
    try:
        value = json.loads(text if block is None else block[1])
    except (ValueError, RecursionError):
        raise NoAnswer from None
    if not isinstance(value, dict) or list(value) != [_FIELD] or not isinstance(value[_FIELD], str):
        raise NoAnswer
    return str(value[_FIELD])
