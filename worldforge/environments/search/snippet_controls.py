"""Content controls of snippets: withhold statements, show them wrongly, and limit how many facts are shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from worldforge.environments.call_controls import Shaped
from worldforge.environments.controls.control_plan import ControlPlan
from worldforge.environments.controls.statements import ELISION
from worldforge.environments.controls.substitutions import Substitution, Substitutions
from worldforge.environments.search.views import Result, SearchBlock, SearchView
from worldforge.environments.session import Alteration

_NAMES = frozenset({"name", "source", "target"})  # who is meant: no fact in a budget


@dataclass(frozen=True, slots=True)
class ShapedSnippet:
    """A snippet after controls, the facts made wrong in it, and the controls that acted."""

    text: str
    altered: tuple[Alteration, ...]
    names: tuple[str, ...]


def shape_result(result: Result, plan: ControlPlan, substitutions: Substitutions) -> tuple[Result, ShapedSnippet]:
    """Apply controls to the snippet of one result."""
    budget = plan.snippets
    limited = budget.rate > 0 and result.row >= 0 and substitutions.snippet_draw(result.row) < budget.rate
    n_facts, most = (budget.facts, budget.characters) if limited else (None, None)
    looked_into = n_facts is not None or plan.withheld.rate > 0 or plan.wrong_facts.rate > 0
    chosen = list(_chosen(result, plan, substitutions, n_facts)) if looked_into and result.row >= 0 else []
    if not chosen and most is None:
        return result, ShapedSnippet(result.snippet, (), ())
    snippet = _written(result.snippet, chosen, most)
    return result._replace(snippet=snippet.text), snippet


def shape_snippets(view: SearchView, plan: ControlPlan, substitutions: Substitutions) -> tuple[Shaped, tuple[str, ...]]:
    """Apply controls to every snippet of a search; also return the names of those that acted."""
    if not (plan.snippets.rate or plan.withheld.rate or plan.wrong_facts.rate):
        return Shaped(view), ()
    blocks: list[SearchBlock] = []
    altered: dict[Alteration, None] = {}
    names: dict[str, None] = {}
    for block in view.blocks:
        shaped = [shape_result(result, plan, substitutions) for result in block.results]
        blocks.append(block._replace(results=tuple(result for result, _ in shaped)))
        altered |= dict.fromkeys(one for _, snippet in shaped for one in snippet.altered)
        names |= dict.fromkeys(name for _, snippet in shaped for name in snippet.names)
    return Shaped(SearchView(tuple(blocks)), tuple(altered)), tuple(names)


def _chosen(
    result: Result, plan: ControlPlan, substitutions: Substitutions, n_facts: int | None
) -> Iterator[tuple[int, int, Substitution, str]]:
    """Yield the replacements in a snippet: [start, end), the substitution, and the control."""
    decide = substitutions.on_page(result.row, plan.withheld.rate, plan.wrong_facts.rate)
    told: set[str] = set()
    for start, end, stated in substitutions.statements.in_snippet(result.snippet, result.row):
        substitution = decide(stated)
        if substitution is not None and substitution.alteration is None:
            yield start, end, substitution, "withheld"
            continue
        if stated.column not in _NAMES and n_facts is not None:
            if len(told | {stated.fact}) > n_facts:
                yield start, end, Substitution(ELISION), "snippets"
                continue
            told.add(stated.fact)
        if substitution is not None:
            whole = end - start == len(stated.value)
            yield start, end, substitution if whole else Substitution(ELISION), "wrong_facts"


def _written(text: str, chosen: list[tuple[int, int, Substitution, str]], most: int | None) -> ShapedSnippet:
    """Apply replacements, and cut the snippet to `most` characters."""
    pieces, at, length = [], 0, 0
    placed: list[tuple[int, tuple[Alteration, ...], str]] = []
    for start, end, substitution, name in chosen:
        pieces += [text[at:start], substitution.shown]
        length += start - at + len(substitution.shown)
        placed.append((length, substitution.alterations, name))
        at = end
    whole = "".join([*pieces, text[at:]])
    shown = _cut(whole, most) if most is not None else whole
    kept = len(whole) if shown == whole else len(shown) - 1
    names = {name for place, _, name in placed if place <= kept} | ({"snippets"} if shown != whole else set())
    altered = (one for place, alterations, _ in placed if place <= kept for one in alterations)
    return ShapedSnippet(shown, tuple(dict.fromkeys(altered)), tuple(sorted(names)))


def _cut(text: str, most: int) -> str:
    """Cut at a word's end, with an ellipsis; `most` characters with it, at most."""
    if len(text) <= most:
        return text
    end = text.rfind(" ", 0, most)
    return text[: end if end > 0 else most - 1].rstrip() + ELISION
