"""Words that carry no topic, by language. Negations are listed apart: they change meaning.

The lists apply one language at a time: German "war" and "hat" or Spanish "son" are English topics.
"""

from collections.abc import Iterable

from atmem_core.text.normalise import fold

_ENGLISH = """
a about actually after again all also am an and any anyone anything are as at away back be been before being both but by
came can come could did do does doing done down each either else etc even ever every few for from further get gets getting
give go goes going gone got had has have having he her here hers herself hey hi him himself his how i if in into is it its
itself just know let lot like made make makes many may maybe me might mine more most much must my myself need now of off oh
ok okay on once one only onto or other our ours ourselves out over own per perhaps please quite rather really remember
remind right said same say see shall she should since so some somebody someone something still such sure take tell than
thanks that the their theirs them themselves then there these they thing things think this those though through till to
too under until up upon us use used very want was way we well went were what whatever when where whether which while who
whom whose why will with within would yeah yes yet you your yours yourself yourselves again anyway btw guess hmm kind sort
mean mention mentioned told talk talked wonder wondering question ask asked asking hello sorry bother bothering
"""
_GERMAN = """
aber alle als also am an auch auf aus bei bin bis bist da dann das dass dein deine dem den der des dich die dies diese
dieser doch dort du ein eine einem einen einer eines er es euch euer für haben habe hast hat hatte ich ihm ihn ihr ihre im
in ist ja jetzt kann kannst können könnte mal man mein meine meinem meinen meiner mich mir mit muss nach noch nun nur ob
oder sehr sein seine sich sie sind so soll über um und uns unser vom von vor wann war waren warum was wegen welche welcher
welches wem wen wenn wer werden wie wieder will wir wird wo wohin zu zum zur eigentlich bitte
"""
_SPANISH = """
a al algo ante antes aquí así como cómo con cual cuál cuáles cuando cuándo cuanto cuánto cuánta cuántos cuántas de del desde
donde dónde dos durante e el él ella ellas ellos en entre era eran es esa ese eso esta está están estas este esto estos fue
fueron ha había han hasta hay he la las le les lo los me mi mis mucho muy nos nosotros o os otra otro para pero por porque
qué que quien quién quiénes se sea ser si sí sin sobre son soy su sus también te tengo tiene tienen tienes tu tú tus un una
unas uno unos y ya yo favor
"""
_FRENCH = """
ai as au aux avec avez avons c ce ces cet cette comment d dans de des du elle elles en est et étais était eu eux il ils j je
l la le les leur leurs lui m ma mais me mes moi mon nos notre nous on ont ou où par pas pour pourquoi qu quand que quel
quelle quelles quels qui quoi s sa ses si son sont sur t ta te tes toi ton tu un une vos votre vous y suis es
"""
_ITALIAN = """
che chi con cosa cui da dal dalla degli dei del della delle di dove e ed gli i il in la le lo mi mia mio nel nella per perché
quale quali quando quanti quanto si sono su sul sulla suo tra un una è
"""
_PORTUGUESE = """
a ao aos as às com da das de do dos e em então eu isso na nas nos o os ou para pela pelo por qual quais quando quanto que
quem se seu sua são também tem teu tua um uma umas uns você vocês
"""

NEGATIONS = frozenset(
    fold(word)
    for word in (
        "no not never none nobody nothing nowhere neither nor without cannot "
        "nicht kein keine keinen keinem keiner nie niemals ohne nunca nadie nada jamás sin ni "
        "ne jamais aucun aucune sans rien non mai nessuno não nem sem"
    ).split()
)
"""Folded words that turn a statement round. They are no topic, and no noise either."""

_LANGUAGES = {
    code: frozenset(fold(word) for word in words.split())
    for code, words in (
        ("en", _ENGLISH),
        ("de", _GERMAN),
        ("es", _SPANISH),
        ("fr", _FRENCH),
        ("it", _ITALIAN),
        ("pt", _PORTUGUESE),
    )
}


def language_of(words: Iterable[str]) -> str:
    """The language with most function words among these folded words; ``en`` on a tie and for none."""
    distinct = set(words)
    return max(_LANGUAGES, key=lambda code: len(_LANGUAGES[code] & distinct))


def stopwords_of(words: Iterable[str]) -> frozenset[str]:
    """The stopwords of the language that these folded words are most likely in, negations included."""
    return _LANGUAGES[language_of(words)] | NEGATIONS
