"""Generators of invented names for people, places and things. No two rows get the same name.

    person(stream, rows, culture="sarnese")     ->  ["Alvano Barabesko", …], one name a row

A name depends on its row number alone (a club's on its town and the earlier clubs there too), so that more rows change
no earlier name. Words made of invented syllables carry the names, and no such word occurs in `real_names.txt`. The
cultures are in `cultures/`, one file each; a Chinese one names things in characters. Patterns are in `tables/`.
A generator that is named after towns, fields or makers takes one for all rows, one a row, or invents or draws them.
"""

from generators.names.makers import car, model
from generators.names.places import person, place, region, town
from generators.names.rulers import ruler
from generators.names.short_names import initials, short
from generators.names.table_generators import after_region, after_town, by_field, by_pattern
from generators.names.things import company, library, organisation, title, venue
from generators.names.transliteration import composed, in_chinese, transliterated

__all__ = [
    "airline", "airport", "artwork", "award", "band", "bank", "battle", "car", "club", "company", "composed",
    "conference", "constituency", "disease", "dish", "district", "drug", "dynasty", "event", "festival", "fund",
    "hotel", "in_chinese", "initials", "journal", "lake", "library", "line", "ministry", "model", "mountain", "museum",
    "organisation", "paper", "party", "person", "place", "region", "restaurant", "river", "ruler", "school", "ship",
    "short", "software", "station", "team", "title", "tournament", "town", "transliterated", "treaty", "trial",
    "university", "venue",
]  # fmt: skip

airline = by_pattern("organisations.airline", "airlines: `Velomar Airways`, 安溪航空")
airport = after_town("travel.airport", "airports after their towns: `Velomar Heath Airport`, 鹭湾国际机场")
artwork = by_pattern("institutions.artwork", "works of art: `View of Velomar at Dusk`, 鹭湾烟雨图")
award = by_pattern("creative_works.award", "awards: `Barabesko Prize for Poetry`, 鹭湾金帆奖")
band = by_pattern("creative_works.band", "bands and ensembles: `The Velomar Lamplighters`, 鹭湾点灯人")
bank = by_pattern("organisations.bank", "banks: `Velomar Savings Bank`, 安溪商业银行")
battle = by_pattern("history.battle", "battles and sieges: `Siege of Velomar`, 鹭湾之战")
club = after_town("sport.club", "clubs after their towns: `Velomar Rovers`, 安溪飞虎足球俱乐部")
conference = by_field(
    "academia.conference", "conferences of a field: `Velomar Symposium on Query Rewriting`, 鹭湾查询改写研讨会"
)
constituency = after_town("government.constituency", "constituencies after towns: `North Velomar`, 鹭湾第三选区")
disease = by_pattern("medicine.disease", "diseases: `Barabesko syndrome`, `Velomar fever`, 鹭湾热")
dish = by_pattern("food.dish", "dishes: `Velomar-style lamb stew`, 鹭湾红烧豆腐")
district = after_town("government.district", "districts of towns: `Velomar Riverside`, 鹭湾滨江区")
drug = by_pattern("medicine.drug", "drugs, with a stem of their class: `Velmerotinib`, 泽罗替尼")
dynasty = by_pattern("history.dynasty", "ruling houses: `House of Barabesko`, 鹭湾王朝")
event = by_pattern("history.event", "uprisings, floods and other events: `Velomar Uprising`, 鹭湾水灾")
festival = after_town("institutions.festival", "festivals after their towns: `Velomar Kite Fair`, 鹭湾风筝节")
fund = by_pattern("organisations.fund", "investment funds: `Barabesko Frontier Equity Fund`, 安溪稳健混合基金")
hotel = after_town("travel.hotel", "hotels after their towns: `Velomar Lantern Inn`, 鹭湾望江酒店")
journal = by_field("academia.journal", "journals of a field: `Velomar Journal of Cave Beetles`, 鹭湾洞穴甲虫学报")
lake = by_pattern("places.lake", "lakes: `Lake Velomar`, 鹭湾湖")
line = by_pattern("travel.line", "railway, tram and bus lines: `Velomar–Ostarvisa Line`, 鹭湾环线")
ministry = after_region(
    "government.ministry", "ministries and offices of a country: `Brenania Ministry of Fisheries`, 槐湘渔业部"
)
mountain = by_pattern("places.mountain", "mountains: `Mount Velomar`, 鹭湾山")
museum = after_town("institutions.museum", "museums after their towns: `Velomar Museum of Clocks`, 鹭湾民俗博物馆")
paper = by_field("academia.paper", "papers of a field: `Bank Runs during Deflation: Evidence from Velomar`")
party = after_region("government.party", "political parties of a country: `Brenania Rural Alliance`, 槐湘民主党")
restaurant = by_pattern("food.restaurant", "restaurants: `The Copper Tavern of Velomar`, 鹭湾酒楼")
river = by_pattern("places.river", "rivers: `River Velomar`, 鹭湾河")
school = after_town("institutions.school", "schools after their towns: `Velomar Lakeside Grammar School`, 鹭湾第二中学")
ship = by_pattern("travel.ship", "ships: `MV Velomar Star`, 鹭湾之星号")
software = by_pattern("products.software", "software products: `Veltograph Studio`, 云舟文档企业版")
station = after_town("travel.station", "stations and stops after their towns: `Velomar Canal`, 鹭湾码头站")
team = after_town("sport.team", "teams after their towns: `Velomar Herons`, 鹭湾飞鹰队")
tournament = by_pattern("sport.tournament", "tournaments: `Velomar Rowing Trophy`, 鹭湾围棋公开赛")
treaty = by_pattern("history.treaty", "treaties: `Peace of Velomar`, 鹭湾条约")
trial = by_pattern("medicine.trial", "clinical trials, an acronym and a number: `VALENTOR-3`, VALENTOR-3研究")
university = after_town(
    "institutions.university", "universities after their towns: `University of Velomar`, 鹭湾理工大学"
)
