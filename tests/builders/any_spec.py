"""Small specs of every sort, by hypothesis: types, references, relations, constraints, a web that errs."""

from hypothesis import strategies as st

NAMES = ["names.town", "names.person", "names.place", "names.club", "names.festival", "names.band", "names.venue"]
PAGES = ["pages.encyclopedia", "pages.official", "pages.news", "pages.forum"]
LISTS = ["pages.directory", "pages.statistics"]
SHARES = st.sampled_from([0.0, 0.2, 0.5, 1.0])


@st.composite
def specs(draw):
    """A spec as YAML would have it; most are whole, some ask for what cannot be."""
    types = {}
    for number in range(draw(st.integers(1, 3))):
        types[f"t{number}"] = draw(entity_types(number))
    for name, one in types.items():
        one["derived"] |= draw(aggregates(name, types))
    relations = {f"r{n}": draw(relation_between(types)) for n in range(draw(st.integers(0, 2)))}
    spec = {"name": "any", "seed": draw(st.integers(0, 99)), "types": types, "relations": relations}
    spec["constraints"] = [
        {"on": name, "sql": f"{column} >= 0 or {column} is null"}
        for name, one in types.items()
        for column, how in one["attributes"].items()
        if how.get("generator") == "values.integer"
    ][: draw(st.integers(0, 2))]
    spec |= draw(webs(types))
    spec["tasks"] = {
        "asked": {"family": "list", "count": 1, "rows": {"low": 1, "high": 12}, "columns": {"low": 1, "high": 3}}
    }
    return spec


@st.composite
def entity_types(draw, number):
    """A type with attributes drawn by chance, references to the types before it, and columns computed row by row."""
    name = {"generator": draw(st.sampled_from(NAMES))}
    if draw(st.booleans()):
        name["namesakes"] = draw(SHARES) / 2
    if draw(st.booleans()):
        name["aliases"] = {"share": draw(SHARES), "used": draw(SHARES)}
    attributes = {f"a{n}": draw(attribute()) for n in range(draw(st.integers(1, 4)))}
    for before in range(number):
        if draw(st.booleans()):
            how = draw(st.sampled_from([{}, {"distribution": "zipf"}, {"missing": 0.3}, {"varies": 0.2}]))
            attributes[f"to{before}"] = {"references": f"t{before}", **how}
    if draw(st.booleans()):
        attributes["above"] = {"references": f"t{number}", "acyclic": True, "missing": 0.2}
    derived = {}
    whole = [key for key, how in attributes.items() if how.get("generator") in ("values.integer", "values.year")]
    if whole and draw(st.booleans()):
        derived["sum"] = {"sql": " + ".join(whole)}
        derived["place"] = {"rank": "sum desc, name"}
    return {
        "count": draw(st.integers(2, 14)),
        "name": name,
        "attributes": attributes,
        "derived": derived,
    }


@st.composite
def attribute(draw):
    """A column of plain values, as likely as not with a unit, a share of empty cells, a change with the years."""
    low = draw(st.integers(0, 3_000))
    how = draw(
        st.sampled_from(
            [
                {"generator": "values.integer", "params": {"low": low, "high": low + draw(st.integers(0, 90_000))}},
                {"generator": "values.number", "params": {"low": low / 8, "high": low / 8 + 40, "decimals": 2}},
                {"generator": "values.year", "params": {"low": 1700, "high": 2020}},
                {"generator": "values.date", "params": {"low": "1900-01-01", "high": "2030-12-31"}},
                {"generator": "values.choice", "params": {"options": ["red", "green & blue", "<none>"]}},
                {"generator": "values.boolean"},
            ]
        )
    )
    numeric = how["generator"] in ("values.integer", "values.number")
    if numeric and draw(st.booleans()):
        how = {**how, "unit": draw(st.sampled_from(["km", "km²", "crowns", "%", "men"]))}
    if draw(st.booleans()):
        how = {**how, "missing": draw(SHARES) / 2}
    return {**how, "varies": 0.05} if draw(st.booleans()) else how


@st.composite
def aggregates(draw, name, types):
    """What a type may count of the rows that refer to it."""
    overs = [
        f"{other}.{key}"
        for other, one in types.items()
        for key, how in one["attributes"].items()
        if how.get("references") == name and key != "above"
    ]
    return {"n": {"over": draw(st.sampled_from(overs)), "sql": "count(*)"}} if overs else {}


@st.composite
def relation_between(draw, types):
    """A relation between two types, in a series or not, or of pairs of one type."""
    source, target = (draw(st.sampled_from(sorted(types))) for _ in range(2))
    year = {"generator": "values.year", "params": {"low": 1950, "high": 2030}}
    shape = draw(st.sampled_from(["plain", "series", "pairs"]))
    if shape == "pairs":
        return {"source": source, "target": source, "pairs": {"legs": 1}, "columns": {"held": year}}
    most = draw(st.integers(0, 3))
    relation = {"source": source, "target": target, "per_source": {"low": 0, "high": most}, "columns": {"since": year}}
    return {**relation, "distinct": False} | ({"series": "source"} if shape == "series" else {})


@st.composite
def webs(draw, types):
    """Pages of every sort on two sites, with whatever may be wrong with a web."""
    disagrees = draw(st.booleans())
    sites = {"one": {}, "two": {"style": draw(styles())} if draw(st.booleans()) else {}}
    if disagrees:
        sites["two"] |= {"outdated": draw(SHARES), "mistaken": draw(SHARES) / 5}
    web = {"currencies": {"crowns": 1, "marks": 2.5}}
    web |= {"settled_by": draw(st.sampled_from(["date", "authority", "majority"]))} if disagrees else {}
    web |= {"redirects": draw(SHARES), "dead_links": draw(SHARES) / 2} if draw(st.booleans()) else {}
    pages = {}
    for name, one in types.items():
        pages[f"{name}_article"] = {"generator": "pages.encyclopedia", "about": name, "site": "one"}
        pages[f"{name}_list"] = {"generator": draw(st.sampled_from(LISTS)), "about": name, "site": "two"}
        references = [key for key, how in one["attributes"].items() if "references" in how]
        if references and draw(st.booleans()):
            pages[f"{name}_list"]["by"] = draw(st.sampled_from(references))
        if draw(st.booleans()):
            kind = {"generator": draw(st.sampled_from(PAGES)), "about": name, "share": draw(SHARES), "site": "two"}
            pages[f"{name}_more"] = {**kind, "completeness": draw(SHARES)}
    return {"sites": sites, "web": web, "pages": pages}


@st.composite
def styles(draw):
    """A way for a site to write values."""
    return {
        "dates": draw(st.sampled_from(["day month year", "month day, year", "iso", "day.month.year"])),
        "numbers": draw(st.sampled_from(["comma", "point", "space", "plain"])),
        "units": draw(st.sampled_from(["metric", "imperial"])),
        "currency": draw(st.sampled_from([None, "marks"])),
    }
