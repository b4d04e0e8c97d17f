"""Names that nobody bears: of people, places, clubs, venues, festivals, companies; no two rows get the same.

    person(stream, rows, culture="sarnese")     ->  ["Alvano Barabesko", …], one name a row

A name depends on its row number alone (a club's on its town and the earlier clubs there too), so that more
rows change no earlier name. Every name has at least one word made of invented syllables, and no such word
occurs in `real_names.txt`.
"""

from generators.names.clubs import club
from generators.names.festivals import festival
from generators.names.organisations import airline, bank, company, fund, organisation
from generators.names.people import person
from generators.names.places import place, region, town
from generators.names.venues import venue

__all__ = ["airline", "bank", "club", "company", "festival", "fund", "organisation", "person", "place", "region", "town", "venue"]
