"""Names of stadiums, halls and grounds."""

from __future__ import annotations

import pyarrow as pa

from generators.names.cultures import culture_of
from generators.names.distinct import distinct_names
from generators.names.frames import words
from generators.names.invented_words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

KINDS = {
    "en": pa.array([
        "Arena", "Bowl", "Common", "Court", "Dome", "Field", "Garden", "Gate", "Ground", "Lane", "Meadow",
        "Oval", "Park", "Place", "Road", "Row", "Stadium", "Terrace",
    ]),
    "zh": pa.array(words("体育场 体育馆 体育中心 剧场 大剧院 音乐厅 会堂 公园 广场 文化宫 游泳馆 球场 会展中心")),
}  # fmt: skip
AGAIN = {
    "en": ("Old {}", "New {}", "Great {}", "Little {}", "North {}", "South {}", "East {}", "West {}"),
    "zh": ("老{}", "大{}", "小{}", "东{}", "西{}", "南{}", "北{}"),
}


def venue(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name venues: `Barabesko Park`, 安溪大剧院. Tens of thousands or more, no two the same."""
    chosen = culture_of(culture)
    after = vocabulary(culture, "place" if chosen.language == "zh" else "family")
    return distinct_names(stream, rows, [after, KINDS[chosen.language]], AGAIN[chosen.language], space=chosen.space)
