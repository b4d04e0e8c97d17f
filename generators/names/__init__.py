"""Names that nobody bears, of people, places and everything else that bears one; no two rows get the same.

    person(stream, rows, culture="sarnese")     ->  ["Alvano Barabesko", …], one name a row

A name depends on its row number alone (a club's on its town and the earlier clubs there too), so that more rows change
no earlier name. Words made of invented syllables carry the names, and no such word occurs in `real_names.txt`. The
cultures are in `cultures/`, one file each; a Chinese one names things in characters.
"""

from generators.names.academia import conference, journal, paper
from generators.names.creative_works import award, band, title
from generators.names.food import dish, restaurant
from generators.names.government import constituency, district, ministry, party
from generators.names.historical_events import battle, dynasty, event, ruler, treaty
from generators.names.institutions import artwork, festival, museum, school, university
from generators.names.medicine import disease, drug, trial
from generators.names.organisations import airline, bank, company, fund, organisation
from generators.names.places import lake, mountain, person, place, region, river, town
from generators.names.products import car, library, model, software
from generators.names.short_names import initials, short
from generators.names.sport import club, team, tournament, venue
from generators.names.transliteration import composed, in_chinese, transliterated
from generators.names.travel import airport, hotel, line, ship, station

__all__ = [
    "airline",
    "airport",
    "artwork",
    "award",
    "band",
    "bank",
    "battle",
    "car",
    "club",
    "company",
    "composed",
    "conference",
    "constituency",
    "disease",
    "dish",
    "district",
    "drug",
    "dynasty",
    "event",
    "festival",
    "fund",
    "hotel",
    "in_chinese",
    "initials",
    "journal",
    "lake",
    "library",
    "line",
    "ministry",
    "model",
    "mountain",
    "museum",
    "organisation",
    "paper",
    "party",
    "person",
    "place",
    "region",
    "restaurant",
    "river",
    "ruler",
    "school",
    "ship",
    "short",
    "software",
    "station",
    "team",
    "title",
    "tournament",
    "town",
    "transliterated",
    "treaty",
    "trial",
    "university",
    "venue",
]
