"""Does a message need what was said before it? By its words alone, in five languages. Pure.

Rule: a short message without a question word, one with a word that points back, and one that begins with a
conjunction are taken to need it. Warning: a wrong yes costs a model call, a wrong no a follow-up its memory.
"""

from atmem_core.text import fold

SHORT_WORDS = 5
_EDGES = ".,;:!?…¡¿\"'“”‘’()[]«»"
_ASKING = frozenset(
    fold(
        "what when where why how who whom whose which "
        "что когда где почему зачем как кто какой какая какие чей сколько "
        "was wann wo warum wieso wie wer wessen welche welcher welches "
        "que cuando donde cual cuales como quien quienes cuanto cuantos "
        "quoi quand pourquoi comment qui quel quelle quels quelles combien"
    ).split()
)
_POINTING = frozenset(
    fold(
        "it its that they them their those this these same more his her hers him he she there then "
        "one ones other "
        "он она оно они его ее их это этот эта эти то такой такая такие еще там тогда "
        "er sie es ihn ihm ihr ihre dies das dieser diese dieses jener dort dann "
        "eso esto ese esa esos esas este esta estos estas ello ella ellos ellas alli entonces mismo misma "
        "ca cela ceci celui celle ceux celles il elle ils elles lui leur son sa ses y meme"
    ).split()
)
_JOINING = frozenset(
    fold("and but also or so а и но еще или und aber oder auch y e pero o tambien et mais ou aussi").split()
)


def points_back(message: str) -> bool:
    """Is it likely to need what was said before?"""
    words = [word for raw in fold(message).split() if (word := raw.strip(_EDGES))]
    if not words:
        return False
    asks = not _ASKING.isdisjoint(words)
    return (len(words) <= SHORT_WORDS and not asks) or not _POINTING.isdisjoint(words) or words[0] in _JOINING
