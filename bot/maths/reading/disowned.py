"""Decide whether a writer disowns what a sentence says: it quotes, asks, or speaks of a mistake."""

from __future__ import annotations

import re
from typing import Final

_SOMEBODY: Final = (
    r"\b(?:eleve|camarade|copain|copine|amie?|garcon|fille|frere|soeur|cousine?|voisine?|enfant|fils"
    r"|gens|pupil|student|friend|brother|sister|classmate)s?"
)
"""A pattern for people whose answers a tutor quotes."""
_DISOWNED: Final = re.compile(
    r"[?❌✗✘🤔🚫⛔👎]|\d\s*✖|^\W*(?:v ?/ ?f\b|(?:is|are|does|est-ce que|crois-tu que) )"
    r"|(?:look|seem|sound)s? (?:right|ok|okay|correct|true)\b"
    r"|«[^«»\d]*\d|\d[^«»\d]*»|“[^“”\d]*\d|\d[^“”\d]*”|\b(?:faux|fausses?|erreurs?|wrong|incorrecte?s?|not|mistakes?"
    r"|errors?|mauvaise?s? (?:calcul|reponse|resultat|methode|egalite|ecriture)s?"
    r"|tent(?:ee?s?|ant) d(?:e |')|tempted to|it (?:looks|seems|sounds) like"
    r"|false|inexacte?s?|erronee?s?|absurde|impossible|contradiction|pieges?|confond\w*|au lieu"
    r"|instead (?:of|de)|suppos\w+|imagin(?!aires?\b|ary\b)\w+"
    r"|pensent|croient|on croit|(?<!i )thinks?|believe"
    r"|(?:people|pupils|students|some|many) (?:say|write)"
    r"|(?:certains|eleves|gens) (?:disent|ecrivent)"
    r"|on ne (?:dit|ecrit|met|peut|fait) (?:pas|jamais)|n'ecri\w+ (?:pas|jamais)"
    r"|ne pas (?:ecri\w+|dire|faire)"
    r"|rejete\w*|exclu\w*|ne convien\w+|ta reponse|ton resultat|ton calcul"
    r"|tu (?:me |nous |m')?(?:as (?:ecrit|mis|trouve|dit|note|repondu|propose)"
    r"|avais (?:ecrit|mis|trouve|dit|note|fait|calcule|repondu)"
    r"|(?:trouv|dis|croy|pens|ecriv|mett|fais|obten|propos)ais"
    r"|ecris|dis|penses|proposes|reponds)"
    r"|(?:tu as|vous avez|t'as|il a|elle a|ils ont) (?:fait|calcule|obtenu|developpe|factorise"
    r"|simplifie"
    r"|reduit|additionne|multiplie)(?= ?:? ?[\d$(√−-])"
    r"|(?:n(?:e |')(?:faut|doi\w+|devez|peu[tx]|a|as|avons|avez) (?:surtout )?(?:pas|jamais)"
    r" ?(?:le droit )?(?:d(?:e |'))?|(?:interdit|defendu) d(?:e |')|evite\w* d(?:e |'))"
    r"(?:ecri|dire|faire|mett|remplac)\w*"
    r"|(?:il|elle|eleve|copain|copine|camarade|amie?|garcon|fille|quelqu'un|enfant) "
    r"(?:a |avait )?(?:ecri\w+|di(?:t|sait)|repond\w+|pens\w+|cro(?:it|yait)|affirm\w+|pretend\w*)"
    r"|you (?:wrote|found|said|say|write|answered|got|think)"
    r"|(?:pupil|student|somebody|someone|friend) (?:wrote|said|says|writes)"
    r"|(?<!\bi )(?<!\bwe )(?<!just )(?:wrote|said|answered|claims|claimed)"
    r"|(?:got|found|put)[^.?]{0,60}\bbut\b[^.?]{0,20}\b(?:right|correct|answer|it is|it's|should)"
    r"|(?<!\bnous )(?<!\bon )(?<!\bqui )\w{3,} (?:a|avait|ont) "
    r"(?:ecrit|repondu|note|dit(?! oui| non))"
    r"|(?:il|elle|eleve|enfant|fils|fille) (?:a|avait) (?:mis|trouve)"
    r"|j'ai (?:ecrit|dit|mis|note|trouve|repondu) (?:tout a l'heure|plus haut|avant|hier|d'abord"
    r"|ci-dessus|trop vite|tantot|par megarde)"
    r"|j'ai (?:ecrit|dit|mis|note|repondu)[^.?]{0,80}\b(?:faute|desole|pardon|trompe|etourderie)\w*"
    r"|i (?:wrote|said|put)[^.?]{0,80}\b(?:earlier|above|sorry|my bad|oops|slip)"
    r"|(?:earlier|above|before) i (?:wrote|said|put)|je me suis trompee?|(?:c'est|etait) une faute"
    r"|ne (?:dis|dites|dit|pense|pensez|crois|croyez|conclus|concluez|reponds|va) "
    r"(?:surtout )?(?:pas|jamais)"
    r"|(?:dans|sur) (?:ta|ton|tes|sa|son|ses) (?:copie|cahier|ardoise|feuille|devoir|brouillon)s?"
    r"|ton developpement|oups|hum|hmm+|zut|mauvaise idee|m'inquiete|en oubliant|tu oublies"
    r"|sans que|on a (?:tente|essaye)"
    r"|ta (?:conversion|copie|solution|formule)|re(?:vois|compte|calcule)\w*"
    r"|tu (?:m'envoies|annonces|conclus|affirmes|soutiens|pretends)"
    r"|(?<!enonce )(?<!theoreme )(?<!thales )(?<!pythagore )(?<!propriete )(?<!definition )"
    r"(?<!regle )(?<!\bon )(?<!la )(?:dit|pense|trouve) que(?! tu)"
    r"|(?:pretend|soutient|affirme|jure|s'imagine)(?: que)?"
    r"|(?<!\bon )(?:croit|croyait) (?:que|qu')"
    r"|your answer|on pourrait croire|pas egal\w*|cannot|can't|never"
    r"|(?:eleve|enfant|quelqu'un|celui|celle|ceux) qui (?:calcul|ecri|trouv|fai|f[ao]n?t|repond|not"
    r"|met)\w*|(?:pupil|student|someone|anyone) who (?:writ|calculat|get|find|answer|add|do)\w*"
    r"|tu (?:trouves|obtiens)[^.?!]{0,60}[:;,] ?(?:verifi|recompt|refai|recalcul|reli)\w*)\b"
    rf"|{_SOMEBODY} (?:(?:a|ont|avai(?:t|ent)|has|had) )?(?:propos|trouv|obt(?:en|ien)|calcul|ecri"
    r"|di[ts]|not|repond|pens|cro[iy]|affirm|pretend|mis\b|conclu|f(?:ai|on)t|wr[io]t|sa(?:id|ys?)"
    r"|found|gets?|got|put)\w*(?=[^.?!]*[=<>≤≥])"
    rf"|\b(?:reponse|calcul|copie|travail|solution)s? (?:de l'|d'une? |des |de (?:ton|ta|son|sa|mon"
    rf"|ma|cet|cette) )(?:[a-z]+ )?{_SOMEBODY}(?: [a-z])? ?:"
    r"|^\W*(?:non,? )?pas (?:tout a fait|exactement|vraiment|encore|du tout)\b"
    r"|\bsi [^.]{0,30}\b(?:croy|pens|oubli|confond|ecriv|dis)(?:ais|ait|ions)\b"
    r"|\wn't\b|\bsi (?:l')?[^.]{0,30}\b(?:avait|valait|etait|faisait|donnait)\b[^.]*"
    r"\b(?:aurait|ferait|serait|vaudrait|donnerait)\b"
    r"|\bn(?:e|')\s?(?:est|sont|fait|font|vaut|valent|donne|donnent|verifie|marche|peut|peuvent)\s"
    r"(?:pas|jamais|plus)\b"
)
_HARMLESS: Final = re.compile(
    r",? ?(?:n'est-ce pas|d'accord|pas vrai"
    r"|(?<!looks )(?<!look )(?<!seem )(?<!sound )(?:ok|okay|right)"
    r"|isn't it|non) ?\?"
    r"|\bn'est (?:pas|jamais) (?:(?:si|tres|trop|plus|bien|du tout|vraiment) )*"
    r"(?:complique|difficile|dur|long|grave|sorcier|magique|facile|evident|simple|loin"
    r"|un secret|un hasard)\w*"
    r"|\bnot (?:so |very |too |that |really )?(?:hard|difficult|complicated|long|easy|magic|far)\b"
    r"|\b(?:do not|don't|never|can't|cannot|impossible to|not) (?:forget|worry|miss|hesitate)\b"
    r"|\b(?:on|tu|nous) ne (?:peut|peux|pouvons) pas (?:enlever|retirer|soustraire|oter|partager"
    r"|diviser|faire) [^=<>?]{0,60}?(?=,|:|;|\n| alors\b| donc\b)"
    r"|\b(?:est |is )?impossible(?= ?,? ?(?:donc|alors|so|je |j'|on )[^=]{0,80}:)"
    r"|\b(?:n'est (?:pas|jamais)|(?:is|are) (?:never|not)) (?:(?:strictement|strictly) )?"
    r"(?:negati|positi|nul|zero)\w*(?= ?,? ?(?:donc|alors|ainsi|so|therefore|hence)\b)"
    r"|\b(?:bornes?|extremites?|crochets?) (?:exclue?s?|non inclu(?:s|ses?))\b"
    r"|\b(?:(?:must|may|should|do|does|will)(?: not|n't)|cannot|can't|can not) (?:exceed|depend"
    r"|change|contain|be (?:negative|zero|0|null|more|less|larger|greater|smaller|longer))\b"
    r"|\bne (?:doi(?:t|vent)|peu(?:t|vent)) (?:pas|jamais) (?:depasser|exceder|etre (?:nul|negati"
    r"|positi|superieur|inferieur|plus|moins))\w*"
    r"|^\W*(?:since|because|as) [^,=<>]{0,60}\bnot\b[^,=<>]{0,60},"
    r"|(?<=[^\W\d]) (?:that|which|who) (?:(?:he|she|they|we|you|it) )?"
    r"(?:(?:w(?:o|ould)|do(?:es)?|did|could|have|has|had)n't|cannot|can't)\b"
    r"|\bp ?\((?:\\text ?\{)? ?not [^()=]*\)"
    r"|\b(?:evenements? impossible|impossible event)s?\b"
    r"|\bimpossible (?:a|de|d') ?(?:oublier|se tromper|rater)\b"
    r"|\b(?:sans|(?:pour|afin d') ?eviter (?:les?|l'|une|des|toute)|without|aucune?"
    r"|(?:ne pas|pour ne pas|ne) (?:faire|commettre) (?:de |d'|cette )|pas (?:de |d')) ?"
    r"(?:fautes?|erreurs?|pieges?|mistakes?)"
    r"|\bcontrairement a (?:ce que|l'idee)[^,=<>]{0,60},"
    r"|\b(?:les )?erreurs? (?:a eviter|frequente|classique)?s? ?(?:est|serait|:)? ?"
    r"(?:d'|de l')?oubli\w*(?![^.=]{0,60} (?:et|puis|donc) (?:d(?:e |'))?(?:ecri|dire|mett|pos)\w*)"
    r"|\bverif\w* (?:ensemble |bien |donc )*(?:ta reponse|ton resultat|ton calcul) ?:"
    r" ?(?:si|pour|avec|en|on)\b"
    r"|\b(?:check|verify)(?:ing)? (?:together )?your answer ?: ?(?:if|for|with|when)\b"
    r"|\(?(?:en|si on|on|nous|je) suppos\w+[^=<>≤≥()]*\)?\W*$"
    r"|^[»”]"
    r"|\d (?:n'est pas (?:un |une )?(?:divisible|multiple|diviseur) (?:par|de)"
    r"|is(?: not|n't) (?:a |an )?(?:divisible|multiple|divisor|factor) (?:by|of)) \d+"
    r"(?= ?,? ?(?:donc|alors|ainsi|so|therefore|hence)\b)"
    r"|\b(?:ton|ta) (?:resultat|calcul|reponse|solution|formule|conversion|developpement)\b"
    r"[^.;:?!]{0,60}? (?:est|etait) (?:(?:bien|tout a fait|donc|parfaitement|aussi|le|la) ){0,2}"
    r"(?:juste(?! (?:a|un|une|avant|apres|en)\b)|correcte?|bon|bonne|exacte?|vraie?)\b"
    r"|\b(?:attention (?:a|de)|(?:il )?(?:ne )?faut|veille a|pense a|a)? ?ne (?:pas confondre"
    r"|confond\w+ (?:pas|jamais|surtout pas))\b[^=<>≤≥≈«»\".?!]{0,80}?(?::|$)"
    r"|\bi (?:think|believe)\b|\bje (?:crois|pense)\b"
    r"|\?(?= ?(?:c'est|that's|it's|ca |cela |on (?:obtient|trouve)|tu (?:obtiens|trouves)"
    r"|il reste|=|we get|you get))"
)
"""Words that sound like a doubt about a statement, but are none."""
_AFFIRMED: Final = re.compile(
    r"\b(?:(?:la )?(?:bonne|juste) (?:reponse|egalite|ecriture)|(?:le )?bon resultat"
    r"|c'est (?:juste|vrai|exact|correct)|est (?:juste|vraie?|exacte?|correcte?)|retiens|retenir"
    r"|regle|right answer|correct answer|is (?:right|correct|true)|remember|rule)\b"
)
"""Words that confirm a quotation."""
_QUOTATIONS: Final = re.compile(r"[«»“”\"]")
ATTRIBUTED: Final = re.compile(
    r"\b(?:ton (?:calcul|resultat|developpement)|ta (?:reponse|conversion|formule|solution)"
    r"|tu as (?:bien )?(?:ecrit|mis|trouve|dit|note|repondu|propose)"
    r"|tu (?:ecris|dis|proposes|reponds)"
    r"|you (?:wrote|found|said|say|write|answered|got)|your answer)\b"
)
"""Words that only say whose a statement is."""
_DENIAL: Final = re.compile(
    r"(?:mais )?(?:il|elle|he|she) (?:a oublie|a confondu|s'est trompe|forgot|mixed up)"
    r"|(?:mais |or |non, |no, |but )?(?:c'est (?:faux|une erreur|incorrect|inexact)|ce n'est pas"
    r"|that(?:'s| is) (?:not|wrong|false|a mistake|incorrect|impossible))"
    r"|mais non\b|bien sur que non"
    r"|\W*(?:(?:donc|alors|or|mais|et|ce qui|ceci|cela|c'|so),? ?)*(?:est |is )?"
    r"(?:(?:tout a fait )?impossible|absurde|contradiction|contradictoire|absurd)\b"
)
"""Words that deny the sentence before."""
_ALMOST: Final = re.compile(
    r"\W*(?:tu y es |tu n'es )?(?:presque|pas loin|recompte|refais|revois|regarde encore"
    r"|essaie encore|almost|close|count again|try again|not quite)\b"
)
"""Words that say of the sentence before that it is not quite right."""
_FOUND: Final = re.compile(r"\b(?:tu (?:trouves|obtiens|arrives)|you (?:get|find))\b")
_PRAISED: Final = re.compile(
    r"\b(?:oui|yes),? ?(?=[\d(])|^\W*(?:oui|yes|exact|exactement|exactly|correct|tout a fait)\b"
    r"|\bc'est (?:tout a fait |bien )?(?:juste|exact|correct)\b(?! (?:un|une|que|pour|de|a)\b)"
    r"|\bthat's (?:right|correct)\b"
)
_RESERVED: Final = re.compile(
    r"\b(?:mais|presque|but|almost|attention|erreurs?|faux|pas|not|verif\w*|relis|sauf|dommage"
    r"|however|essa\w*|try|si|if|quand|when)\b|\?"
)
"""Words with which praise is no approval of all that is said."""
_QUOTES: Final = re.compile(r"\"[^\"\d]*\d[^\"]*\"")
_LABEL: Final = re.compile(r"«([^«»]{0,80})»|“([^“”]{0,80})”|\"([^\"]{0,80})\"")
_STATES: Final = re.compile(
    r"[=<>≤≥≈∈?]|\b(?:font|fait|vaut|valent|egale?\w*|est|sont|is|are|makes?|equals?|donne\w*"
    r"|obtien\w*|trouv\w*|reste\w*)\b"
)
"""Signs and words with which a quotation states something; another one is a label or a name."""
_SAYS: Final = re.compile(
    r"\b(?:di[st]|disent|trouv\w*|repon\w*|ecri\w*|propos\w*|pens\w*|affirm\w*|note\w*|mis|met\w*"
    r"|obtien\w*|obtenu\w*|choisi\w*|coche\w*|annonc\w*|calcule\w*|says?|said|writes?|wrote"
    r"|answer\w*|got|found|puts?)\b[^«»]{0,30}$"
)
"""Words after which even a quoted number is somebody's answer."""
_NOTED: Final = re.compile(
    r"\b(?:brouillons?|cahiers?|copies?|feuilles?|ardoises?|devoirs?|notebooks?|papers?|sheets?)\b"
    r"[^\d=.:;?!]{0,30}? (?:di(?:t|sent)|(?:donn|montr|indiqu|port)e(?:nt)?|says?|shows?|reads?)\b"
)
"""Somebody's paper that says something."""
_BEGINS: Final = (
    r"(?:[\d($√−+-]|[a-z](?:[²³_^(]| ?[=<>≤≥+−×*/-])|[fghuv]'|(?:sin|cos|tan|ln|log|exp)\b)"
)
"""A pattern for what begins a formula."""
REFUSED: Final = re.compile(
    r"\bn'(?:a(?:s|vons|vez|ura)?|obtien(?:t|s|dra)|obten(?:ons|ez)|ecri(?:t|s|vons|vez))"
    r"(?: donc| alors| surtout)? (?:pas|jamais|plus)"
    rf"(?= ?{_BEGINS})|\b(?:do not|don't) (?:get|obtain|have) (?={_BEGINS})"
)
"""Words that deny the formula after them: `on n'a pas √(a + b) = √a + √b`."""
CONFIRMED_QUOTE: Final = re.compile(r"» ?(?:→|->|=>|:|-) ?(?:c'est )?(?:vraie?|true)\b(?! ou)")


def is_denied(before: str, after: str) -> bool:
    """Return whether a sentence denies the one before it."""
    return bool(_DENIAL.match(after) or (_ALMOST.match(after) and _FOUND.search(before)))


def disowns(text: str) -> bool:
    """Return whether folded words quote, ask, or speak of a mistake."""
    patterns = (_DISOWNED, _QUOTES, _NOTED, REFUSED)
    if not any(pattern.search(text) for pattern in patterns):
        return False
    said = _HARMLESS.sub(" ", text)
    if any(mark in said for mark in '«“"'):
        said = _LABEL.sub(_drop_label, said)
    if _PRAISED.search(said) and not _RESERVED.search(said):
        said = ATTRIBUTED.sub(" ", said)
    if _AFFIRMED.search(said) or CONFIRMED_QUOTE.search(said):
        said = _QUOTATIONS.sub(" ", said)
    return any(pattern.search(said) for pattern in patterns)


def _drop_label(found: re.Match[str]) -> str:
    """Return nothing for a quoted name or label: `l'étiquette « 1 kg »`; else the quotation."""
    quoted = next(each for each in found.groups() if each is not None)
    is_said = _SAYS.search(found.string[max(0, found.start() - 80) : found.start()])
    return found[0] if is_said or _STATES.search(quoted) else " "
