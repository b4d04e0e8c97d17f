"""What pages say of a fact beside another entity's."""

from generators.pages.comparisons import compared
from worldforge.world.page_inputs import PageAttribute, Value


def test_counts_are_compared_and_ranks_are_not():
    seats = PageAttribute("seats", "seats", "", "integer", (), False)
    assert compared(seats, Value("1,200"), Value("900"), "Velmar", " ").difference == 300
    place = PageAttribute("place", "place by seats", "", "integer", (), False, is_amount=False)
    assert compared(place, Value("3"), Value("1"), "Velmar", " ") is None
