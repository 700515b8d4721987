"""Credits to the human in English."""

from __future__ import annotations

import re

from kura_runtime.gate.credit import Language, Rule
from kura_runtime.gate.credit import anchors as _stems
from kura_runtime.gate.names import GIVEN_NAMES

NAMED = re.compile(r"\b(?:" + GIVEN_NAMES + r"|Mr|Mrs|Ms|Miss|Dr|Prof|Sir|Madam)\b")
_ROLE = (
    r"(?:users?|owner|customer|client|human|maintainer|operator|boss|manager|stakeholders?|supervisor|requester|"
    r"reviewer|author|developer|dev|admin|administrator|(?:product|project|team|tech)[ -](?:owner|lead|manager)|"
    r"management|team|person\s+in\s+charge|lead|principal|CEO|CTO|director)"
)
_NAMED = (
    r"(?-i:\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sir|Madam)\b\.?\s+[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)?)"
    r"|(?-i:\b(?:" + GIVEN_NAMES + r")\b(?:\s+[A-Z][\w'-]+)?)"
)
# "a user", "each user" are anybody: only a definite human is credited.
_HUMAN = (
    r"\b(?:the|our|my|this|that|your|their|its|both|all)\s+(?:(?:human|end|project|account|repo(?:sitory)?|product|store|system"
    r"|same|actual|real|responsible|site|service|code)\s+)?" + _ROLE + r"\b(?!-)|" + _NAMED
)
_BARE = r"|(?<![\w-])(?<!\b[Aa]\s)(?<!each\s)(?<!very\s)(?<!any\s)(?<!per\s)(?:users?|owner|customer)(?![\w-])|\b(?:they|he|she|you)\b"
_FILL = (
    r"(?:,?\s+(?:has|have|had|did|does|do|was|is|explicitly|clearly|already|also|just|later|then|finally|expressly|"
    r"verbally|personally|once|twice|again|repeatedly|always|never|not|now|still|even|initially|originally|"
    r"specifically|strongly|kindly|since|therefore|thus|would|himself|herself|themselves|today|yesterday|really|"
    r"actually|hasn't|hadn't|didn't|doesn't|haven't|been|apparently|recently|formally|officially|quietly|implicitly|"
    r"tacitly|gladly|happily|however|only|immediately|unanimously|subsequently|earlier|long|and|in\s+fact|in\s+writing)\b,?)*"
)
_ASIDE = r"(?:\s*\([^()\n]{1,40}\)|\s[—-]\s[^—\n.]{1,60}?\s[—-](?=\s)|,\s[^,.;\n]{1,40},|\s+(?:who|that|of|behind|in|on\s+call|from|herself|himself)\b(?:\s+[\w'-]+){0,5}?)?"
_SAID = (
    r"said|says|told|tells|stated|states|wrote|writes|mentioned|mentions|noted|notes|explained|explains|announced|"
    r"declared|emphasi[sz]ed|clarified|complained|insisted|insists|added|replied|answered|remarked|pointed\s+out|"
    r"made\s+(?:it\s+)?clear|claimed|warned|reminded|commented"
)
_DECIDED = (
    r"approved|agreed|consented|authori[sz]ed|permitted|okayed|ok'?d|green-?lit|green-?lighted|sanctioned|endorsed|blessed|"
    r"signed\s+off|confirmed|accepted|decided|chose|chosen|opted|ruled|requested|asked|instructed|ordered|demanded|"
    r"wanted|preferred|wished|mandated|vetoed|rejected|declined|refused|forbade|forbidden|banned|prohibited|suggested|"
    r"proposed|recommended|promised|committed\s+to|acknowledged|specified|allowed|liked|hated|disliked|"
    r"expected|hoped|waived|cleared|ratified|settled|voted|concurred|assented|urged|begged|desired|called\s+for|"
    r"gave\s+in|went\s+(?:along\s+)?with|came\s+down\s+on|picked|let\s+(?:us|me|it|the)"
)
_WANTS = (
    r"wants|prefers|approves|agrees|decides|asks|demands|likes|dislikes|hates|loves|wishes|would\s+like|would\s+rather|"
    r"would\s+prefer|expects|authori[sz]es|consents|accepts|desires|refuses|forbids|hopes|favou?rs|is\s+in\s+favou?r|"
    r"(?:is|was|were|are)\s+(?:happy|fine|ok|okay|content|satisfied|comfortable|on\s+board)\s+(?:with|about|for|to)|"
    r"(?:want|prefer|like)(?=\s+(?:to|it|this|that|us|the|no|only|every|all)\b)"
)
_CONSENT = (
    r"(?:approval|permission|consent|go-?ahead|green\s+light|ok|okay|blessing|nod|thumbs[- ]up|sign-?off|clearance|"
    r"agreement|instructions?|orders?|authori[sz]ation|endorsement|assent|mandate|say-so|buy-in)"
)
_WORD = (
    r"(?:approval|permission|consent|go-?ahead|green\s+light|blessing|sign-?off|clearance|agreement|instructions?|orders?|"
    r"authori[sz]ation|endorsement|request|demand|wish(?:es)?|preference|decision|choice|ruling|say-so|insistence|behest|"
    r"direction|suggestion|advice|verdict|own\s+words|words|ok|okay|opinion|view|command|will|desire)"
)
_IF = (
    r"\b(?:when|whenever|if|in\s+case|once|unless|until|till|before|as\s+soon\s+as|every\s+time|each\s+time|should|whether|while|"
    r"where|lets?|for|so\s+that|in\s+order|what|how|which|anything|everything|whatever)\b[^,.;:!?\n]{0,50}$"
)
_NEEDED = (
    r"\b(?:requires?|required|requiring|needs?|needed|without|pending|awaits?|awaiting|until|waits?\s+(?:for|on)|waiting\s+(?:for|on)|asks?\s+(?:\w+\s+){0,2}for|"
    r"subject\s+to|if|unless|before|lacks?|lacking|missing|depends?\s+on|depending\s+on|must\s+have|seek|get|obtain|prompt(?:s|ed)?\s+for)\b[^.;\n]{0,30}$"
)

_RULES = (
    Rule(
        head="(?:<HUMAN>" + _BARE + ")",
        source=rf"{_ASIDE}{_FILL}\s+(?:{_SAID})\b",
        before=r"\b(?:if|should|whether|whatever)\b[^,.;:!?\n]{0,30}$",
        saying=True,
    ),
    Rule(
        head="(?:<HUMAN>" + _BARE + ")",
        source=rf"{_ASIDE}{_FILL}\s+(?:{_DECIDED})\b(?!\s+by\b)",
        before=r"\b(?:if|should|whether|whatever)\b[^,.;:!?\n]{0,30}$",
        inside=r"\b(?:is|was|were|are|been|being)\s+(?:\w+\s+)?(?:requested|ordered|allowed|permitted|authori[sz]ed|rejected|refused|accepted|expected|forbidden|banned|prohibited|asked|cleared|picked|chosen|settled)\b",
        after=r"\s*(?:list|state|status|columns?|fields?|urls?)\b",
    ),
    Rule(head="(?:<HUMAN>" + _BARE + ")", source=rf"{_ASIDE}{_FILL}\s+(?:{_WANTS})(?![\w-])", before=_IF),
    Rule(
        head="(?:<HUMAN>" + _BARE + ")",
        source=rf"{_ASIDE}{_FILL}\s+(?:gave|gives|given|granted|expressed|signal(?:l)?ed|voiced|issued)\s+"
        rf"(?:[\w'-]+\s+){{0,4}}(?:{_CONSENT}|wish|preference|decision)\b",
        before=r"\b(?:if|unless|until|whether)\b[^,.;:!?\n]{0,30}$",
    ),
    # passive, with a named author
    Rule(
        rf"\b(?:{_DECIDED}|{_SAID}|given|granted|made|signed)(?:\s+(?:up)?on|\s+to)?\s+by\s+(?:<HUMAN>|(?:users?|owner|customer|them|him|her|you)\b)",
        before=rf"{_IF}|\b(?:must|should|can|could|may|might|to|needs?|unless|not\s+yet|will)\s+(?:first\s+)?(?:be|been|being)\s+$|\b(?:must|should|can|may|to)\s+be\s+\w*\s*$",
    ),
    # passive, no author: only what no machine does
    Rule(
        r"\b(?:was|were|has\s+been|have\s+been|had\s+been|is|got|been)(?:\s+(?:\w+ly|already|also|all|finally|not|never|since|later|then|therefore|thus|mutually|jointly))*\s+"
        r"(?:approved|agreed|okayed|ok'?d|green-?lit|green-?lighted|signed\s+off|consented\s+to|ratified|blessed|endorsed|decided|mandated|sanctioned)\b",
        before=r"\b(?:if|unless|until|whether|once|when|before|must|should|can|could|may|might|will|to)\b[^,.;:!?\n]{0,40}$",
        after=r"(?:\s+(?:up)?on|\s+to)?\s+(?:automatically\b|by\s+(?!<HUMAN>|(?:users?|owner|customer|them|him|her|you|all|everyone|everybody|consensus|vote|management|people|hand)\b))",
    ),
    Rule(
        r"\b(?:was|were|has\s+been|have\s+been|had\s+been)(?:\s+(?:\w+ly|already|also|all|never|not))*\s+authori[sz]ed\b",
        before=r"\b(?:if|unless|until|whether|once|when|before|request|token|client|session|call)\b[^,.;:!?\n]{0,40}$",
        after=r"\s+(?:via|with|using|through|by|as|against)\b",
    ),
    Rule(
        r"\b(?:was|were|been|being|am|I'm)(?:\s+(?:explicitly|specifically|also|then|later|clearly|kindly))*\s+(?:asked|told|instructed|ordered|directed|urged|permitted|begged)\s+(?:not\s+)?(?:to|that|by)\b",
        before=r"\bif\b[^,.;:!?\n]{0,30}$",
    ),
    Rule(
        r"(?<![\w-])(?:user|owner|customer|client|human|maintainer|operator)s?-(?:approved|requested|authori[sz]ed|mandated|confirmed|sanctioned|preferred|decided|chosen|ordered|endorsed|agreed)\b"
    ),
    # the noun: with the user's approval, at the owner's request
    Rule(
        rf"\b(?:with|after|on|upon|following|under|thanks\s+to|given|per|by|at|due\s+to|because\s+of|in\s+line\s+with|in\s+accordance\s+with|based\s+on|against|despite|on\s+account\s+of|honou?ring|respecting)\s+"
        rf"(?:(?:the|an?|explicit|prior|full|express|written|verbal)\s+)*(?:(?:<HUMAN>|users?|owner|customer)(?:'s?|’s?)?|their|his|her|your)\s+(?:(?:[\w-]+)\s+){{0,2}}?{_WORD}\b",
        before=_NEEDED,
        after=r"\s+(?:body|header|id|params?|object|payload|handler|path|method|log|rate|queue|prompt|dialog|box|form|page|button|token|code|agent)\b",
    ),
    Rule(
        r"(?:<HUMAN>)(?:'s?|’s?)\s+(?:[\w-]+\s+)?(?:approval|permission|consent|go-?ahead|green\s+light|blessing|sign-?off|decision|wish|wishes|preference|order|orders|instructions?|verdict|ruling|own\s+words|say-so|insistence|behest|demand|endorsement)\b",
        before=_NEEDED,
        after=r"\s+(?:is|are)\s+(?:\w+\s+)?(?:required|needed|pending|missing|outstanding)\b|\s+(?:dialog|box|form|page|button|prompt)\b",
    ),
    Rule(
        rf"\b{_WORD}\s+(?:of|from|by)\s+(?:<HUMAN>|(?:users?|owner|customer|them|him|her|you)\b)(?!-|\w)",
        before=_NEEDED,
        inside=r"^(?:view|opinion|words?|command|will|direction|choice)\b|^orders?\s+(?:of|from|by)\b",
        after=r"\s+(?:is|are)\s+(?:\w+\s+)?(?:required|needed|pending|missing)\b|\s*(?:table|data|input|agent|profile)\b",
    ),
    Rule(
        r"\b(?:according\s+to|as\s+per|in\s+the\s+words\s+of|on\s+behalf\s+of|to\s+please)\s+(?:<HUMAN>)(?!['’-]|\s+(?:guide|manual|table|agent|docs?|documentation|story|profile|settings?|locale|role|id|group)\b)",
        saying=True,
    ),
    Rule(
        r"\b(?:cleared|agreed|discussed|settled|coordinated|arranged|aligned|confirmed|negotiated|checked)\s+(?:\w+\s+)?with\s+(?:<HUMAN>)"
    ),
    Rule(r"\bper\s+(?:<HUMAN>)(?=\s*[,.;)]|\s*$)"),
    # as agreed, on request, by agreement: the human without a word for him
    Rule(
        r"\bas\s+(?:(?:previously|already|explicitly|originally|later|was|had\s+been|we|you|they|it\s+was)\s+)*(?:agreed|requested|instructed|decided|approved|authori[sz]ed|discussed|directed|asked|ordered|mandated|demanded|wished|desired)\b"
    ),
    Rule(
        r"\b(?:per|by)\s+(?:the\s+)?(?:user|owner|customer|client|explicit|express|their|his|her|your|special|popular)\s+(?:request|demand|instructions?|approval|decision|agreement|order|wish)\b|(?:^|[.;:,(]\s*)(?:as\s+per|per)\s+(?:request|instructions?|agreement|approval|decision)\b(?=\s*[,.)]|\s*$)|\bas\s+per\s+(?:request|instructions?|agreement|decision)\b",
        before=_NEEDED,
        after=r"\s+(?:header|body|id|limits?)\b",
    ),
    Rule(
        r"\b(?:up)?on\s+(?:explicit|express|direct|special|personal|written)\s+(?:request|instructions?|demand|orders?)\b|(?:^|[.;:!?]\s*)upon\s+request\b|\bby\s+(?:mutual\s+|common\s+|prior\s+)?agreement\b|\bat\s+(?:the\s+)?(?:explicit|express)\s+request\b",
        before=_NEEDED,
    ),
    Rule(
        r"\bwith\s+(?:(?:explicit|full|prior|written|verbal|express|due|proper|clear|their|formal)\s+)*(?:approval|consent|sign-?off|blessing|the\s+go-?ahead|the\s+green\s+light)\b|\bwith\s+(?:(?:explicit|full|prior|written|verbal|express|due|proper)\s+)+(?:permission|authori[sz]ation|agreement)\b",
        before=_NEEDED + r"|\bonly\s+$",
        after=r"\s*(?:gates?|flows?|workflows?|steps?|status|rules?|forms?|dialogs?|banners?|buttons?|pages?|management|screens?)\b",
    ),
    Rule(
        r"\b(?:got|received|obtained|gained|secured|won|have|has|had|was\s+given|were\s+given|been\s+given)\s+(?:[\w-]+\s+){0,2}?(?:approval|the\s+go-?ahead|a\s+go-?ahead|the\s+green\s+light|a\s+green\s+light|permission\s+(?:from|to)|consent|sign-?off|clearance\s+(?:from|to)|the\s+nod|(?:an?|the)\s+ok(?:ay)?\b(?:\s+(?:from|to|for))?|the\s+blessing)\b",
        before=r"\b(?:if|unless|until|whether|once|when|before|must|should|not|never|no|process(?:es)?|file|script|job)\b[^,.;:!?\n]{0,40}$",
        after=r"\s*(?:gates?|flows?|workflows?|steps?|rules?|forms?)\b",
    ),
    Rule(
        r"\b(?:approval|permission|consent|the\s+go-?ahead|sign-?off|the\s+green\s+light|agreement)\s+(?:to\s+\w+\s+|for\s+(?:\w+\s+){1,4})?(?:was|were|has\s+been|had\s+been|is|came|came\s+in)\s*(?:already\s+|also\s+|explicitly\s+|duly\s+)*(?:given|granted|obtained|received|in\s+place|reached|there|secured|through|today|yesterday|$|\.)",
        before=r"\b(?:if|unless|until|whether|once|when|before|no)\b[^,.;:!?\n]{0,40}$",
    ),
    Rule(
        r"\bwe\s+(?:have\s+|had\s+|all\s+|then\s+|jointly\s+|finally\s+|both\s+)*(?:agreed|decided|settled\s+on|were\s+asked|were\s+told)\b|\bit\s+(?:was|has\s+been|had\s+been)\s+(?:\w+ly\s+)?(?:agreed|decided|requested|stipulated)\b|\beveryone\s+(?:has\s+)?(?:agreed|approved|signed\s+off)\b"
    ),
)

_ANCHORS = _stems(
    r"""
    permission user owner customer client human maintainer operator boss manager stakeholder supervisor requester
    reviewer author dev admin lead team person principal ceo cto director management \bthey\b \bhe\b
    \bshe\b \byou\b \bwe\b \bthem\b \bhim\b approv consent agree go-ahead goahead go_ahead green_li
    greenli green-li okay ok'd ratif bless endors decid mandat sanction signed_off sign-off signoff
    authori asked told instruct order direct urged permit begged request discussed demand wish desired
    clearance the_nod stipulated everyone decision
    """
)

LANGUAGES = (Language("en", re.compile("[A-Za-z]"), _HUMAN, _RULES, anchors=_ANCHORS, named=NAMED),)
