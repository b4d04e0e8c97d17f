"""What a database says instead of doing what it was asked."""

from __future__ import annotations

from worldforge.environments.views import ErrorView, Failure


class RefusedError(Exception):
    """A request, or one item of it, that is not done: the error's name, and what is said. Never leaves the room."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(error, message)
        self.error = error
        self.message = message

    @property
    def view(self) -> ErrorView:
        """The refusal of a whole call."""
        return ErrorView(self.error, self.message)

    def of(self, item: str) -> Failure:
        """Return the refusal of one item of a batch."""
        return Failure(item, self.error, self.message)
