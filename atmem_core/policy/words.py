"""Closed word lists of judgement, English first. Folded forms; each list says what it decides."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


MONTHS = _set(
    "january february march april june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
"""Names of months but "may", which is a verb more often."""
WEEKDAYS = _set("monday tuesday wednesday thursday friday saturday sunday")
TIMES = (
    MONTHS
    | WEEKDAYS
    | _set(
        "today yesterday tomorrow tonight morning afternoon evening noon midnight weekend weekly daily "
        "monthly yearly annually nightly hourly spring summer autumn fall winter christmas easter "
        "birthday anniversary ago since until till during oclock pm am deadline minute minutes hour hours "
        "day days week weeks month months year years weekday weekdays quarter"
    )
)
"""A record with one of them may say when."""
PLACE_PREPOSITIONS = _set("in at near to from on under behind inside beside opposite around into outside by")
"""Before a name or a noun they may say where."""
WHERE_TO = _set("in at near to from into outside around")
"""Before a capital they make it a place."""
PLACES = _set(
    "street road avenue lane square city town village country house home flat apartment room kitchen "
    "bedroom bathroom garage cellar basement attic garden balcony office desk drawer shelf cupboard "
    "closet wardrobe box bag school university hospital clinic station airport harbour port river lake "
    "sea beach mountain park shop store restaurant cafe bar hotel floor building corner centre center "
    "downtown north south east west hook fridge freezer car upstairs downstairs abroad repo repository "
    "folder directory file path branch bucket server rack bench lab"
)
"""Nouns that may say where."""
PERSONS = _set(
    "mother father mum mom dad parents sister brother son daughter wife husband partner girlfriend "
    "boyfriend fiance fiancee aunt uncle cousin niece nephew grandma grandmother grandpa grandfather "
    "friend neighbour neighbor colleague boss manager doctor dentist teacher landlord landlady nurse "
    "therapist coach plumber vet lawyer accountant team they she he roommate flatmate supervisor "
    "professor everyone nobody"
)
"""Nouns that may say who."""
NUMBER_WORDS = _set(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand "
    "million dozen half twice once couple pair several both few none single double"
)
CURRENCIES = _set("euro euros dollar dollars pound pounds eur usd gbp chf cents pence franc francs yen free")
PAYING = _set(
    "cost costs paid pay pays price priced bought sold spent spend charge charged worth rent fee fees salary "
    "earn earns bill total kostet gekostet bezahlt preis cuesta costo pagado precio"
)
"""Beside a number they may say how much money."""
DAY_TIMES = _set("morning noon midday midnight afternoon evening night oclock am pm dawn dusk sunrise sunset")
"""They may say what time of day."""
REASONS = _set("because since so due reason why therefore thanks for as after hence weil porque")
"""A record with one of them may say why."""
COLOURS = _set(
    "red blue green yellow black white grey gray brown orange purple pink violet beige turquoise navy "
    "silver gold golden cream maroon teal cyan magenta olive lilac tan khaki indigo crimson dark light"
)
SECRETS = _set(
    "password passcode passphrase pin cvv cvc token secret credential credentials passwort contrasena "
    "combination"
)
"""What a question may ask for that is given only when the record holds it."""

QUESTION_STARTS = _set(
    "what when where why how who whom whose which do does did is are was were am can could will would "
    "should has have had may might whats wheres whens whos hows "
    "was wann wo warum wie wer wem wen wessen welche welcher welches wohin woher "
    "que cuando donde por como quien cual cuanto cuantos cuantas "
    "quand ou pourquoi comment qui quel quelle combien"
)
WH_WORDS = _set(
    "what when where why how who whom whose which whats wheres whens whos hows "
    "wann wo warum wie wer wem wessen welche welcher welches wohin woher was "
    "que cuando donde como quien cual cuanto cuantos cuantas quand pourquoi comment qui quel quelle combien"
)
YES_NO_STARTS = _set(
    "do does did is are was were am can could will would should has have had don't doesn't isn't didn't"
)

FIRST_PERSON = _set(
    "i me my mine myself we us our ours ich mich mir mein meine meinen meinem meiner wir uns unser "
    "yo mi mis me mio nosotros nuestro nuestra je moi mon ma mes nous notre nos"
)
OWNING = _set("my our mine mein meine meinen meinem meiner unser unsere mi mis mon ma mes notre nos")
OTHERS_OWNING = _set("his her their seine ihre sein ihr su sus son sa ses leur leurs")
DISLIKES = _set("dislike dislikes disliked hate hates hated avoid avoids detest detests")
"""A question with one of them asks for what is not."""
AVERSIONS = DISLIKES | _set(
    "allergic allergy intolerant refuse refuses stop stopped "
    "quit cannot without except never unable forbid forbidden banned against skip skips"
)
"""A record with one of them can answer a negated question without a negation."""

STANCES = _set("like want need love eat drink use enjoy prefer mogen gustar")
"""Verbs that carry no topic, but whose negation turns an answer round."""

POINTING = _set(
    "he she him her his hers they them their it its that those this these there one "
    "er sie ihn ihm ihr ihre sein seine es das den denn dort el ella ellos ellas lo la los las le ese "
    "esa eso il elle ils elles lui leur y"
)
"""Words that stand for something said before."""

GREETINGS = _set(
    "hi hello hey hiya yo morning evening afternoon night good bye goodbye cheers thanks thank thx ty "
    "welcome ok okay okey k yes yeah yep yup no nope nah sure great nice cool awesome perfect fine "
    "lovely wonderful brilliant excellent amazing super right exactly agreed alright well done sorry "
    "please lol haha hahaha wow congrats congratulations sounds works makes sense got it understood noted "
    "problem worries later soon everyone there again all guys folks day weekend awesome much lot so very "
    "that this is was a the of for to you your u me i we and too have had help helpful helped job work "
    "love loved like liked appreciate really just let's lets go ahead do been feeling going see talk "
    "hallo guten tag morgen abend danke bitte tschuss gut super genau hola gracias buenos buenas dias "
    "tardes noches vale adios bien merci bonjour salut ciao grazie how are doing today what's up sup "
    "whats things life hope well pleasure meet nothing never mind nevermind forget ready"
)
"""A short text of these words alone is small talk."""
WISHES = _set("happy merry congratulations congrats")
"""A short text that begins with one and asks nothing is small talk."""
COMMANDS = _set(
    "write rewrite summarise summarize translate fix run rerun open close list generate create draft "
    "explain convert format refactor compile build deploy commit push pull merge revert delete remove "
    "rename move copy paste print sort count calculate compute solve search google browse click scroll "
    "continue proceed stop retry redo undo repeat shorten expand improve proofread check review "
    "implement add update install uninstall start restart reboot read play pause set turn give make "
    "compose paraphrase outline brainstorm suggest recommend plot draw sketch render export import "
    "download upload send reply post tweet schedule cancel book order extract parse clean lint test "
    "debug optimise optimize schreibe schreib ubersetze fasse erstelle escribe resume traduce crea haz"
)
"""Verbs that, at the start of a text, ask for work and not for a memory."""
POLITE = _set("please kindly now then ok okay and so can could would you just also bitte por favor hey hi")
"""What may stand before the verb of a command."""
LANGUAGES = _set(
    "english german spanish french italian portuguese russian chinese japanese korean arabic dutch "
    "swedish polish turkish greek american british european asian indian mexican thai i"
)
"""Capitalised words that name no person and no place, besides months and weekdays."""
