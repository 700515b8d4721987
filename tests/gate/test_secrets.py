"""Rule G14: a secret never gets past intake, and what only looks like one stays readable. All secrets here are made up."""

from __future__ import annotations

import base64
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kura_runtime.gate.secrets import find, redact, suspects

PEM_BODY = "\n".join("MIIEowIBAAKCAQEAfakefakefakefakefakefakefakefakefakefakefakeFAKE0" for _ in range(4))
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{PEM_BODY}\n-----END RSA PRIVATE KEY-----"
OPENSSH = PEM.replace("RSA", "OPENSSH")
PGP = f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n{PEM_BODY}\n=fAke\n-----END PGP PRIVATE KEY BLOCK-----"
JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJmYWtlIiwibmFtZSI6ImZha2UifQ.FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfake0"

# (kind, what must be gone, the text round it with {} for it)
SECRETS: list[tuple[str, str, str]] = [
    ("aws-key", "AKIAFAKEFAKEFAKE1234", "use this key for the bucket: {} and then list the archive folder"),
    ("aws-key", "ASIAFAKEFAKEFAKE9876", "export AWS_ACCESS_KEY_ID={}"),
    ("aws-key", "wJalrXUtnFEMI0K7MDENG0bPxRfiCYFAKEKEY012", "AKIAFAKEFAKEFAKE1234 {}"),
    ("token", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYFAKEKEY012", "aws_secret_access_key = {}"),
    ("token", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYFAKEKEY012", '{{"SecretAccessKey": "{}"}}'),
    ("gcp-key", "AIzaSyFAKEfakeFAKEfakeFAKEfakeFAKEfake0", "maps key {} please"),
    ("gcp-key", "ya29.a0FAKEfakeFAKEfakeFAKEfake_fake-fake", "token {} expires"),
    ("gcp-key", "GOCSPX-FAKEfakeFAKEfakeFAKEfake12", "client {}"),
    ("azure-key", "FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfa==", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={};EndpointSuffix=core.windows.net"),
    ("azure-key", "FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAK=", "Endpoint=sb://x/;SharedAccessKeyName=root;SharedAccessKey={}"),
    ("azure-key", "FAKEfakeFAKE%2BfakeFAKEfakeFAKEfake%3D", "https://x.blob.core.windows.net/c/b?sv=2022-11-02&sig={}&se=2025"),
    ("github-token", "ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfake0000", "machine git.example.test login bot\npassword {}\nend of sample"),
    ("github-token", "github_pat_11FAKE0000fakefakefake_FAKEfakeFAKEfakeFAKEfakeFAKE", "{}"),
    ("github-token", "ghs_FAKEfakeFAKEfakeFAKEfakeFAKEfake0000", "git clone https://x-access-token:{}@github.com/a/b"),
    ("gitlab-token", "glpat-FAKEfakeFAKEfake0000", "GITLAB: {}"),
    ("gitlab-token", "glrt-FAKEfakeFAKEfake0000", "runner {}."),
    ("slack-token", "xoxb-0000000000-FAKEfakeFAKEfake", "slack {}"),
    ("slack-token", "xapp-1-A0FAKE-000-fakefakefake", "slack app {}"),
    ("slack-webhook", "T00FAKE/B00FAKE/FAKEfakeFAKEfakeFAKE", "https://hooks.slack.com/services/{}"),
    ("stripe-key", "sk_live_FAKEfakeFAKEfakeFAKE1234", "stripe {}"),
    ("stripe-key", "rk_live_FAKEfakeFAKEfakeFAKE1234", "stripe {}"),
    ("stripe-key", "whsec_FAKEfakeFAKEfakeFAKEfake1234", "hook {}"),
    ("openai-key", "sk-proj-FAKEfakeFAKEfakeFAKEfake1234", "OPENAI {}"),
    ("openai-key", "sk-FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE1234", "key {}"),
    ("anthropic-key", "sk-ant-api03-FAKEfake-FAKEfake_FAKEfake00", "the {} key"),
    ("huggingface-token", "hf_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFA", "login with {}"),
    ("api-token", "npm_FAKEfakeFAKEfakeFAKEfakeFAKEfake00", "//registry.npmjs.org/ {}"),
    ("api-token", "pypi-AgEIcHlwaS5vcmcFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfake", "{}"),
    ("jwt", JWT, "cookie is {} ok"),
    ("jwt", JWT, "?id_token={}&state=1"),
    ("private-key", PEM_BODY, "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\nnext line"),
    ("private-key", OPENSSH, "cat id_ed25519\n{}\ndone"),
    ("private-key", PGP, "{}"),
    ("private-key", PEM.replace("\n", "\\n"), '{{"private_key": "{}", "client_email": "x@y.test"}}'),
    ("private-key", PEM.replace("\n", "\n    "), "key: |\n    {}\nother: 1"),
    ("private-key", PEM.rsplit("\n", 1)[0], "{}"),  # cut off before its end
    ("connection-string", "s3cr3tPw", "postgres://app:{}@db.internal:5432/shop"),
    ("connection-string", "fake%40pass", "mongodb+srv://root:{}@cluster0.example.test/?retryWrites=true"),
    ("connection-string", "fakepass", "redis://:{}@cache:6379/0"),
    ("connection-string", "geheim", "jdbc:postgresql://app:{}@db/shop"),
    ("url-credentials", "hunter2", "https://bob:{}@example.test/x"),
    ("url-credentials", "FAKEfakeFAKEfakeFAKEfake", "https://{}@git.example.test/a.git"),
    ("password", "Str0ng!pass", "Server=db;Database=x;User Id=sa;Password={};Encrypt=true"),
    ("authorization", "FAKEfake.FAKEfake-FAKE", 'curl -H "Authorization: Bearer {}" https://x'),
    ("authorization", "dXNlcjpmYWtlcGFzcw==", "Authorization: Basic {}"),
    ("authorization", "FAKEfakeFAKEfake", "'authorization': '{}'"),
    ("authorization", "FAKEfake0123FAKEfake0123", "sent with Bearer {} in the header"),
    ("password", "hunter2", "the password is {}"),
    ("password", "hunter2", "the password is {}, please rotate it"),
    ("password", "Blau-Wal-77", "das Passwort ist {}."),
    ("password", "azerty99", "le mot de passe est {}"),
    ("password", "gato1234", "la contraseña es {}"),
    ("password", "gato1234", "la contraseña del servidor es: {}"),
    ("password", "gato1234", "a senha é {}"),
    ("password", "hunter2", "パスワードは{}です"),
    ("password", "hunter2", "パスワード：{}"),
    ("password", "abc12345", "密码是{}，别告诉别人"),
    ("password", "abc12345", "数据库密码为 {}"),
    ("password", "abc12345", "密码: {}"),
    ("password", "qwerty77", "пароль: {}"),
    ("password", "qwerty77", "пароль от сервера — {}"),
    ("password", "qwerty77", "비밀번호는 {} 입니다"),
    ("password", "qwerty77", "كلمة المرور هي {}"),
    ("password", "hunter2", "password for the staging box is {}"),
    ("password", "hunter2", "my password: {}"),
    ("password", "hunter2", "PASSWORD={}"),
    ("password", "letmein", "DB_PASSWORD={}"),
    ("password", "letmein", "db:\n  user: app\n  password: {}\n  port: 5432"),
    ("password", "letmein", '{{"user": "app", "password": "{}"}}'),
    ("password", "letmein", '{{\\"user\\": \\"app\\", \\"password\\": \\"{}\\"}}'),
    ("password", "Tr0ub4dor&3", "password = '{}'"),
    ("password", "p@ssw0rd!", "--password {} --host db"),
    ("password", "p@ssw0rd", "mysql -u root --password={} shop"),
    ("password", "hunter2", "curl -u bob:{} https://example.test"),
    ("password", "hunter2", "sshpass -p {} ssh bob@host"),
    ("password", "hunter2", "ｐａｓｓｗｏｒｄ： {}"),
    ("password", "geheim123", "machine x login bob password {}"),
    ("token", "FAKEfake0123FAKEfake0123", "token: {}"),
    ("token", "a81f3cc94d0e4fe2b57a90d1c3e6f8aa", "api_key={}"),
    ("token", "FAKEfake0123FAKEfake0123", "X-Api-Key: {}"),
    ("token", "FAKEfake0123FAKEfake0123", "the api key is {} for now"),
    ("token", "FAKEfake0123FAKEfake0123", "CLIENT_SECRET='{}'"),
    ("token", "FAKEfake0123FAKEfake0123", "--token {} --yes"),
    ("sendgrid-key", "SG.FAKEfakeFAKEfakeFAKEfa.FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAK", "sendgrid {}"),
    ("telegram-token", "1234567890:FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAK", "telegram bot {}"),
]  # fmt: skip

CLEAN = [
    "3f2c9a7e1b5d4860f9e8c7d6b5a4039281706f5e",
    "commit 3f2c9a7e1b5d4860f9e8c7d6b5a4039281706f5e (HEAD -> main)",
    "the broken job is 7d9f3c1e-2b4a-4c6d-8e0f-1a2b3c4d5e6f, it started when the password field became mandatory",
    '"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="',
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "data:image/png;base64," + base64.b64encode(bytes(range(256)) * 4).decode(),
    "<img src='data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='>",
    "the password must have at least 12 characters",
    "the password is stored hashed with argon2id",
    "the password is wrong",
    "password is base64-encoded before it is sent",
    "Forgot your password? Click here.",
    "password: string; token: string | null",
    "def login(user: str, password: str) -> Token:",
    "password=password, token=token",
    "password = os.environ['DB_PASSWORD']",
    "password: ${DB_PASSWORD}",
    "POSTGRES_PASSWORD: {{ vault.db_password }}",
    "password = get_password(user)",
    "token = self.tokenizer.next_token()",
    "token: <your token here>",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    "Authorization header is missing",
    '"usage": {"input_tokens": 12345, "output_tokens": 678901, "cache_read_input_tokens": 1234567}',
    "max_tokens=4096, tokens: 131072",
    "total tokens: 12345678",
    "secret: true, optional: false",
    "kubectl get secret my-app-credentials -n prod",
    "the secret of a good sauce is time",
    "secrets.token_hex(16)",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFA bob@host",
    "-----BEGIN CERTIFICATE-----\nMIIDfakefakefake\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIDfakefakefake\n-----END PUBLIC KEY-----",
    "git@github.com:a/b.git and https://github.com/a/b@v1.2",
    "https://example.test/path?x=1&y=2 mail bob@example.test",
    "http://localhost:8085/health",
    "postgres://app@db/shop and postgres://app:${PW}@db/shop",
    "postgres://user:****@db/shop",
    "task-42 risk-averse disk-usage desk-bound",
    "asiatic Asian markets AKIA is the prefix of a key id",
    "パスワードを忘れました。パスワードは必須です。",
    "密码不正确，请重新输入密码",
    "пароль неверный, попробуйте ещё раз",
    "비밀번호는 8자 이상이어야 합니다",
    "das Passwort ist abgelaufen",
    "la contraseña es obligatoria",
    "pip install detect-secrets==1.5.0",
    "eyJ is how base64 of a JSON object begins",
    "xoxo, see you tomorrow",
    "see README.md#token-rotation: rotate every 90 days",
    "the token is invalid or has expired (401)",
    "csrf_token: {{ csrf_token }}",
    "npm_config_registry npm_lifecycle_event",
    "key: value, primary_key=id, foreign_key=user_id, cache_key: v2-linux-x64",
    "pwd: /home/dev/proj",
    "pwd=/home/dev/proj; cd $pwd",
    "Basic usage: run the demo",
    "bearer of bad news",
    "TOKEN_LIMIT=131072 SECRET_NAME=prod-db API_KEY_ENV=OPENAI_API_KEY",
    "api_key_env = \"OPENAI_API_KEY\"",
    "passwordless login, password-manager, passwords.txt",
    "⟦secret:password⟧ and password: ⟦secret:password⟧",
    "secret:password token:⟦secret:jwt⟧",
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "secret", "frame"), SECRETS, ids=[f"{k}-{n}" for n, (k, _, _) in enumerate(SECRETS)]
)
def test_a_secret_is_gone_and_the_words_round_it_stay(kind: str, secret: str, frame: str) -> None:
    text = frame.format(secret)
    clean, counts = redact(text)
    assert secret not in clean, clean
    assert kind in counts, counts
    for word in frame.replace("{}", " ").replace("{{", "{").replace("}}", "}").split():
        if word.isalpha() and word.isascii():
            assert word in clean or word in ("BEGIN", "END", "RSA", "PRIVATE", "KEY-----")


@pytest.mark.parametrize("text", CLEAN)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == (text, {})


@pytest.mark.parametrize(("kind", "secret", "frame"), SECRETS[:40], ids=[str(n) for n in range(40)])
def test_zero_width_characters_do_not_hide_a_secret(kind: str, secret: str, frame: str) -> None:
    hidden = "\u200b".join(secret)
    clean, counts = redact(frame.format(hidden))
    assert counts and hidden not in clean
    assert secret not in clean.replace("\u200b", "")


@pytest.mark.parametrize("text", [f.format(s) for _, s, f in SECRETS] + CLEAN)
def test_redacting_twice_changes_nothing(text: str) -> None:
    once, _ = redact(text)
    assert redact(once) == (once, {})
    assert find(once) == ()


PIECES = st.sampled_from(
    [s for _, s, _ in SECRETS] + [f.replace("{}", " ") for _, _, f in SECRETS] + ["password", "=", ": ", "token", "secret:", "⟦", "⟧", "⟦secret:jwt⟧", "://", "@", "\n", "x1Y2", "is "]
)  # fmt: skip


@given(st.lists(PIECES, max_size=6).map("".join))
@settings(max_examples=150, deadline=None)
def test_redaction_is_idempotent_on_any_mixture(text: str) -> None:
    once, _ = redact(text)
    assert redact(once) == (once, {})


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_spans_are_in_order_and_inside_the_text(text: str) -> None:
    at = 0
    for secret in find(text):
        assert at <= secret.start < secret.end <= len(text)
        at = secret.end


def test_secrets_are_counted_by_kind() -> None:
    _, counts = redact("AKIAFAKEFAKEFAKE1234 AKIAFAKEFAKEFAKE1235 and the password is hunter2")
    assert counts == {"aws-key": 2, "password": 1}


def test_the_runtime_finds_secrets_without_importing_the_library() -> None:
    code = (
        "import sys; from kura_runtime.gate.secrets import redact; redact('the password is hunter2');"
        "assert 'detect_secrets' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@given(st.lists(st.lists(PIECES, max_size=4).map("".join), max_size=6))
@settings(max_examples=100, deadline=None)
def test_a_text_that_is_no_suspect_holds_no_secret(texts: list[str]) -> None:
    for text, doubtful in zip(texts, suspects(texts), strict=True):
        assert doubtful or find(text) == ()


def test_every_secret_makes_a_suspect_also_among_others() -> None:
    texts = [frame.format(secret) for _, secret, frame in SECRETS]
    assert all(suspects(texts))
    hidden = [frame.format("\u200b".join(secret)) for _, secret, frame in SECRETS]
    assert all(suspects(hidden))


def test_clean_text_is_hardly_ever_a_suspect() -> None:
    assert suspects(["the build took a while", "日志保留在本地磁盘", "", "tokens used: few"]) == [False] * 4
