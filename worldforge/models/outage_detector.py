"""Tells a model that answers no request from one that fails at single requests: a prompt that is too long for it.

outage = OutageDetector()
try:
    reply = await model.reply(request)
except ModelUnavailableError:
    raise
except ModelError as error:
    outage.failed(error)        # raises ModelUnavailableError where the first 16 requests have all failed
outage.answered()
"""

from __future__ import annotations

from worldforge.models.model import ModelError, ModelUnavailableError

MOST = 16
"""Requests that may fail before a model that has answered none counts as unavailable."""


class OutageDetector:
    """Counts the failed requests of a model until it answers one."""

    def __init__(self) -> None:
        self.alive = False
        self._n_failed = 0
        self._error: ModelError | None = None

    def answered(self) -> None:
        """Note that the model has answered a request."""
        self.alive = True

    def failed(self, error: ModelError) -> None:
        """Count a failed request. Raises ModelUnavailableError after `MOST` of them, if none was answered."""
        self._n_failed, self._error = self._n_failed + 1, error
        if self._n_failed >= MOST:
            self.check()

    def check(self) -> None:
        """Raise ModelUnavailableError, with the last reason, where requests failed and none was answered."""
        error, n = self._error, self._n_failed
        if error is not None and not self.alive:
            s = "s" if n > 1 else ""
            raise ModelUnavailableError(f"none of {n} request{s} was answered: {error.message}", error.hint) from error
