"""English word lists for semantic roles: verbs, prepositions and adverbs that depart from the general rules."""

from __future__ import annotations

from collections.abc import Mapping


def word_set(text: str) -> frozenset[str]:
    """Return the white-space separated words of a text."""
    return frozenset(text.split())


def index_words(words_by_label: Mapping[str, str]) -> dict[str, str]:
    """Return the label of each word: {"A1": "of about"} becomes {"of": "A1", "about": "A1"}."""
    return {word: label for label, words in words_by_label.items() for word in words.split()}


# The subject undergoes the event instead of causing it ("the price rose").
SUBJECT_IS_A1 = word_set(
    """be become remain stay seem appear disappear happen occur arise exist emerge vanish die fall rise come arrive
    belong last matter cost differ vary result consist depend originate expire end begin start continue stop collapse
    fail survive grow increase decrease drop decline improve worsen change evolve develop open close break burn melt
    freeze sink spread expand shrink explode crash turn move roll slide fit weigh lie stand sit suit hang flow spring
    wait recover deteriorate double triple persist abound ensue elapse lapse dissolve evaporate ripen rot"""
)
SUBJECT_IS_A1_ALWAYS = word_set(
    """be become remain seem appear happen occur belong cost differ consist exist depend weigh suit sound"""
)
# The subject is a whole, the object a part of it.
SUBJECT_IS_A2 = word_set("include involve contain comprise")
SPEAKING = word_set(
    "say tell think ask write report add explain note reply answer state claim believe guess suppose hope know "
    "announce suggest argue insist warn wonder mean feel see agree admit assume imagine read go shout whisper"
)
# Raising verbs share their subject with the infinitive, which continues A1: C-A1.
RAISING = word_set("seem appear tend happen prove turn")
# With an object and a clause, the object is the hearer, A2, and the clause is the message, A1.
TELLING = word_set("tell ask inform remind advise notify convince persuade warn assure promise show teach beg urge bet")
# With an object and a clause, both together are one argument ("want him to go").
OBJECT_IS_IN_THE_CLAUSE = word_set(
    """let make have want need like love hate prefer expect allow permit cause enable see hear watch feel find keep get
    wish"""
)
PREDICATE_IS_A1 = word_set("feel look taste smell seem appear")
LIGHT = word_set("make take have give do get pay hold")
MOVING = word_set("go come travel move return drive walk run fly head get bring take send carry fall rise arrive")

TIME_NOUNS = word_set(
    """second minute hour day week month year decade century morning noon afternoon evening night midnight weekend
    weekday today yesterday tomorrow tonight time moment period season spring summer autumn winter date past future
    present january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat
    sun days weeks months years hours minutes seconds nights mornings times a.m. p.m. am pm christmas easter while
    lunch dinner beginning end era age moments anniversary deadline"""
)
TIME_ADVERBS = word_set(
    """now then still yet already again always often sometimes usually recently soon later earlier ago today yesterday
    tomorrow tonight once when whenever immediately currently finally first ever rarely seldom daily weekly monthly
    yearly annually previously lately eventually initially originally frequently occasionally anymore before after
    afterwards afterward meanwhile presently formerly shortly early late twice next last nowadays constantly
    continuously temporarily permanently forever simultaneously subsequently instantly promptly since"""
)
PLACE_ADVERBS = word_set(
    "here there where everywhere anywhere somewhere nowhere home abroad outside inside nearby elsewhere upstairs "
    "downstairs locally worldwide online overseas wherever"
)
DIRECTION_ADVERBS = word_set("back away out up down over forward forwards backwards off around along in through across")
EXTENT_ADVERBS = word_set(
    """very much highly completely totally slightly significantly greatly almost nearly quite entirely extremely far
    fully deeply strongly considerably somewhat substantially dramatically enough more less little hugely vastly too
    widely so pretty most least that absolutely"""
)
MANNER_ADVERBS = word_set("how well together hard fast alone best better otherwise right wrong straight")
GENERAL_ADVERBS = word_set(
    """really actually probably certainly definitely simply only just even maybe perhaps possibly basically obviously
    hopefully apparently unfortunately clearly generally especially rather likely surely truly honestly
    literally essentially merely particularly primarily mainly mostly presumably seriously sadly luckily fortunately
    supposedly reportedly allegedly necessarily either instead so then alternatively normally typically"""
)
DISCOURSE_ADVERBS = word_set(
    "also however too therefore thus moreover furthermore besides anyway though nevertheless nonetheless hence "
    "additionally well secondly firstly lastly consequently similarly likewise indeed okay ok"
)
CAUSE_ADVERBS = word_set("why because hence")

TIME_PREPOSITIONS = word_set("during before after until till since within throughout")
PREPOSITIONS = index_words(  # the default role of a prepositional phrase
    {
        "A1": "about of upon",
        "A2": "to onto into from with for against out",
        "AM-LOC": "on in at under near behind between among outside inside beside above below around across over",
        "AM-DIR": "towards toward through past along up down off",
        "AM-MNR": "by without via like",
        "AM-PRD": "as",
        "AM-CAU": "because due",
        "AM-ADV": "despite according instead except regarding besides including given per",
    }
)
# Verbs that give a prepositional phrase another role than PREPOSITIONS.
VERBS_WITH_PREPOSITIONS = {
    f"{verb} {preposition}": role
    for role, phrases in {
        "A1": """look:at,for,into listen:to respond:to reply:to refer:to wait:for ask:for hope:for care:for,about
            deal:with agree:with,to,on meet:with work:on,with focus:on depend:on rely:on count:on base:on comment:on
            decide:on insist:on concentrate:on vote:for,on search:for plan:for,on prepare:for participate:in
            believe:in engage:in succeed:in specialize:in invest:in result:in consist:of think:of,about
            dream:of,about hear:of,about,from talk:about,on know:of,about learn:of,about,from speak:about,of
            write:about,on complain:about worry:about suffer:from benefit:from recover:from mess:with stick:with,to
            argue:about,with object:to adhere:to subscribe:to attend:to lead:to amount:to belong:to apply:for,to
            come:across,up account:for arrive:at laugh:at stare:at aim:at point:to,out get:into,rid interfere:with
            cope:with experiment:with put:up bring:up call:for push:for fight:for,against,over pray:for root:for
            arrange:for account:for fall:for happen:to occur:to relate:to contribute:to react:to resort:to switch:to
            convert:to get:to""",
        "A2": """be:in,on,at,of,for,with,from,about,like,under,near,to,out,into work:for,in,at
            put:in,on,into,at place:in,on,into lay:on,in set:in,on keep:in,on,at include:in locate:in,at,on involve:in
            use:for,in,as spend:on,in buy:for take:for,as consider:as know:as describe:as treat:as define:as see:as
            regard:as serve:as act:as end:in,up sit:on,in,at stand:in,on lie:in,on hang:on come:from,out originate:from
            remove:from take:from,to provide:with,for,to fill:with replace:with charge:with,for associate:with
            compare:with,to share:with invest:in spend:on thank:for blame:for apologize:for excuse:for ask:of
            remind:of inform:of,about accuse:of convict:of tell:about,of talk:to,with speak:to,with get:in,on
            change:to,into turn:into,to become:of look:like sound:like feel:like need:for post:on,in write:in
            publish:in appear:in,on""",
        "A3": """pay:for sell:for translate:into buy:from,for move:from charge:for rent:from send:from purchase:from
            participate:with trade:for exchange:for""",
        "A4": """go:to,into,in come:to,into,in return:to drive:to walk:to travel:to fly:to head:to,for run:to move:to
            fall:to rise:to arrive:to increase:to decrease:to drop:to grow:to extend:to""",
    }.items()
    for verb, _, prepositions in (phrase.partition(":") for phrase in phrases.split())
    for preposition in prepositions.split(",")
}
CLAUSES = index_words(  # the role of an adverbial clause, by its first word
    {
        "AM-ADV": "if unless whether though although as",
        "AM-CAU": "because since cause",
        "AM-TMP": "when whenever while after before until till once",
        "AM-LOC": "where wherever",
        "AM-MNR": "how like",
        "AM-PNC": "so",
    }
)
TIME_ADJECTIVES = word_set(
    """recent previous daily weekly monthly annual current future past early late former next last final new frequent
    constant ongoing initial long first second regular"""
)
EXTENT_ADJECTIVES = word_set(
    """great huge big major full complete total large small little considerable significant minor more much further
    extensive"""
)
