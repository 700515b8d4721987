"""The long tail of vendors' keys, by the rules of detect-secrets.

The library scans files; here only its rules are used, on text, and only where an anchor of theirs was seen. It is imported
at that moment, so that the runtime imports without it.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from typing import Any

# (module, class, our kind, the anchors without which its rules are not asked)
_PLUGINS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("sendgrid", "SendGridDetector", "sendgrid-key", ("sendgrid", "SG.")),
    ("square_oauth", "SquareOAuthDetector", "square-secret", ("sq0csp-",)),
    ("mailchimp", "MailchimpDetector", "mailchimp-key", ("mailchimp",)),
    ("twilio", "TwilioKeyDetector", "twilio-key", ("twilio",)),
    ("telegram_token", "TelegramBotTokenDetector", "telegram-token", ("telegram", "t.me/", "api.telegram")),
    ("discord", "DiscordBotTokenDetector", "discord-token", ("discord",)),
    ("npm", "NpmDetector", "api-token", (":_authtoken",)),
    ("artifactory", "ArtifactoryDetector", "artifactory-key", ("artifactory",)),
    ("cloudant", "CloudantDetector", "cloudant-key", ("cloudant",)),
    ("ibm_cloud_iam", "IbmCloudIamDetector", "ibm-key", ("ibm_cloud", "ibm-cloud", "ibmcloud", "bluemix")),
    ("softlayer", "SoftlayerDetector", "ibm-key", ("softlayer",)),
)
VENDOR_ANCHORS: tuple[str, ...] = tuple(a.lower() for *_, anchors in _PLUGINS for a in anchors if len(a) >= 4)


@cache
def _plugin(module: str, name: str) -> Any:
    try:
        found = importlib.import_module(f"detect_secrets.plugins.{module}")
    except ImportError:
        return None
    return getattr(found, name, lambda: None)()


def vendor_spans(text: str) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of what the library's rules find in the text; nothing where the library is absent."""
    low = text.lower()
    for module, name, kind, anchors in _PLUGINS:
        if not any(a.lower() in low for a in anchors):
            continue
        plugin = _plugin(module, name)
        if plugin is None:
            continue
        for value in sorted({str(v) for v in plugin.analyze_string(text) if v}):
            at = text.find(value)
            while at >= 0:
                yield kind, at, at + len(value)
                at = text.find(value, at + len(value))
