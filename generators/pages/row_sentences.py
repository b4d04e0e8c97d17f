"""Tells columns of a relation's row that has been introduced: `It was a match of round 3, played on 21 August 2030.`"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from generators.pages.layout import capitalised
from generators.pages.sentence_writer import SentenceWriter
from generators.pages.wording_chooser import WordingChooser
from worldforge.world.page_inputs import PageAttribute, Value
from worldforge.world.phrases import NO_WORDINGS, RelationWordings
from worldforge.world.wording import Wordings

NUMBERS_OF_ROWS = ("position", "round")
"""Columns that only number the rows: running text leaves them out unless the phrasebook has sentences for them."""


def tell_columns(
    chooser: WordingChooser,
    sentences: SentenceWriter,
    words: RelationWordings | None,
    relation: str,
    attributes: Iterable[PageAttribute],
    row: Mapping[str, Value],
    of_rows: Wordings = (),
) -> None:
    """Tell the values that a row of the relation `relation` has for some attributes.

    Several are told in a sentence where the phrasebook has such sentences, else one. For a column without sentences one
    of those `of_rows` that states it is written, else its label.
    """
    columns = words.columns if words is not None else {}
    untold = {one.key: row[one.key] for one in attributes if one.key in row}
    labels = {one.key: one.label for one in attributes}
    for key in list(untold):
        if key not in untold:
            continue
        own = columns.get(key, NO_WORDINGS)
        together = tuple(one for one in words.together if key in one.facts) if words is not None else ()
        wording = chooser.pick_for_row(together, untold, relation)
        if wording is None and not own.sentences and key in NUMBERS_OF_ROWS:
            continue
        wording = wording or chooser.pick_for_row(
            chooser.of_cell(own, key, row[key], relation), {key: row[key]}, relation
        )
        wording = wording or chooser.pick_for_row(tuple(one for one in of_rows if key in one.facts), row, relation)
        if wording is not None:
            sentences.write(wording, row, relation)
            for told in wording.tells:
                untold.pop(told, None)
        else:
            sentences.begin()
            sentences.add_text(capitalised(labels[key]) + ("：" if sentences.is_chinese else ": "))
            sentences.add_value(row[key])
            sentences.end()
            del untold[key]
