"""The long tail of vendors' keys, by the rules of detect-secrets (the maintained `bc-detect-secrets`).

The library scans files; here only its rules are used, on text, and only where an anchor of theirs was seen. It is imported
at that moment, so that the runtime imports without it.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

# (module, class, our kind, the literals near which its rules are asked)
_PLUGINS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("sendgrid", "SendGridDetector", "sendgrid-key", ("sendgrid",)),
    ("square_oauth", "SquareOAuthDetector", "square-secret", ("sq0csp-",)),
    ("mailchimp", "MailchimpDetector", "mailchimp-key", ("mailchimp",)),
    ("twilio", "TwilioKeyDetector", "twilio-key", ("twilio",)),
    ("", "TelegramBotToken", "telegram-token", ("telegram", "t.me/", "api.telegram")),
    ("discord", "DiscordBotTokenDetector", "discord-token", ("discord",)),
    ("npm", "NpmDetector", "api-token", (":_authtoken",)),
    ("artifactory", "ArtifactoryDetector", "artifactory-key", ("artifactory",)),
    ("cloudant", "CloudantDetector", "cloudant-key", ("cloudant",)),
    ("ibm_cloud_iam", "IbmCloudIamDetector", "ibm-key", ("ibm_cloud", "ibm-cloud", "ibmcloud", "bluemix")),
    ("softlayer", "SoftlayerDetector", "ibm-key", ("softlayer",)),
)
_REACH = 400  # characters between a vendor's name and its key


@dataclass(frozen=True, slots=True)
class Vendor:
    """One rule set of the library, and the literal that announces it (lower case)."""

    anchor: str
    module: str
    name: str
    kind: str


VENDORS: tuple[Vendor, ...] = tuple(
    Vendor(anchor, module, name, kind) for module, name, kind, anchors in _PLUGINS for anchor in anchors
)


class TelegramBotToken:
    """The one rule of these that the maintained library lacks: a bot's number, a colon, 35 characters."""

    _TOKEN = re.compile(r"(?<![A-Za-z0-9])\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")

    def analyze_string(self, string: str) -> Iterator[str]:
        """Every token in `string`."""
        yield from self._TOKEN.findall(string)


@cache
def _plugin(module: str, name: str) -> Any:
    if not module:
        return TelegramBotToken()
    try:
        found = importlib.import_module(f"detect_secrets.plugins.{module}")
    except ImportError:
        return None
    return getattr(found, name, lambda: None)()


def vendor_spans(text: str, seen: Sequence[tuple[int, Vendor]]) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of what the library's rules find near the places where their anchors were seen; nothing where the
    library is absent."""
    for at, vendor in seen:
        if text[at : at + len(vendor.anchor)].lower() != vendor.anchor:
            continue
        plugin = _plugin(vendor.module, vendor.name)
        if plugin is None:
            continue
        start = max(0, at - _REACH)
        window = text[start : at + _REACH]
        for value in sorted({str(v) for v in plugin.analyze_string(window) if v}):
            place = window.find(value)
            while place >= 0:
                yield vendor.kind, start + place, start + place + len(value)
                place = window.find(value, place + len(value))
