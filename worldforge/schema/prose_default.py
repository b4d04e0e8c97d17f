"""`pages.prose`: said once for all kinds of pages, it is what each of them says that does not say it itself.

pages:
  prose: model
  club_article: {generator: pages.encyclopedia, about: club}                          worded by a model
  club_forum: {generator: pages.forum, about: club, prose: templates}                 as its generator words it
"""

from __future__ import annotations

import typing
from collections.abc import Mapping

from worldforge.schema.problems import Problem
from worldforge.schema.web_section import ProseSource
from worldforge.schema.yaml_tree import Entry, TreeNode

KEY = "prose"
SOURCES: tuple[ProseSource, ...] = typing.get_args(ProseSource)


def spread_prose(tree: TreeNode) -> tuple[TreeNode, list[Problem]]:
    """Move `pages.prose` into the kinds of pages; also return the problem, where it is neither of its two words."""
    pages = tree.child("pages")
    if pages is None or not isinstance(tree.content, Mapping) or not isinstance(pages.content, Mapping):
        return tree, []
    said = pages.content.get(KEY)
    if said is None:
        return tree, []
    kinds = {key: entry for key, entry in pages.content.items() if key != KEY}
    problems = []
    if said.node.content in SOURCES:
        kinds = {key: _with(entry, said) for key, entry in kinds.items()}
    elif not said.is_null:
        problems.append(
            said.node.place.problem(
                ("pages", KEY),
                f"must be {' or '.join(f'`{source}`' for source in SOURCES)}",
                "it says who words all pages; no kind of page is called so",
            )
        )
    around = Entry(tree.content["pages"].key_place, TreeNode(pages.place, kinds))
    return TreeNode(tree.place, {**tree.content, "pages": around}), problems


def _with(kind: Entry, said: Entry) -> Entry:
    content = kind.node.content
    if not isinstance(content, Mapping) or KEY in content:
        return kind
    return Entry(kind.key_place, TreeNode(kind.node.place, {**content, KEY: said}))
