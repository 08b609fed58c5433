"""A request to forget: what it names is what must not be put before a model again.

Rule: who asks to forget a thing isn't asking about it, so nothing is looked up. How it works: a sentence that
begins as such a request, in a text that asks nothing else. Warning: "don't forget" and "I forgot" are no
requests to forget, and a question in the same breath is a question.
"""

import re

from atmem_core.text import fold

_LEAD = (
    r"(?:(?:please|pls|hey|ok|okay|now|just|so|and|also|kindly|then|bitte|por favor|per favore|can you"
    r"|could you|would you|will you|you can|you should|you must|i want you to|i would like you to"
    r"|i['’]?d like you to|i need you to|kannst du|konntest du|puedes|peux[- ]tu|пожалуйста)[,:]?\s+)*"
)
_VERBS = (
    r"(?:forget|unlearn|stop remembering|do not remember|don['’]?t remember"
    r"|vergiss|vergesst|vergessen sie|olvida|olvidate|olvide|oublie[rz]?|dimentica|esqueca|забудь(?:те)?)\b"
)
_DROPS = (
    r"(?:delete|erase|remove|wipe|clear|drop|losch[e]?|borra|supprime|efface|удали(?:те)?|сотри(?:те)?)\b.*"
    r"(?:\b(?:from|out of) (?:your |the |my )?(?:memory|memories|notes|records)\b"
    r"|\b(?:you|u) (?:know|remember|have|stored|saved|noted|wrote)\b|\b(?:memory|memories)\b"
    r"|gedachtnis|memoria|memoire|памят)"
)
_REQUEST = re.compile(rf"^\W*{_LEAD}(?:{_VERBS}|{_DROPS})")
_WIDE = re.compile(r"^\W*(?:请|請)?(?:把.{1,40})?(?:忘记|忘掉|忘記|忘了)|忘れて(?:ください|下さい)?\W*$")
_SENTENCE_END = re.compile(r"(?<=[.!?…。\uff01\uff1f])\s*|\n+")
_ASKS = r"(?:what|where|when|who|whose|which|how|why|was|wo|wann|wer|wie|que|donde|cuando|quien|ou|quand|qui)"
_ASKS_TOO = re.compile(rf"[,;:]\s+(?:so |and |but )?{_ASKS}\b")
_OPENS = re.compile(rf"^\W*(?:so |and |but )?{_ASKS}\b")


def asks_to_forget(text: str) -> bool:
    """Is it a request to forget something, and nothing else?"""
    sentences = [fold(one) for one in _SENTENCE_END.split(text) if one.strip()]
    requests = [one for one in sentences if _REQUEST.search(one) or _WIDE.search(one)]
    others = [one for one in sentences if one not in requests]
    asking = any(_ASKS_TOO.search(one) for one in requests) or any(
        one.rstrip().endswith(("?", "\uff1f")) or _OPENS.search(one) for one in others
    )
    return bool(requests) and not asking
