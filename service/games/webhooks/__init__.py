"""Webhooks of games: model, service for clients, messages, signing, addresses, counters.

Workers deliver the messages (`workers/webhooks`). Imports the repository and the errors and
requests of the write path. Exported is what needs neither.
"""

from .model import Message, Webhook, WebhookConflict, WebhookRecord
from .signing import new_secret, secret_bytes, signature_header

__all__ = [
    "Message",
    "Webhook",
    "WebhookConflict",
    "WebhookRecord",
    "new_secret",
    "secret_bytes",
    "signature_header",
]
