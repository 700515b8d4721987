"""The shapes of secrets: which literal announces each, how it goes on, and what only looks like one.

A rule's pattern is matched *at* its anchor, so a rule costs nothing in text without the anchor. The group `v` is what must
go; the words round it stay, so that a memory can still say that there is a key and where it is used.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import dataclass

Check = Callable[["re.Match[str]"], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """`anchors`: lower-case literals of four characters or more; in the table below "·" is a space. `check` looks at a match and may say no."""

    kind: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    check: Check | None = None


def _rule(kind: str, anchors: str, pattern: str, check: Check | None = None, *, case: bool = True) -> Rule:
    return Rule(
        kind,
        tuple(a.replace("·", " ") for a in anchors.split()),
        re.compile(pattern, 0 if case else re.IGNORECASE),
        check,
    )


_B = r"(?<![A-Za-z0-9])"  # a token begins here
_E = r"(?![A-Za-z0-9])"

# What stands where a secret would, and is none: types, states, placeholders, names of algorithms.
_NO_SECRET = frozenset(
    """true false null none nil undefined void any str string text bytes int number bool boolean object array optional
    required mandatory empty blank missing unset invalid valid wrong incorrect correct expired changed unchanged unknown
    hidden masked redacted removed omitted encrypted hashed plain plaintext cleartext disabled enabled default example
    sample dummy placeholder changeme password passwd pass passphrase secret token username user email login admin value
    name input field prompt env environ environment file stdin vault keyring keychain config settings here there below
    above this that the your yours ours mine its not now only also still always never again too set reset stored saved
    needed used reused shared rotated gone fine good bad weak strong safe unsafe same different random generated public
    private auto manual basic bearer digest oauth same-origin include omit read write yes off ok todo tbd self props
    nonce word char chars character characters minutes seconds hours days times must should can will may has have is are
    was were be been being for from with without and or but if when where which who how what why because""".split()  # noqa: SIM905
)
_ALGORITHM = re.compile(
    r"(?:base-?(?:16|32|58|64)|sha-?\d+(?:-\d+)?|md[45]|argon2\w*|utf-?\d+|aes-?\d*\w*|pbkdf2|scrypt|bcrypt\w*|oauth-?2?(?:\.0)?|"
    r"hmac-?\w*|rsa-?\d*|ed25519|x509|v?\d+(?:\.\d+)*|[hr]s256|es256|\d+[-\w]*?(?:bit|bits|chars?|characters?|days?|min|h|s|k|ms|mb|kb)|"
    r"\d+[-–/]\d+)(?:[-_ ]?(?:encoded|hashed|encrypted|based|salted|protected))?\W*",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"\$|%[sdv({]|%\w+%|\{\{|\{[A-Za-z_]|<[A-Za-z_ -]+>?$|\*{3}|[xX•·.…*_-]+$|\.\.\.|env[.:\[(]|os\.|process\.|getenv|import\.meta|"
    r"secrets?[.\[(:]|vault:|op://|ssm:|arn:|file:|@\w+\.|\(|https?://|/(?:run|etc|var|home|usr|opt|tmp)/|~/|\./|\.\./|&\w+;|#\{|!\w+$"
)
_IDENTIFIER = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+[(\[]?.*|[a-z]+(?:_[a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+|_\w+"
)
_NAMES_IT = re.compile(r"passw|passphrase|secret|token|credential|api_?key", re.IGNORECASE)
_SPECIAL = re.compile(r"[!@#$%^&*+=?~]")


def strong(value: str) -> bool:
    """Does this look chosen or drawn as a secret, rather than being a word of the language? (digits among letters, signs
    among letters, upper case inside a word, a number of four digits and more)"""
    if len(value) < 4 or _ALGORITHM.fullmatch(value):
        return False
    letters = sum(c.isalpha() for c in value)
    digits = sum(c in string.digits for c in value)
    if not letters:
        return digits >= 4 and digits == len(value)
    if digits or _SPECIAL.search(value[:-1]):
        return not re.fullmatch(r"[A-Za-z]+(?:['’][a-z]+)?[!?]*|(?:[a-z]+[-_/.])+v?\d{1,2}", value)
    return (
        len(value) >= 6
        and any(c.isupper() for c in value[1:])
        and any(c.islower() for c in value)
        and value.isalnum()
    )


def random_looking(value: str) -> bool:
    """Machine-drawn: long, and of more than one sort of character."""
    sorts = sum(
        (
            any(c.islower() for c in value),
            any(c.isupper() for c in value),
            any(c in string.digits for c in value),
        )
    )
    return len(value) >= 16 and sorts >= 2 and not _IDENTIFIER.fullmatch(value)


def _value_of(match: re.Match[str]) -> str:
    return match.group("v").strip("'\"`")


def _assigned_password(match: re.Match[str]) -> bool:
    value, quoted = _value_of(match), match.group("q")
    if len(value) < 3 or value.lower().strip(".,;:!") in _NO_SECRET or _REFERENCE.match(value):
        return False
    if strong(value):
        return bool(quoted) or not (
            _IDENTIFIER.fullmatch(value) and not any(c in string.digits for c in value)
        )
    if (
        _NAMES_IT.search(value)
        or _IDENTIFIER.fullmatch(value)
        or _ALGORITHM.fullmatch(value)
        or not value.isascii()
    ):
        return False
    # a plain word is believed only where the form is an assignment: quoted, KEY=word, or alone on its line
    if quoted or "=" in match.group("sep"):
        return len(value) >= (4 if quoted else 6)
    before, after = match.string[: match.start()], match.string[match.end() :]
    alone = not before.rpartition("\n")[2].strip(
        " \t-\"'_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    )
    return (
        alone
        and " " not in before.rpartition("\n")[2].strip()
        and not after.partition("\n")[0].strip()
        and len(value) >= 6
    )


def _assigned_token(match: re.Match[str]) -> bool:
    value = _value_of(match)
    if _REFERENCE.match(value) or value.lower() in _NO_SECRET or _ALGORITHM.fullmatch(value):
        return False
    if len(value) >= 8 and match.group("q") and strong(value) and not _IDENTIFIER.fullmatch(value):
        return True
    return random_looking(value) or (
        len(value) >= 10 and strong(value) and any(c in string.digits for c in value)
    )


def _header(match: re.Match[str]) -> bool:
    value = _value_of(match)
    return (
        not _REFERENCE.match(value)
        and value.lower() not in _NO_SECRET
        and (len(value) >= 12 or strong(value))
    )


def _userinfo(match: re.Match[str]) -> bool:
    return not re.match(r"\$|\{|<|%[sdv(]|\*{2}|[xX]{3,}$|\[", match.group("v"))


def _spoken(match: re.Match[str]) -> bool:
    value = _value_of(match).rstrip(".,;:)]}>!?")
    if (
        len(value) < 4
        or value.lower() in _NO_SECRET
        or _REFERENCE.match(value)
        or _ALGORITHM.fullmatch(value)
    ):
        return False
    return strong(value) or (bool(match.group("q")) and len(value) >= 4)


_NAME_END = r"(?:[_-]?(?:access|api|auth|hash|key|value|string|token|secret|root|user|admin|prod|dev|test|live|base|id_token|\d{1,2})){0,3}(?![A-Za-z0-9_-])"
_SEP = r"\\*[\"'`]?\]?\s{0,3}(?P<sep>=>|:=|={1,3}|:|：|＝)\s{0,3}"
_OPEN = r"(?P<q>\\*[\"'`])?"
_VALUE = r"(?P<v>(?(q)[^\s\"'`⟦⟧\\]{3,400}|[^\s\"'`⟦⟧\\,;<>|&]{3,400}))"
_TOKENISH = r"(?P<v>[A-Za-z0-9_\-.+/=~:%!@#$*]{8,2000})"
_IS = (
    r"(?:\s{0,2}(?:is|was|ist|war|lautet|est|es|era|é|è|это|jest|to|=|:|：|は|が|是|为|為|叫|는|은|هي|هو|היא|है|ise)(?:\s(?:now|jetzt|maintenant|ahora|still|currently|just))?"
    r"[\s:：]{0,3})"
)
_MIDDLE = r"(?:\s(?:for|of|to|on|in|at|für|vom|von|der|die|des|del|de|du|pour|para|do|da|от|для)\s[^\n.;!?：:=]{1,40}?)?"
_SPOKEN_VALUE = r"(?P<q>[\"'`“„«「『])?(?P<v>[!#-&(-_a-z{-~]{4,80})"

RULES: tuple[Rule, ...] = (
    _rule("aws-key", "akia asia abia acca", _B + r"(?P<v>(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16})" + _E),
    _rule("gcp-key", "aiza", _B + r"(?P<v>AIza[0-9A-Za-z_-]{30,60})"),
    _rule("gcp-key", "ya29", _B + r"(?P<v>ya29\.[0-9A-Za-z_.-]{20,2000})"),
    _rule("gcp-key", "gocspx-", _B + r"(?P<v>GOCSPX-[0-9A-Za-z_-]{16,60})"),
    _rule("azure-key", "accountkey sharedaccesskey", r"(?:Account|SharedAccess)Key\s?=\s?(?P<v>[A-Za-z0-9+/%]{20,120}={0,2})", case=False),
    _rule("azure-key", "?sig &sig ;sig amp;sig=", r"[?&;]?(?:amp;)?sig=(?P<v>[A-Za-z0-9%+/]{20,200}={0,2})", case=False),
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", _B + r"(?P<v>gh[pousr]_[A-Za-z0-9]{20,300})"),
    _rule("github-token", "github_pat_", _B + r"(?P<v>github_pat_[A-Za-z0-9_]{20,255})"),
    _rule(
        "gitlab-token",
        "glpat- gldt- glft- glsoat- glrt- glcbt- glptt- glagent- gloas- glimt- glffct-",
        _B + r"(?P<v>gl(?:pat|dt|ft|soat|rt|cbt|ptt|agent|oas|imt|ffct)-[A-Za-z0-9_.=-]{16,300})",
    ),
    _rule("gitlab-token", "gr1348941", _B + r"(?P<v>GR1348941[A-Za-z0-9_-]{16,60})"),
    _rule("slack-token", "xoxa xoxb xoxe xoxo xoxp xoxr xoxs xoxc xoxd", _B + r"(?P<v>xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9%-]{10,500})"),
    _rule("slack-token", "xapp-", _B + r"(?P<v>xapp-[A-Za-z0-9-]{10,300})"),
    _rule("slack-webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<v>[A-Za-z0-9_/]{10,200})"),
    _rule("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod", _B + r"(?P<v>[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,250})"),
    _rule("stripe-key", "whsec_", _B + r"(?P<v>whsec_[A-Za-z0-9+/=]{16,100})"),
    _rule("anthropic-key", "sk-ant-", _B + r"(?P<v>sk-ant-[A-Za-z0-9_-]{10,250})"),
    _rule("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-lf- sk-None- sk-none-", _B + r"(?P<v>sk-(?:proj|svcacct|admin|or-v1|lf|None)-[A-Za-z0-9_-]{16,250})"),
    _rule("openai-key", " ".join(f"sk-{c}" for c in string.ascii_lowercase + string.digits), r"(?<![A-Za-z0-9_-])(?P<v>sk-(?=[A-Za-z]*\d|[a-z]*[A-Z])[A-Za-z0-9]{20,100})" + _E),
    _rule("huggingface-token", "hf_a hf_b hf_c hf_d hf_e hf_f hf_g hf_h hf_i hf_j hf_k hf_l hf_m hf_n hf_o hf_p hf_q hf_r hf_s hf_t hf_u hf_v hf_w hf_x hf_y hf_z", _B + r"(?P<v>hf_[A-Za-z]{30,50})" + _E),
    _rule("api-token", "npm_", _B + r"(?P<v>npm_[A-Za-z0-9]{30,60})" + _E),
    _rule("api-token", "pypi-ag", _B + r"(?P<v>pypi-Ag[A-Za-z0-9_-]{40,300})"),
    _rule("api-token", "dop_v1_ doo_v1_ dor_v1_", _B + r"(?P<v>do[opr]_v1_[a-f0-9]{32,128})"),
    _rule("api-token", "shpat_ shpca_ shppa_ shpss_", _B + r"(?P<v>shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{24,64})"),
    _rule("api-token", "hvs. hvb.", _B + r"(?P<v>hv[sb]\.[A-Za-z0-9_-]{20,300})"),
    _rule("api-token", "dckr_pat_", _B + r"(?P<v>dckr_pat_[A-Za-z0-9_-]{20,60})"),
    _rule("api-token", "gsk_ nvapi-", _B + r"(?P<v>(?:gsk_|nvapi-)[A-Za-z0-9_-]{30,100})"),
    _rule("api-token", "tskey- sntrys_ lin_api_ rubygems_ glc_ figd_", _B + r"(?P<v>(?:tskey-|sntrys_|lin_api_|rubygems_|glc_|figd_)[A-Za-z0-9_+/=-]{20,300})"),
    _rule("age-key", "age-secret-key-", r"(?P<v>AGE-SECRET-KEY-1[0-9A-Z]{40,80})", case=False),
    _rule("jwt", "eyja eyjb eyjc eyjd eyje eyjf eyjg eyjh eyji eyjj eyjk eyjl eyjm eyjn eyjo eyjp eyjq eyjr eyjs eyjt eyju eyjv eyjw eyjx eyjy eyjz eyj0 eyj1 eyj2 eyj3 eyj4 eyj5 eyj6 eyj7 eyj8 eyj9", r"(?<![A-Za-z0-9_-])(?P<v>eyJ[A-Za-z0-9_-]{6,4000}\.[A-Za-z0-9_-]{6,8000}(?:\.[A-Za-z0-9_-]*){1,3})"),
    _rule(
        "private-key",
        "-----begin",
        r"(?P<v>-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----BEGIN)[^⟦]){0,20000}?-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:(?:\s|\\[nrt]|[|>+\"',])*(?:[A-Za-z-]+: [^\n\\]*|[A-Za-z0-9+/=]{16,}|=[A-Za-z0-9+/]{4})(?=\s|\\|[\"',]|$)){0,400}(?:(?:\s|\\[nrt])*[A-Za-z0-9+/=]{1,80}(?=\s*$))?))",
    ),
    _rule("private-key", "putty-user-key-file-", r"PuTTY-User-Key-File-\d:(?:(?!Private-Lines)[^⟦]){0,8000}?Private-Lines: \d+(?:\s|\\[nr])+(?P<v>(?:[A-Za-z0-9+/=]{4,}(?:\s|\\[nr])*){1,200}(?:Private-MAC: [0-9a-f]+)?)"),
    _rule("authorization", "authorization", r"Authorization\\*[\"']?\s{0,3}[:=]\s{0,3}\\*[\"']?(?:(?:Bearer|Basic|Token|Digest|ApiKey|Api-Key|Key|Negotiate|JWT)\s+)?(?P<v>[^\s\"'\\⟦⟧<>]{6,4000})", _header, case=False),
    _rule("authorization", "bearer", r"(?<![A-Za-z])Bearer\s+(?P<v>(?=[^\s]{0,200}\d|[a-z]{0,200}[A-Z])[A-Za-z0-9._~+/-]{16,4000}={0,2})", _header, case=False),
    _rule("authorization", "basic", r"(?<![A-Za-z])Basic\s+(?P<v>[A-Za-z0-9+/]{14,400}={1,2})", case=False),
    _rule("password", "passw passwd passphrase passcode passwort", r"pass(?:w(?:or[dt])?d?|wd|phrase|code)" + _NAME_END + _SEP + _OPEN + _VALUE, _assigned_password, case=False),
    _rule("password", "_pwd= _pwd: \"pwd\" 'pwd' pwd= pwd: _pass= _pass:", r"[\"'_]?(?:pwd|pass)" + _SEP + _OPEN + _VALUE, _assigned_password, case=False),
    _rule("password", "--pas -pass", r"-{1,2}pass(?:word|wd|phrase)?[= ]\s{0,2}" + _OPEN.replace("?P<q>", "?P<q>") + r"(?P<sep>=?)" + _VALUE, _assigned_password, case=False),
    _rule("password", "sshpass", r"sshpass\s+-p\s*(?P<q>[\"'])?(?P<v>[^\s\"'⟦⟧$]{3,100})"),
    _rule("password", "login", r"login\s+\S{1,100}\s+password\s+(?P<v>[^\s⟦⟧]{3,200})"),
    _rule("password", "curl", r"curl\b[^\n|;]{0,300}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"'⟦]{1,80}:(?P<v>[^\s\"'⟦⟧$]{3,200})"),
    _rule("token", "token secret api_key api-key apikey api.key access_key access-key accesskey auth_key auth-key private_key private-key client_secret client-secret signing_key signing-key encryption_key encryption-key credential master_key master-key session_key", r"(?:tokens?|secrets?|api[_.-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|client[_-]?secret|signing[_-]?key|encryption[_-]?key|master[_-]?key|session[_-]?key|credentials?)" + _NAME_END + _SEP + _OPEN + _TOKENISH, _assigned_token, case=False),
    _rule("token", "--tok --api --sec", r"--(?:api-?)?(?:token|key|secret)[= ]\s{0,2}(?P<sep>)" + _OPEN + _TOKENISH, _assigned_token, case=False),
    _rule("password", "passw passwd passphrase passcode", r"(?:password|passwd|passwort|passphrase|passcode)(?![\w-])" + _MIDDLE + _IS + _SPOKEN_VALUE, _spoken, case=False),
    _rule("password", "senha kennwort mot·de·passe con|trase clave parola palavra-passe wachtwoord", r"(?:senha|kennwort|mot de passe|contrase[nñ]a|clave|parola|palavra-passe|wachtwoord)(?![\w-])" + _MIDDLE + _IS + _SPOKEN_VALUE, _spoken, case=False),
    _rule("token", "token secret api·key api-key apikey access·key access·token auth·token", r"(?:(?:api|access)[ -]?(?:key|token)|(?:auth |secret )?token|secret(?: key)?)(?![\w-])" + _MIDDLE + _IS + _SPOKEN_VALUE, lambda m: _spoken(m) and random_looking(_value_of(m).rstrip(".,;:)")), case=False),
)  # fmt: skip

# Words for a password in scripts without ASCII letters; looked for only in text that is not ASCII.
_FOREIGN_WORDS = "パスワード|暗証番号|合言葉|密码|密碼|口令|пароль|пароля|비밀번호|암호|كلمة المرور|كلمة السر|סיסמה|הסיסמה|पासवर्ड|รหัสผ่าน|κωδικός|contraseña|hasło"
FOREIGN = Rule(
    "password",
    tuple(_FOREIGN_WORDS.split("|")),
    re.compile(rf"(?:{_FOREIGN_WORDS})[^\n!-~。．；]{{0,12}}?(?: (?:for|of|от|для|na) [^\n]{{1,30}}? )?{_IS}?\s?{_SPOKEN_VALUE}", re.IGNORECASE),
    _spoken,
)  # fmt: skip

DATABASE = re.compile(
    r"(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|cassandra|couchdb|neo4j|bolt|ldaps?|"
    r"kafka|nats|mqtts?|influxdb|snowflake|jdbc:\w+)(?:\+\w+)?$",
    re.IGNORECASE,
)
USERINFO = Rule(
    "url-credentials",
    ("://",),
    re.compile(
        r"://(?:[^\s/:@\"'<>⟦⟧?#`]{0,100}:(?P<v>[^\s/\"'<>⟦⟧`?#]{1,300})|(?P<w>[A-Za-z0-9_-]{20,300}))@(?=[\w.\[⟦-])"
    ),
    _userinfo,
)
# The other half of an AWS pair: 40 characters of base64 with both cases and digits, near a key id. A SHA-1 has one case.
AWS_SECRET = re.compile(
    r"(?<![A-Za-z0-9/+=])(?=[^\s]{0,39}[a-z])(?=[^\s]{0,39}[A-Z])(?=[^\s]{0,39}\d)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"
)
AWS_REACH = 200  # characters
