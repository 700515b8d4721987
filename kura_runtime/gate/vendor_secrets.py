"""The long tail of vendors' keys, by the rules of detect-secrets.

The library scans files; here only its rules are used, on text, and only where an anchor of theirs was seen. It is imported
at that moment, so that the runtime imports without it.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
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
_REACH = 400  # characters between a vendor's name and its key
VENDOR_ANCHORS: tuple[str, ...] = tuple(a.lower() for *_, anchors in _PLUGINS for a in anchors if len(a) >= 4)


@cache
def _plugin(module: str, name: str) -> Any:
    try:
        found = importlib.import_module(f"detect_secrets.plugins.{module}")
    except ImportError:
        return None
    return getattr(found, name, lambda: None)()


def vendor_spans(text: str, anchors: Sequence[int]) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of what the library's rules find near these offsets; nothing where the library is absent."""
    for start, end in _windows(anchors, len(text)):
        window = text[start:end]
        low = window.lower()
        for module, name, kind, words in _PLUGINS:
            if not any(a.lower() in low for a in words):
                continue
            plugin = _plugin(module, name)
            if plugin is None:
                continue
            for value in sorted({str(v) for v in plugin.analyze_string(window) if v}):
                at = window.find(value)
                while at >= 0:
                    yield kind, start + at, start + at + len(value)
                    at = window.find(value, at + len(value))


def _windows(anchors: Sequence[int], size: int) -> Iterator[tuple[int, int]]:
    begin = end = -1
    for at in sorted(anchors):
        if end >= 0 and at - _REACH <= end:
            end = at + _REACH
            continue
        if end >= 0:
            yield max(0, begin), min(size, end)
        begin, end = at - _REACH, at + _REACH
    if end >= 0:
        yield max(0, begin), min(size, end)
