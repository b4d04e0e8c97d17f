"""Parts that pages of many kinds have."""

from types import SimpleNamespace

import pytest

from generators.pages.layout import title_of


@pytest.mark.parametrize(
    ("template", "title"),
    [
        ("A word on {name}", "A word on the Salt War"),
        ("So, {name}", "So, the Salt War"),
        ("Portrait: {name}", "Portrait: Salt War"),
        ("{name} in order", "Salt War in order"),
        ("Read on. **{name}** is dear to us.", "Read on. The **Salt War** is dear to us."),
        ("**{name}**: our pages.", "**Salt War**: our pages."),
    ],
)
def test_a_name_takes_its_article_within_a_phrase(template, title):
    page = SimpleNamespace(phrases=SimpleNamespace(types={"war": SimpleNamespace(before_name="the", around_name="")}))
    war, person = (SimpleNamespace(type=one, name=SimpleNamespace(text="Salt War")) for one in ("war", "person"))
    assert title_of(page, war, template) == title
    assert title_of(page, person, template) == template.replace("{name}", "Salt War")


@pytest.mark.parametrize(("template", "title"), [("关于{name}", "关于《盐战》"), ("**{name}**：", "**《盐战》**：")])
def test_a_name_stands_in_the_marks_of_its_type(template, title):
    page = SimpleNamespace(phrases=SimpleNamespace(types={"song": SimpleNamespace(before_name="", around_name="《》")}))
    song = SimpleNamespace(type="song", name=SimpleNamespace(text="盐战"))
    assert title_of(page, song, template) == title
