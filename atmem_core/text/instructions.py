"""Instruction-shaped text: what speaks to the assistant that reads it, not about the world.

A note is data, and the fence says so to a model; some models obey all the same. So a text that commands its
reader is marked, by its shape alone: a mark is a reason to ask a person, never to delete. Texts are looked at
as they are and with common disguises undone: look-alike letters, hidden characters, entities, base64.

A list of shapes finds what its authors thought of. It is the second line: the first is that what a web page
or a tool said supports nothing by itself, whatever it says.
"""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from urllib.parse import unquote

from atmem_core.records import InstructionFlag
from atmem_core.text.fence import TAG

MOST_CHARS = 20_000
"""How much of a text is looked at."""
_RULES = (
    r"(?:instructions?|rules?|guidelines?|prompts?|directives?|commands?|constraints?|polic(?:y|ies)"
    r"|restrictions?|safeguards?|guardrails?|filters?|confirmations?)"
)
_DROP = (
    r"(?:ignore|disregard|forget|override|bypass|neglect|discard|suspend|disable|turn off|stop following"
    r"|do not follow|don['’]?t follow|stop obeying)"
)
_USER = r"(?:the|this|an?|any|your) (?:user|human)s?"
_SECRETS = (
    r"(?:conversations?|chat history|chat log|context window|passwords?|credentials?|api keys?|tokens?|cookies?"
    r"|credit cards?|card numbers?|memor(?:y|ies)|private notes?|secrets?|address book|user['’]s \w+)"
)
_SEND = r"(?:send|share|mail|put|write|place|hide|post|forward|upload|e-?mail|transmit|leak|exfiltrate|submit|copy|report|append|include|encode)"
_FORMS: tuple[tuple[InstructionFlag, str], ...] = (
    (InstructionFlag.OVERRIDE, (rf"\b{_DROP}\b[^.!?\n]{{0,30}}\b(?:all|any|previous|prior|earlier|above|preceding|former"
                    rf"|safety|system|content|hidden|your|every)\b[^.!?\n]{{0,20}}\b{_RULES}\b")),
    (InstructionFlag.OVERRIDE, (rf"\b(?:your|the)\b(?: \w+){{0,2}} {_RULES} (?:is|are|no longer)\b[^.!?\n]{{0,20}}"
                    r"\b(?:void|suspended|revoked|cancel?led|apply to you|lifted)\b")),
    (InstructionFlag.OVERRIDE, rf"\b{_RULES} (?:no longer|do not|don['’]t) apply to you\b"),
    (InstructionFlag.OVERRIDE, r"\bforget (?:everything|all)(?: that)? (?:you (?:were|have been|know|learned)|above|before)"),
    (InstructionFlag.OVERRIDE, (r"\b(?:you are|you['’]re) now (?:an? )?(?:\w+, )?(?:dan\b|an? (?:\w+ )?(?:assistant|ai|model"
                    r"|chatbot|agent)|unrestricted|free)|\bfrom now on,? you (?:are|act|will|must)\b")),
    (InstructionFlag.OVERRIDE, r"\b(?:without|no) (?:any )?(?:restrictions|limits|filters) (?:apply|as an? (?:ai|assistant))"),
    (InstructionFlag.OVERRIDE, r"^\W*new (?:instructions|system prompt|directives) *:|[.!?\n]\s*new (?:instructions|directives) *:"),
    (InstructionFlag.OVERRIDE, (r"\b(?:reveal|print|show|repeat|output|leak|quote)\b[^.!?\n]{0,20}"
                    r"\b(?:your|hidden|initial|the)\b[^.!?\n]{0,12}\b(?:system prompt|instructions)\b")),
    (InstructionFlag.OVERRIDE, r"\b(?:system|administrator|admin) (?:message|override|instruction|directive|prompt) *:"),
    (InstructionFlag.OVERRIDE, r"\b(?:follow|obey|comply with) (?:me\b|this (?:page|note|document|text)|the text below)"),
    (InstructionFlag.OVERRIDE, r"\b(?:enter|activate|enable|switch to) (?:developer|debug|god|jailbreak|dan) mode\b"),
    (InstructionFlag.OVERRIDE, r"\b(?:you (?:must )?obey|you have no limits|you have root)\b"),
    (InstructionFlag.OVERRIDE, (rf"\b(?:set aside|pay no attention to|(?:no longer|don['’]t|do not) (?:have|need) to (?:respect|follow|obey|heed))"
                    rf"\b[^.!?\n]{{0,30}}\b(?:{_RULES}|system message|user)\b")),
    (InstructionFlag.OVERRIDE, (r"\b(?:earlier|previous|prior|former|old) (?:orders|instructions|directives|commands) (?:are|were) (?:now )?"
                    r"(?:cancel?led|void|revoked|obsolete|wrong)\b")),
    (InstructionFlag.OVERRIDE, r"\b(?:act|behave|answer|speak) (?:as|like) an? (?:\w+ )?(?:ai|assistant|model|bot|chatbot)\b"),
    (InstructionFlag.OVERRIDE, r"\byour (?:real|true|new|actual) (?:boss|master|owner|operator|admin|instructions|purpose|goal|task) (?:is|are)\b"),
    (InstructionFlag.OVERRIDE, (r"\bsystem override\b|\b(?:all )?(?:restrictions|limits|safeguards) (?:are |have been )?(?:lifted|removed|off)\b"
                    r"[^.!?\n]{0,20}\b(?:for you|now|accepted)\b")),
    (InstructionFlag.OVERRIDE, rf"\b{_DROP} (?:anything|everything|whatever|all)(?: that)? (?:the|your|any) \w+ (?:told|said|wrote|instructed|asked)\b"),
    (InstructionFlag.MARKUP, r"\[/?(?:system|assistant|tool|admin)\]|\"role\"\s*:\s*\"(?:system|assistant|tool|developer)\""),
    (InstructionFlag.MARKUP, (r"</?(?:system|assistant|user|human|tool|instructions?|context|memory|recalled[-_]memory"
                  rf"|{TAG}|function_calls?|function_call|tool_calls?|tool_result|tool_use)\b[^>]{{0,80}}>")),
    (InstructionFlag.MARKUP, r"<\|[\w ]{2,30}\|>|\[/?inst\]|<</?sys>>|```\s*(?:system|assistant)\b"),
    (InstructionFlag.MARKUP, r"(?:^|\n)\s*#{1,6}\s*(?:system|assistant|human|instructions? for the (?:assistant|ai|model))\b"),
    (InstructionFlag.MARKUP, r"\n\s*\n(?:human|assistant|system) *:|(?:^|\n|\]\]? ?)\s*system *:"),
    (InstructionFlag.MARKUP, r"\b(?:begin|end) system prompt\b|<!--\s*(?:assistant|system|ai) *:|\[\[?\s*(?:memory end|end of memory)"),
    (InstructionFlag.EXFILTRATION, r"!\[[^\]]*\]\(\s*https?:|<img\b[^>]*\bsrc\s*="),
    (InstructionFlag.EXFILTRATION, (rf"(?:^|[.!?:;,]\s+|\b(?:and|then|must|should|please|to) ){_SEND}\b[^.!?\n]{{0,40}}\b{_SECRETS}\b"
                        r"[^!?\n]{0,60}(?:https?:|www\.|\w@\w|\d+\.\d+\.\d+|\burl\b|\blink\b|\bpastebin\b|\bwebhook\b"
                        r"|\baddress below\b|\bquery string\b|\bimage (?:url|link)\b)")),
    (InstructionFlag.EXFILTRATION, (r"\beverything you know\b[^.!?\n]{0,60}(?:https?:|\bto \S+@|query string)"
                        r"|\b(?:fetch|load|get|open) https?://\S+[?&]\w+=(?:\s|\{|\[|$)")),
    (InstructionFlag.EXFILTRATION, rf"\b{_SECRETS}\b[^!?\n]{{0,40}}\b(?:and|then) (?:submit|send|transmit|post|upload) (?:it|them)\b"),
    (InstructionFlag.EXFILTRATION, r"\[[^\]]{0,40}\]\(\s*https?:[^)]*\b(?:conversation|memory|secrets?|notes?|password)\b"),
    (InstructionFlag.TRIGGER, (rf"\b(?:when|whenever|if|(?:every|each|the next) time)\b(?: that)? (?:{_USER}|someone|anyone"
                   r"|they|asked)\b[^.!?\n]{0,60}(?:,| then | you )[^.!?\n]{0,20}"
                   r"\b(?:recommend|tell (?:them|him|her)|you must|answer|reply|claim|add|insert|use|say|direct|suggest)\b")),
    (InstructionFlag.TRIGGER, (rf"\bshould {_USER} (?:ever )?(?:ask|mention|want|say|wonder)"
                   rf"|\b(?:steer|nudge|push|persuade|convince|trick|mislead) (?:{_USER}|them)\b")),
    (InstructionFlag.TRIGGER, rf"\b(?:keep|hide|conceal) (?:this|it|that)\b[^.!?\n]{{0,20}}\bfrom {_USER}\b"),
    (InstructionFlag.TRIGGER, r"\bfor (?:every|any|all|each) (?:later|future|further|other) (?:question|request|query|message)"),
    (InstructionFlag.TRIGGER, r"\b(?:never|do not|don['’]t) (?:mention|reveal|disclose|repeat) this (?:rule|instruction|note|message)\b"),
    (InstructionFlag.TRIGGER, rf"\balways (?:recommend|suggest|tell|praise|mention|advertise)\b[^.!?\n]{{0,40}}\bto {_USER}"),
    (InstructionFlag.TRIGGER, (rf"\b(?:never|do not|don['’]t) (?:tell|warn|inform|alert|mention (?:it|this) to|reveal (?:it|this) to)"
                   rf" {_USER}\b")),
    (InstructionFlag.TRIGGER, rf"\bwithout (?:telling|asking|informing|notifying|warning) {_USER}\b"),
    (InstructionFlag.TRIGGER, r"\b(?:save|store|keep|write|put) this (?:rule|instruction|directive)\b|\bin your (?:long-term )?memory *:"),
    (InstructionFlag.TRIGGER, r"\bin all (?:future|later) (?:conversations|answers|sessions)\b[^.!?\n]{0,10}\byou\b"),
    (InstructionFlag.TRIGGER, r"\b(?:every|each|all) (?:answer|reply|response)s? (?:that )?you give\b"),
    (InstructionFlag.TRIGGER, r"\byou (?:must|should) (?:insist|claim|pretend|prefer|persuade)\b"),
    (InstructionFlag.TRIGGER, r"\btreat (?:everything|anything|all (?:text|content)) (?:from|on|in) \S+ as (?:trusted|safe|true)\b"),
    (InstructionFlag.TRIGGER, r"\bdo not cite (?:any )?sources?\b"),
    (InstructionFlag.TOOL_CALL, (r"\b(?:call|invoke|use|run) (?:the |your )?(?:memory_\w+|(?:function|tool) \w+_\w+|\w+_\w+ (?:tool|function)"
                     r"|(?:shell|browser|terminal|e-?mail|payment) tool)\b")),
    (InstructionFlag.TOOL_CALL, (r"\b(?:curl|wget)\b[^\n]{0,80}\|\s*(?:ba|z)?sh\b"
                     r"|\b(?:trigger|launch|start|fire) the \w+ (?:function|tool|command) (?:now|right now|at once|immediately)\b")),
    (InstructionFlag.TOOL_CALL, r"(?:^|[.!?:]\s+|\b(?:now|please|must|should) )(?:run|execute)\b[^.!?\n]{0,40}\b(?:rm -|sudo|curl\b.*\||wget\b.*\|)"),
    (InstructionFlag.TOOL_CALL, r"\"(?:tool_calls?|function_call)\"\s*:|\"name\"\s*:\s*\"\w+\"\s*,\s*\"(?:arguments|parameters)\"\s*:"),
    (InstructionFlag.TOOL_CALL, r"\byou (?:must|need to|should) (?:\w+ and )?(?:install|execute|click|wire|transfer|buy|download and)\b"),
    (InstructionFlag.TOOL_CALL, r"\b(?:the )?assistant(?:,| should| must) (?:please )?(?:buy|delete|send|transfer|pay|wire|install|open)\b"),
    (InstructionFlag.TOOL_CALL, rf"\b(?:open|visit)\b[^!?\n]{{0,60}}\benter {_USER}['’]s\b"),
    (InstructionFlag.OVERRIDE, r"\b(?:ignorier\w*|vergiss|missachte)\b.{0,40}\b(?:anweisung|regel|vorgabe)|\bnegeer\b.{0,40}\b(?:instructies|regels)"),
    (InstructionFlag.OVERRIDE, r"\b(?:ignore[rz]?|oublie[rz]?)\b.{0,40}\b(?:instructions|consignes|r[eè]gles)\b.{0,20}\bpr[eé]c[eé]dent"),
    (InstructionFlag.OVERRIDE, (r"\b(?:ignora|olvida|dimentica|ignore|esque[cç]a)\b.{0,40}\b(?:instrucciones|reglas|istruzioni|regole"
                    r"|instru[cç][oõ]es|regras)\b")),
    (InstructionFlag.OVERRIDE, r"(?:忽略|无视|無視).{0,12}(?:指令|指示|规则|提示)|(?:指示|命令|プロンプト).{0,6}無視"),
    (InstructionFlag.OVERRIDE, r"(?:игнорируй|забудь)\w*.{0,40}(?:инструкци|правил)"),
)  # fmt: skip
_LOOKALIKES = str.maketrans("аеорсухіѕјԁһӏВЕКМНОРСТХАІЅЈοαερντιυκ", "aeopcyxisjdhlBEKMHOPCTXAISJoaepvtiuk")
_DIGITS = str.maketrans("013457$@", "oieastsa")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{20,}={0,2}")
_SPACED = re.compile(r"\b(?:\w {1,2}){6,}\w\b")
_TAG_LETTERS = range(0xE0020, 0xE007F)
_OVERRIDES = frozenset("\u202d\u202e")
_TELLING = ("instruction", "ignore", "disregard", "system", "prompt", "password", "assistant")
_UNSEEN = frozenset({"Cf", "Mn"})
_FLAG_EMOJI = re.compile("\U0001f3f4[\U000e0020-\U000e007f]+")


def instruction_flags(text: str) -> tuple[InstructionFlag, ...]:
    """What is instruction-shaped in a text, in the order of ``InstructionFlag``; empty for an ordinary one."""
    text = text[:MOST_CHARS]
    found = {InstructionFlag.HIDDEN} if _hides(text) else set()
    for view in _views(text):
        found |= {flag for flag, form in _kinds() if form.search(view)}
    return tuple(flag for flag in InstructionFlag if flag in found)


@cache
def _kinds() -> tuple[tuple[InstructionFlag, re.Pattern[str]], ...]:
    """All forms of a kind as one; at the first text, since compiling them costs a tenth of the import."""
    return tuple(
        (flag, re.compile("|".join(form for one, form in _FORMS if one is flag), re.IGNORECASE))
        for flag in dict.fromkeys(flag for flag, _ in _FORMS)
    )


def _views(text: str) -> Iterator[str]:
    """The text, and with each disguise undone; each once."""
    seen = {text}
    yield text
    for undo in _UNDOINGS:
        view = undo(text)
        if view and view not in seen:
            seen.add(view)
            yield view


def _plain(text: str) -> str:
    """Compatibility forms without marks and invisible characters; look-alike letters as the Latin ones."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    shown = "".join(char for char in text if unicodedata.category(char) not in _UNSEEN)
    return shown.translate(_LOOKALIKES)


def _digits_as_letters(text: str) -> str:
    """Only where digits stand inside words."""
    return text.translate(_DIGITS) if re.search(r"(?i)[a-z][013457$@]+[a-z]", text) else ""


def _unspaced(text: str) -> str:
    """Letters set apart by spaces, put together; two spaces stay one between words."""
    return _SPACED.sub(lambda found: re.sub(r"(\w) (?=\w)", r"\1", found[0]).replace("  ", " "), text)


def _decoded(text: str) -> str:
    """What base64 in the text says, where that is text."""
    return "\n".join(filter(None, map(_of_base64, _BASE64.findall(text))))


def _of_base64(code: str) -> str:
    try:
        said = base64.b64decode(code + "=" * (-len(code) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
    return said if said.isprintable() else ""


def _hidden_letters(text: str) -> str:
    """What tag characters spell, outside the flags of regions."""
    text = _FLAG_EMOJI.sub("", text)
    return "".join(chr(ord(char) - 0xE0000) for char in text if ord(char) in _TAG_LETTERS)


def _if_telling(text: str) -> str:
    """A text turned round is read only where a word of commands comes out: most are noise."""
    lowered = text.lower()
    return text if any(word in lowered for word in _TELLING) else ""


def _hides(text: str) -> bool:
    if text.isascii():
        return False
    return bool(_hidden_letters(text)) or not _OVERRIDES.isdisjoint(text)


_UNDOINGS: tuple[Callable[[str], str], ...] = (
    _plain,
    html.unescape,
    unquote,
    _digits_as_letters,
    _unspaced,
    _decoded,
    _hidden_letters,
    lambda text: _if_telling(codecs.encode(text, "rot13")),
    lambda text: _if_telling(text[::-1]),
)
