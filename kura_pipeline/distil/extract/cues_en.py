"""English cues. Also read for text in other Latin languages, where English words are mixed in."""

from __future__ import annotations

from kura_pipeline.distil.extract.cue import Cue, table

_ACTION = (
    "add|write|create|delete|remove|kill|run|rerun|read|fix|implement|update|commit|push|pull|show|open|rename|"
    r"refactor|check|investigate|look|find|search|test|try|continue|proceed|go|port(?! \d)|build|rebuild|deploy|make|change|modify|put|copy|move|"
    "install|explain|describe|summari[sz]e|list|print|start|restart|stop|finish|undo|revert|rewrite|clean|format|lint|generate|merge|"
    "rebase|adjust|tweak|replace|convert|extract|document|give|tell|send|let|see|wait|think|sleep|say|review|compare|debug|apply|set up|"
    "set|bump|release|publish|draft|prepare|do|redo|return|grep|cat|ls|cd|point|wire|hook|plug|paste|translate|help|figure|ask|spin|"
    "measure|benchmark|profile|time|take|get|fetch|download|upload|export|import|load|save|close|click|scroll|type|enter|select|split"
)
_FILLER = r"(?:(?:and|then|so|but|also|now|ok|okay|alright|well|please|pls|just|dude|my dude|hm+|yes|yeah|no|great|nice|cool|first|next)[\s,.!]+)*"
_ASKING = (
    r"(?:(?:can|could|would|will) (?:you|we)(?: please)?|let'?s|(?:we|i|you) (?:also |still |now )?(?:need|have|want|should)(?: you)?(?: to)?|"
    r"i'?d like you to|go ahead and|time to|please)\s+(?:just |also |quickly |first )*"
)

CUES: tuple[Cue, ...] = table(
    [
        ("entrusted", 3.0, r"(?<!do you )(?<!i )(?<!can't )(?<!cannot )(?<!don't )\bremember\b(?!\s+(?:when|how we|the time|me\b))(?!.*\?\s*$)"),
        ("entrusted", 3.0, r"\b(?:keep|bear) in mind\b|\bdo(?:n'?t| not) forget\b|\bnote to self\b|\bfor the record\b|\bmake a note\b|\bfor future reference\b|\bwrite (?:this|that) down\b|\bmemori[sz]e\b|\b(?:quick )?fact for the file\b"),
        ("rule", 2.0, r"\bfrom (?:now|here|today) on(?:wards?)?\b|\bgoing forward\b|\bhenceforth\b|\bin (?:the )?future\b|\bas a rule\b|\brule of thumb\b|\bwithout exception\b|\bacross the board\b|\bat all times\b|\bunder no circumstances\b|\bnever ever\b|\bany ?more\b(?=.*\b(?:no|not|don'?t|won'?t|never)\b)|\b(?:house|team|project|hard) rule\b|\b(?:our|the) (?:rule|convention|policy|standard|invariant) is\b"),
        ("rule", 2.0, r"\balways\b(?!\s+(?:wanted|been|had|the case|fails?|failed|crash\w*|breaks?|broke|seems?|seemed|gets?|got|happens?|happened|shows?|returns?|says?|did))"),
        ("rule", 2.0, r"\bnever\b(?!\s+(?:mind|ming|seen|saw|heard|had|been|got|gets|worked|works|ran|runs|finish\w*|happened|returns?|returned|tried|used it|wrote|did|knew|managed))"),
        ("rule", 1.0, r"\bevery ?time\b|\beach time\b|\bwhenever\b|\bby default\b|\bin all\b|\bevery\s+\w+|\bany\s+\w+\s+(?:that|which|must|should)\b|\beverywhere\b|\bboth\b.*\bmust\b"),
        ("rule", 1.5, r"(?:^|[,;.!]\s*|\b(?:and|but|so|please|pls|just|also)\s+)(?:do not|don'?t|dont)\s+(?:ever\s+)?(?!know|think|understand|care|mind|see|have|need|want|like|worry|get\b|remember|even|believe|you|we\b|forget|stop until|hesitate|bother)"),
        ("rule", 1.5, r"(?:^|[,;.!]\s*)(?:and |but |so )?no (?:more )?(?!need|problem|worries|idea|thanks|thank|that|it\b|this|not|i\b|i'|we\b|wait|luck|one|clue|way|matter|doubt|you|the\b|longer|he|she|they|there|sorry|just|more\b(?! \w))[\w-]+"),
        ("rule", 2.0, r"\b(?:may|must|should)\b[^.;?]{2,60}\bonly (?:if|when|after|while|once|with)\b|^\W*only \w+ [^.;?]{3,60}\b(?:when|if|after|once)\b(?!.*\bthen\b)(?! (?:you|i|we|it)\b)"),
        ("rule", 1.0, r"\bmake sure\b|\bensure\b|\bbe sure to\b"),
        ("rule", 1.0, r"(?:^|[,;.!]\s*|\b(?:and|but|so|please|pls|just|also|omfg|ffs|dude|then|instead)\s+)(?:use|keep|leave|avoid|stick (?:with|to)|treat|prefer|call|name|reserve|favou?r|respect|follow|default to)\b"),
        ("contrast", 1.0, r"\binstead of\b|\brather than\b|(?:,| and|;) not (?:the |an? )?[\w`'\"-]+(?: [\w`'\"-]+){0,4}\s*[.!]?$|\bno (?!more|need|problem|idea)[\w ]{3,30}!|\bas (?:it )?is\b|\balone\b|\buntouched\b|\bintact\b|\bonly\b|\bsame as\b|\bover the\b|\binstead\b"),
        ("rule", 2.0, r"\b(?:anything|everything|whatever|all|every)\b[^,.;]*\b(?:belongs?|(?:goes|go) (?:in|to|into|under|through)|lives? (?:in|under))\b"),
        ("preference", 1.5, r"\b(?:customers?|clients?|boss|legal|she|he|they|users|[a-z]+'s team|(?:the|our) \w+ team) (?:wants?|expects?|insists?|requires?)\b"),
        ("constraint", 1.5, r"\bonly (?:accepts?|works? (?:with|on|in)|supports?|takes?|allows?|reads?|understands?)\b"),
        ("constraint", 1.0, r"\bby (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|noon|eod|midnight|the end of|end of|\d)"),
        ("fact", 2.0, r"\bmy (?:name|time ?zone|role|job|team|pronouns|editor|keyboard|laptop|machine|shell)\b(?: \w+)? (?:is|are|runs)\b|\bi (?:work|live) (?:from|in|at|as)\b"),
        ("contrast", 1.0, r"\b(?:in|for|on) all\b|\beverywhere\b|\bacross (?:all|the)\b"),
        ("contrast", 0.5, r"\b(?:don'?t|do not|never|avoid)\s+\w+\s+(?!the\b|this\b|that\b|it\b|those\b|these\b|my\b|your\b)[\w-]+s\b"),
        ("rule", 1.0, r"\binstruct (?:the )?(?:users?|people|everyone|agents?)\b|\b(?:users?|people|everyone|contributors?|agents?) (?:should|must|can|need to|have to)\b"),
        ("preference", 2.0, r"\bprefer(?:s|red|ence)?\b|\b(?:i|we|he|she|they|i'd|she'd|he'd|they'd|we'd)(?: would)? (?:much )?rather\b|\b(?:my|our|her|his|their) favou?rite\b|\bcan'?t stand\b|\bi (?:really |absolutely )?(?:hate|dislike|love)\b(?! (?:it|this|that)\b)"),
        ("preference", 1.5, r"\bi (?:really )?(?:like|want)\b(?! (?:it|this|that|to (?:know|see|try)|you to)\b)"),
        ("decision", 2.5, r"\b(?:decided|settled on|agreed|opted|concluded)\b(?!\?)|\bdecision\b\s*(?:made\b|is\b|was\b|[:—-]| on\b)|\b(?:we|i)(?:'ve| have)? (?:chose|chosen|picked)\b"),
        ("decision", 2.0, r"\blet'?s (?:go with|use|stick (?:with|to)|keep|switch|move to|drop|standardi[sz]e|call it|not|only|always|never|stay)\b|\b(?:we|i)(?:'re| are|'m| am) (?:going|gonna)(?: to)? (?:with|use|switch|keep|move|drop|stay|not)\b|\bgoing with\b|\b(?:we|i)(?:'ll| will) (?:use|go with|keep|stick|switch|move|drop|run|support|not|only|never|always|stay|call)\b|\bwe (?:use|keep|drop|support|target|ship|stay with|stick with)\b"),
        ("decision", 2.0, r"\b(?:we|i|let'?s|we're|i'm)(?: are| will|'ll| am)? (?:go(?:ing)?|switch(?:ing)?|move|moving|chang(?:e|ing)) back to\b|\bwas a mistake\b|\bnot .* after all\b"),
        ("decision", 1.5, r"\bswitch(?:ing|ed)?\b.*\bto\b|\bmigrat(?:e|ed|ing)\b.*\bto\b|\badopt(?:ing|ed)?\b|\bsigned off\b|\bthe plan is\b|\bfinal(?:ly)?\s*:|\bapproved\b|\bdeprecat(?:e|ed|ing)\b|\bno longer\b|\bwants? (?:me|us) to\b"),
        ("decision", 1.0, r"\bi guess we (?:can|should|could)\b|\bwe (?:should|could|can|just want to|want to|only want to)\b|\bwe'?d better\b"),
        ("correction", 1.0, r"^(?:no|nope|nah|wrong|not quite)[,.!:]+\s*(?=\w)|\bi meant\b|\bis(?:n't| not)? actually\b|\bnot\b[^,.;]{2,40},? but\b"),
        ("correction", 2.5, r"\bcorrection\s*:|\bi was wrong\b|\bscratch that\b|\bi (?:take|took) (?:it|that) back\b|\bforget what i said\b|\bchanged? my mind\b"),
        ("correction", 0.5, r"\bactually\b|\bthat'?s (?:not|wrong)\b"),
        ("cause", 1.5, r"\bturn(?:s|ed) out\b|\b(?:root )?cause (?:is|was)\b|\bculprit\b|\bit was (?:actually )?(?:the|a|our|my)\b.*\bthat\b|\bthe (?:problem|issue|reason|bug) (?:is|was)\b"),
        ("constraint", 1.5, r"\bat (?:most|least)\b|\b(?:no|not) (?:more|less|later|earlier|fewer) than\b|\bdeadline\b|\bnot allowed\b|\bforbidden\b|\boff[- ]limits\b|\bmandatory\b|\bupper bound\b|\bbudget (?:is|of)\b|\b(?:the |a |our )?limit (?:is|of|are)\b|\bmax(?:imum)?\b.*\d|\bmin(?:imum)?\b.*\d|\bis capped\b|\bmust (?:stay|fit)\b"),
        ("warning", 2.0, r"\bbe careful\b|\bcareful with\b|^\W*careful\b|\bbeware\b|\bwatch out\b|\bheads[- ]?up\b|\bgotcha\b|^\W*(?:warning|caution|danger)\b|⚠|\bfoot[- ]?gun\b|\b(?:will|would|can) (?:silently )?(?:wipe|delete|destroy|lose|corrupt|overwrite|brick)\b"),
        ("procedure", 2.0, r"\bthe (?:workflow|process|procedure|recipe|flow|steps?|trick|way to \w+) (?:is|are|would be|should be|goes)\b"),
        ("procedure", 1.5, r"^to \w+[^,]{2,50}, (?:run|use|call|first|you)\b"),
        ("commitment", 2.0, r"\bpromis(?:e|ed|ing)\b|\bcommitt?(?:ed|ing)? to\b|\bi commit\b|\byou have my word\b"),
        ("opinion", 0.5, r"\bi (?:think|believe|guess|suppose)\b|\bimho?\b"),
        ("reason", 0.5, r"\bbecause\b|\bsince\b|\bso that\b|\bso (?:the|we|users?|people|they|it)\b|\botherwise\b|\bor else\b|\bthat way\b|\bwhich means\b|\bin order to\b|\bdue to\b|\bthe reason\b"),
        ("condition", 0.5, r"\bif\b|\bwhen\b|\bwhile\b|\buntil\b|\bunless\b|\bbefore\b|\bafter\b|\bas soon as\b|\bin case\b|\bin the event\b"),
        ("retract", 1.0, r"\b(?:you can )?(?:undo|revert|scrap|drop|forget) (?:that|it|this)\b|\bscratch that\b|^\W*no\b[,.! ].*\b(?:should stay|stays?|keep it|as is|put it back)\b|\bnever mind that\b|\bi (?:take|took) (?:it|that) back\b|\bchanged? my mind\b|\bforget what i said\b|\bi was wrong\b|\bthat was (?:wrong|a mistake|stupid)\b|\bmy (?:mistake|bad)\b|\b(?:let's|we) (?:un-?do|roll back|walk back|reverse) (?:that|it|this)\b"),
        ("chore", -2.0, rf"^\W*{_FILLER}(?:{_ASKING})?(?:{_ACTION})\b(?! sure\b| not\b)"),
        ("chore", -1.5, rf"\b{_ASKING}(?:{_ACTION})\b(?! sure\b| not\b)"),
        ("chore", -1.0, rf"(?:[,;.!]\s*|\b(?:and|then)\s+)(?:please |just |then )?(?:{_ACTION})\b(?! sure\b| not\b)"),
        ("chore", -2.0, r"\b(?:for me|real quick|as well\?|one more time|try again|when you'?re done|then stop|don'?t stop until|where we left off)\b|^\W*(?:continue|proceed|go on|next|thanks?|ok|okay|yes|no|yep|sure|great|nice|cool|perfect|done)\W*$"),
        ("chore", -1.5, r"\bwe (?:also |still )?(?:need|have) (?:a|an|to|some|more)\b(?!.*\b(?:always|never|every)\b)|\b(?:is there|are there) (?:a|an|any)\b|\b(?:needs?|need) (?:fixing|updating|work|cleanup|cleaning|another look|a look|to be (?:fixed|updated|redone))\b"),
        ("moment", -1.5, r"\b(?:still|now|currently|right now|at the moment)\b.*\b(?:looks?|fails?|failing|broken|same|works?|working|crash\w*|hangs?|wrong|brighter|darker|slower|faster)\b|\b(?:looks|seems|works|renders|feels) (?:good|fine|great|ok|okay|the same|weird|off|better|wrong|like)\b|\b(?:is|are) too \w+\b"),
        ("moment", -1.5, r"(?<!while )(?<!when )(?<!if )\bi (?:undid|removed|manually|just|am|'m|already|tried|fixed|moved|will edit|'ll edit|'ll (?:try|test|check|look|do|let you|be back)|selected|restarted|ran|see|saw|noticed)\b|\blet me\b|\bgoing to (?:lunch|bed|sleep)\b|\bdidn'?t (?:work|help)\b|\b(?:doesn'?t|does not|don'?t|isn'?t|aren'?t|wasn'?t|won'?t) (?:work|change|update|compile|start|build|show|render|match)\b"),
        ("moment", -1.0, r"\bshould be (?:that|this|it)\b(?! \w+(?:ed|er)\b)|\bfor (?:now|a sec|the moment|this one|today)\b|\bjust this once\b|\bthis time\b|\btemporar(?:y|ily)\b|\bgood to go\b|\bready to\b"),
        ("moment", -2.0, r"\bshould (?:be )?(?:good|fine|ready|ok|okay|enough|working|work|done|there|easy|possible|help|do it|fix|pass|compile|succeed)\b(?! if| when| at)|\bshould\b[^,.]*\bnow\b|\bshould have (?:\w+ed|been|worked)\b|\bwhat should\b|\bshould (?:i|we)\b.*\?"),
    ]
)  # fmt: skip

NOTES: tuple[Cue, ...] = table(
    [
        ("commitment", 2.0, r"\b(?:i|we)(?:'ll| will)\b|^\W*will \w+|\bsaid yes\b|\bputting it on my list\b"),
        ("opinion", 2.0, r"\bi (?:think|believe|find|feel|suspect|doubt)\b|\bhonestly\b|\bin my (?:view|opinion)\b|\bmy (?:take|read|view|opinion)\b|\bsk[ea]ptical\b|\bover-?rated\b|\bi'?d rather\b|\bpersonally\b"),
        ("fact", 2.0, r"\bconfirmed\b|^\W*(?:quick |two |some )?facts?\b|\bworth (?:filing|noting|knowing|remembering)\b|^\W*(?:fyi|nb|note|tl;?dr)\b\s*[:,-]|\buseful to know\b|\bfound out\b|\blearned\b"),
        ("decision", 2.0, r"\bswitch(?:ing|ed)?\b.*\bto\b|\bmov(?:ed|ing)\b.*\bto\b|\breplac(?:ed|ing)\b.*\b(?:with|by)\b|\badopt(?:ing|ed)?\b|\bno more\b|\bstart(?:ed|ing)? using\b|\bstopped using\b|\bchose\b|\bwent with\b|\bscoped?\b|\bdelay(?:ed|ing)?\b|\breserved for\b"),
        ("moment", -1.5, r"\b(?:tomorrow|later today|tonight|next week)\b|^\W*to[ -]?do\b|^\W*(?:putting|pushing|adding) (?:it|this|that|the relevant)\b|\b(?:just|mostly) (?:my|a personal)\b"),
        ("constraint", 2.0, r"\bonly (?:effective|valid|works?|on|for|in|at|when|if|after|before|while)\b"),
        # what people say to each other to be kind: it speaks of the talk, not of the world
        ("moment", -3.0, r"^\W*(?:wow|woah|whoa|thanks|thank you|thx|cheers|hey|hi|hello|congrat\w*|good luck|best of luck|have (?:fun|a (?:great|good|nice|lovely))|take care|stay safe|safe travels|see you|bye|talk (?:to you )?soon|no (?:problem|worries)|my pleasure|sounds? (?:like|great|good|awesome|fun|amazing)|way to go|keep (?:it up|going|pushing|up)|sure thing|glad (?:you|to|it)|great to hear|nice to|appreciate|so (?:cute|cool|happy for you|proud of you)|can't wait|can i|you (?:guys|should|can|must|got this|'re (?:so|gonna|doing|amazing|awesome)|are (?:so|doing|amazing|awesome))|your (?:support|words|kind\w*|help))\b"),
        ("moment", -3.0, r"\b(?:that|this|it)(?:'s| is| sounds?| looks?| must(?: be| have been)?)(?: so| really| very| pretty| super| like| an?)* (?:awesome|amazing|great|cool|nice|sweet|lovely|wonderful|inspiring|adorable|gorgeous|beautiful|fantastic|incredible|impressive|fun|blast|cute|good to hear)\b|\bi(?:'m| am) (?:so |really |super )?(?:glad|happy|proud|stoked|excited|thrilled) (?:for|of|that you|to hear|you)\b|\bi(?:'ll| will) (?:definitely |be sure to |make sure to )?(?:let you know|keep (?:you|ya|u)\b|see you|be there\b|give (?:it|that|them) a (?:try|go|shot)|check (?:it|that|them) out|do that|think about it|fill you in|keep (?:going|pushing|at it|it in mind))|\bkeep in touch\b|\b(?:always (?:be )?(?:here|there) for|believe in you|means? (?:a lot|so much|the world|everything))\b|\blet'?s (?:keep|catch up|do it|plan)\b"),
        # what happened to them, with its time: a life told is made of these
        ("fact", 2.0, r"(?<!have )(?<!did )\b(?:i|we|my \w+|our \w+)\b(?!.*\?).*\b(?:yesterday|last (?:night|week|weekend|month|year|summer|winter|spring|fall|autumn|mon|tues?|wednes|thurs|fri|satur|sun)(?:day)?|(?:a|one|two|three|four|five|six|seven|ten|few|couple of|\d+) (?:days?|weeks?|months?|years?) ago|the other day|since (?:i was|19\d\d|20\d\d)|this (?:past )?(?:week|weekend|month|year))\b"),
        # a remark about the remark holds nothing of its own
        ("moment", -3.0, r"^\W*(?:(?:that'?s |it'?s |this is )?(?:just |only |mostly )?(?:my (?:own )?(?:opinion|view|read|take|two cents|impression|gut feeling))(?: though| only)?\s*(?:[,.!]|but\b|and\b|$)|(?:useful|good|nice|handy|helpful|worth) to (?:know|have|remember)\b)"),
    ],
    notes_only=True,
)  # fmt: skip
