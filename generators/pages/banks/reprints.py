"""How papers own up to what they print after others, a bank a language: `REPRINTS["zh"].credits`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generators.pages.banks.wording_bank import Texts


@dataclass(frozen=True, slots=True)
class Reprints:
    """What stands before a headline, and lines that name the `{site}` and the `{date}` of the original."""

    prefixes: Texts
    credits: Texts


REPRINTS: Mapping[str, Reprints] = {
    "en": Reprints(
        prefixes=("Reprint: ", "From other papers: ", "Read elsewhere: ", "Noted: ", "In other pages: "),
        credits=(
            "*This item first appeared in {site}, {date}.*\n",
            "*First published by {site} on {date}; reprinted by permission.*\n",
            "*Source: {site}, {date}.*\n",
        ),
    ),
    "zh": Reprints(
        prefixes=("转载：", "他报摘登：", "别处读到：", "摘录：", "转自他站："),
        credits=(
            "*本文原载{site}，{date}。*\n",
            "*首发于{site}，{date}，经许可转载。*\n",
            "*来源：{site}，{date}。*\n",
        ),
    ),
}
