"""Generate names of devices and cars from the names of their makers."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from generators.names.cultures import culture_of
from generators.names.frames import distinct_forms, distinct_names, forms_of
from generators.names.invented_words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

_LEGAL = r"(股份有限公司|有限公司|集团| Ltd| Inc| PLC| LLC| Group| Corporation| Company| Holdings| Partners)$"
_A_MAKER = 24  # how many rows an invented maker has


def model(stream: Stream, rows: Rows, *, maker: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Draw names of phones, laptops and other devices after their makers: `Barabesko Lyra 4 Pro`, 鹭湾星河3旗舰版.

    The maker is called without its Ltd or 有限公司; one that has used up all models has a word added to its name.
    """
    return _after_maker(stream, rows, maker, culture, "products.model")


def car(stream: Stream, rows: Rows, *, maker: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Draw names of cars after their makers, as `model` does: `Barabesko Kestrel Estate II`, 鹭湾白鹭二代."""
    return _after_maker(stream, rows, maker, culture, "products.car")


def _after_maker(stream: Stream, rows: Rows, maker: pa.Array | str | None, culture: str, forms: str) -> pa.Array:
    chosen = culture_of(culture)
    chinese = chosen.language == "zh"
    family = vocabulary(culture, "place" if chinese else "family")
    if maker is None:
        again = ("中{}", "新{}") if chinese else ("{} Brothers", "{} & Sons")
        makers = distinct_names(stream.child("maker"), rows // _A_MAKER, [family], again)
    else:
        column = pa.repeat(maker, len(rows)) if isinstance(maker, str) else maker
        makers = pc.replace_substring_regex(column, _LEGAL, "")
    return distinct_forms(stream, rows, makers, forms_of(forms, chosen.language), family, space=chosen.space)
