"""One small world by hand, and scenes of it as a renderer is shown them."""

import datetime
import json

from worldforge.environments.dialect import Dialect
from worldforge.environments.requests import ToolRequest
from worldforge.environments.search.dialects import AGENT_WORLD
from worldforge.environments.search.requests import OpenRequest, SearchRequest
from worldforge.environments.search.views import PageView, Result, SearchBlock, SearchView
from worldforge.environments.session import Scene
from worldforge.environments.views import ToolView
from worldforge.models.chat import ToolCall
from worldforge.world.lexicon.lexicon import Lexicon
from worldforge.world_model.guard import Guard

URL = "https://www.wiki.example"
BODY = f"""# Velmar Rovers

| Club | Velmar Rovers |
|:---|:---|
| Founding year | 1911 |

**Velmar Rovers** is a club in [Velmar]({URL}/velmar). The stadium capacity of the club is 9,850. It is not far away.

## Matches

The following has been checked. Velmar Rovers met Torvik City on 18 June 2024, and won the cup before 1930.
Torvik City was founded in 1920.

*Last revised 2 May 2031.*
"""
SNIPPETS = (
    "Velmar Rovers is a club in Velmar. The club was founded in 1911. It has a capacity of 9,850. Torvik City is",
    "Torvik City plays in green. The club was founded in 1920. Readers are welcome.",
)
LEXICON = Lexicon(
    names=["Velmar Rovers", "Velmar", "Torvik City", "Torvik", "Ostrand Albion", "Ada Quill"],
    values=["green", "red and white", "Harbour Park"],
    labels=["founding year", "stadium capacity", "league titles", "colours"],
    hosts=["www.wiki.example"],
)
GUARD = Guard(LEXICON, ["Ostrand Albion", "1937", "Harbour Park", "12400"])


def scene_of(request: ToolRequest, view: ToolView, dialect: Dialect = AGENT_WORLD, **more: object) -> Scene:
    (name, arguments), *_ = dialect.ask(request)
    call = ToolCall("1", name, json.dumps(arguments))
    return Scene(call, request, view, dialect.write(request, view), dialect, dialect.tools, **more)  # type: ignore[arg-type]


def page_scene(body: str = BODY, **more: object) -> Scene:
    view = PageView(f"{URL}/velmar-rovers", "Velmar Rovers", datetime.date(2031, 5, 2), 1, 1, body)
    return scene_of(OpenRequest(view.url), view, **more)


def search_scene(queries: tuple[str, ...] = ("clubs",), **more: object) -> Scene:
    results = tuple(
        Result(rank, f"{URL}/{rank}", f"Page {rank}", snippet, datetime.date(2030, 1, rank))
        for rank, snippet in enumerate(SNIPPETS, 1)
    )
    view = SearchView(tuple(SearchBlock(query, results) for query in queries))
    return scene_of(SearchRequest(queries), view, **more)
