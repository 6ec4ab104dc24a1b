"""Words that roles are told by: small lists where a verb, a preposition or an adverb departs from the general rule."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text, which spaces and line ends separate."""
    return frozenset(text.split())


# Their subject is what something happens to, not who does it ("the price rose").
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
# Their subject is the whole, and their object a part.
SUBJECT_IS_A2 = word_set("include involve contain comprise")
SPEAKING = word_set(
    "say tell think ask write report add explain note reply answer state claim believe guess suppose hope know "
    "announce suggest argue insist warn wonder mean feel see agree admit assume imagine read go shout whisper"
)
# The subject of the main verb is the subject of the infinitive, too, which says what happens: C-A1.
RAISING = word_set("seem appear tend happen prove turn")
# With an object and a clause: the object is the hearer, A2, and the clause what is said, A1.
TELLING = word_set("tell ask inform remind advise notify convince persuade warn assure promise show teach beg urge bet")
# With an object and a clause both are one thing that is wanted, let or seen.
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
PREPOSITIONS = {  # what a prepositional phrase is, unless the verb or its object says more
    "about": "A1",
    "of": "A1",
    "to": "A2",
    "onto": "A2",
    "into": "A2",
    "from": "A2",
    "with": "A2",
    "for": "A2",
    "against": "A2",
    "on": "AM-LOC",
    "in": "AM-LOC",
    "at": "AM-LOC",
    "under": "AM-LOC",
    "near": "AM-LOC",
    "behind": "AM-LOC",
    "between": "AM-LOC",
    "among": "AM-LOC",
    "outside": "AM-LOC",
    "inside": "AM-LOC",
    "beside": "AM-LOC",
    "above": "AM-LOC",
    "below": "AM-LOC",
    "around": "AM-LOC",
    "across": "AM-LOC",
    "over": "AM-LOC",
    "upon": "A1",
    "towards": "AM-DIR",
    "toward": "AM-DIR",
    "through": "AM-DIR",
    "past": "AM-DIR",
    "along": "AM-DIR",
    "up": "AM-DIR",
    "down": "AM-DIR",
    "off": "AM-DIR",
    "out": "A2",
    "by": "AM-MNR",
    "without": "AM-MNR",
    "via": "AM-MNR",
    "like": "AM-MNR",
    "as": "AM-PRD",
    "because": "AM-CAU",
    "due": "AM-CAU",
    "despite": "AM-ADV",
    "according": "AM-ADV",
    "instead": "AM-ADV",
    "except": "AM-ADV",
    "regarding": "AM-ADV",
    "besides": "AM-ADV",
    "including": "AM-ADV",
    "given": "AM-ADV",
    "per": "AM-ADV",
}
# Where the general rule is wrong: verbs whose phrases with a preposition are arguments of another number.
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
CLAUSES = {  # by the word that introduces an adverbial clause
    "if": "AM-ADV",
    "unless": "AM-ADV",
    "whether": "AM-ADV",
    "though": "AM-ADV",
    "although": "AM-ADV",
    "as": "AM-ADV",
    "because": "AM-CAU",
    "since": "AM-CAU",
    "cause": "AM-CAU",
    "when": "AM-TMP",
    "whenever": "AM-TMP",
    "while": "AM-TMP",
    "after": "AM-TMP",
    "before": "AM-TMP",
    "until": "AM-TMP",
    "till": "AM-TMP",
    "once": "AM-TMP",
    "where": "AM-LOC",
    "wherever": "AM-LOC",
    "how": "AM-MNR",
    "so": "AM-PNC",
    "like": "AM-MNR",
}
TIME_ADJECTIVES = word_set(
    """recent previous daily weekly monthly annual current future past early late former next last final new frequent
    constant ongoing initial long first second regular"""
)
EXTENT_ADJECTIVES = word_set(
    """great huge big major full complete total large small little considerable significant minor more much further
    extensive"""
)
