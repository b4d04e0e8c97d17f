"""A model that takes its time, and a progress that keeps what it is told of it."""

import asyncio
from collections import Counter

from worldforge.core.progress import Progress
from worldforge.models.chat import Reply, Usage
from worldforge.models.scripted_model import ScriptedModel


class Slow(ScriptedModel):
    """Answers as `answer` does, after a while; has room for two requests at once, and finds a part of its prompts."""

    at_once = 2

    def __init__(self, answer, seconds=0.2):
        super().__init__(self._slowly)
        self._said, self._seconds = answer, seconds

    async def _slowly(self, request):
        await asyncio.sleep(self._seconds)
        return Reply(self._said(request), usage=Usage(100, 40, 10))


class Notes(Progress):
    """A progress that keeps what it is told."""

    def __init__(self):
        self.notes, self.counts, self.n_done = [], Counter(), 0

    def advance(self, items=1):
        self.n_done += items

    def note(self, text):
        self.notes.append((self.n_done, text))

    def count(self, what, n=1, of=""):
        self.counts[what, of] += n

    @property
    def texts(self):
        return [text for _, text in self.notes]
