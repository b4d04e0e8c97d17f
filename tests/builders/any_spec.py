"""Small specs of every sort, by hypothesis: types, relations, constraints, a web that errs, tasks, other languages."""

from hypothesis import strategies as st

from worldforge.schema.spec import WorldSpec
from worldforge.schema.translations import missing_translations

NAMES = ["names.town", "names.person", "names.place", "names.club", "names.festival", "names.band", "names.venue"]
PAGES = ["pages.encyclopedia", "pages.official", "pages.news", "pages.forum"]
LISTS = ["pages.directory", "pages.statistics"]
FAMILIES = ["list", "filter", "ranking", "join", "described", "union", "intersection", "completion",
            "top_per_group", "joined_lists"]  # fmt: skip
SHARES = st.sampled_from([0.0, 0.2, 0.5, 1.0])
ODD = ["12", "3.5%", "yes", 'it\'s "so"', "*a* [b](c)", "St. Ü", "None", "1,200 km", "4 May 1999", "a, b and c"]
YEAR = {"generator": "values.year", "params": {"low": 1950, "high": 2030}}


@st.composite
def specs(draw):
    """A spec as YAML would have it; most are whole, some ask for what cannot be."""
    languages = draw(st.sampled_from([["en"], ["en"], ["en"], ["zh"], ["en", "zh"]]))
    english = languages == ["en"]
    types = {}
    for number in range(draw(st.integers(1, 3))):
        types[f"t{number}"] = draw(entity_types(types, english))
    for name, one in types.items():
        one["derived"] |= draw(aggregates(name, types))
    relations = {f"r{n}": draw(relation_between(types)) for n in range(draw(st.integers(0, 2)))}
    spec = {
        "name": "any",
        "seed": draw(st.integers(0, 99)),
        "as_of": draw(st.sampled_from(["2031-06-30", "1960-02-29"])),
        "types": types,
        "relations": relations,
    }
    spec["constraints"] = draw(constraints(types, relations))
    spec |= draw(webs(types, languages))
    spec["search"] = draw(searches()) if draw(st.booleans()) else {}
    spec["tasks"] = {f"asked{n}": draw(families(languages)) for n in range(draw(st.integers(1, 3)))}
    if english and not any(kind["generator"] == "pages.reprint" for kind in spec["pages"].values()):
        spec["strategies"] = draw(strategies())
    return spec if english else in_languages(spec, languages)


def in_languages(spec, languages):
    """Give a spec languages, and a translation of all that needs one."""
    checked = WorldSpec.model_validate(spec)
    words = {text: f"汉字{number}" for number, text in enumerate(missing_translations(checked, "zh"))}
    return {**spec, "languages": languages, "translations": {"zh": words}}


@st.composite
def entity_types(draw, before, english):
    """A type with attributes drawn by chance, references to the types before it, and columns computed row by row."""
    name = {"generator": draw(st.sampled_from(NAMES))}
    if not english and draw(st.booleans()):
        name["params"] = {"culture": "chinese"}
    if draw(st.booleans()):
        name["namesakes"] = draw(SHARES) / 2
    if english and draw(st.booleans()):
        name["aliases"] = {"share": draw(SHARES), "used": draw(SHARES)}
    attributes = {f"a{n}": draw(attribute()) for n in range(draw(st.integers(1, 4)))}
    for number, other in enumerate(before):
        if draw(st.booleans()):
            how = draw(st.sampled_from([{}, {"distribution": "zipf"}, {"missing": 0.3}, {"varies": 0.2}]))
            attributes[f"to{number}"] = {"references": other, **how}
    if attributes.get("to0") == {"references": "t0"} and name["generator"] in ("names.club", "names.festival"):
        name.setdefault("params", {"town": "= to0.name"})
    if draw(st.booleans()):
        attributes["above"] = {"references": f"t{len(before)}", "acyclic": True, "missing": 0.2}
    derived = {}
    whole = [key for key, how in attributes.items() if how.get("generator") in ("values.integer", "values.year")]
    if whole and draw(st.booleans()):
        derived["sum"] = {"sql": " + ".join(whole)}
        derived["place"] = {"rank": "sum desc, name"}
        references = [key for key, how in attributes.items() if "references" in how]
        if references and draw(st.booleans()):
            derived["place"]["within"] = draw(st.sampled_from(references))
    if draw(st.booleans()):
        derived["code"] = {"sql": "upper(substring(name, 1, 2)) || '-' || length(name)"}
    return {
        "count": draw(st.integers(1, 14)),
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
                {"generator": "values.code", "params": {"pattern": "AA-000"}},
                {"generator": "values.integer", "params": {"low": -40, "high": 40, "distribution": "normal"}},
                {"generator": "values.integer", "params": {"low": 1, "high": 10**12, "distribution": "log_uniform"}},
                {"generator": "values.choice", "params": {"options": ODD}},
                {"generator": "names.person"},
                {"generator": "values.time"},
                {"generator": "values.version"},
            ]
        )
    )
    numeric = how["generator"] in ("values.integer", "values.number")
    if numeric and draw(st.booleans()):
        how = {**how, "unit": draw(st.sampled_from(["km", "km²", "crowns", "million crowns", "%", "men", "°C"]))}
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
    if not overs:
        return {}
    over = draw(st.sampled_from(overs))
    other = over.partition(".")[0]
    derived = {"n": {"over": over, "sql": "count(*)"}}
    for name, how in types[other]["attributes"].items():
        if how.get("generator") in ("values.integer", "values.number"):
            derived["mean"] = {"over": over, "sql": f"avg({name})", "where": f"{name} > 0"}
        if how.get("generator") == "values.date":
            derived["last"] = {"over": over, "sql": f"max({name})"}
            derived["late"] = {"sql": "last > make_date(1970, 1, 1)"}
    return derived


@st.composite
def relation_between(draw, types):
    """A relation between two types: plain, in a series, of periods one after another, or of pairs of one type."""
    source, target = (draw(st.sampled_from(sorted(types))) for _ in range(2))
    shape = draw(st.sampled_from(["plain", "series", "periods", "pairs"]))
    if shape == "pairs":
        held = {"generator": "values.year", "params": {"low": "= 2000 + round", "high": "= 2000 + round"}}
        return {
            "source": source,
            "target": source,
            "pairs": {"legs": draw(st.integers(1, 2))},
            "columns": {"held": held},
        }
    most = draw(st.integers(0, 3))
    relation = {"source": source, "target": target, "per_source": {"low": 0, "high": most}, "distinct": False}
    if shape == "periods":
        begin = {"low": "= coalesce(previous.until, 1980)", "high": "= coalesce(previous.until, 1980) + 4"}
        columns = {
            "from": {"generator": "values.year", "params": begin},
            "until": {"generator": "values.year", "params": {"low": "= from + 1", "high": "= from + 9"}},
        }
        return {**relation, "series": "target", "columns": columns}
    columns = {"since": YEAR, "much": draw(attribute())}
    if draw(st.booleans()):
        columns["seen_by"] = {"references": draw(st.sampled_from(sorted(types))), "missing": 0.2}
    return {**relation, "columns": columns} | ({"series": "source"} if shape == "series" else {})


@st.composite
def constraints(draw, types, relations):
    """What rows keep anyhow, or may be drawn again for."""
    rows = [
        {"on": name, "sql": f"{column} >= 0 or {column} is null"}
        for name, one in types.items()
        for column, how in one["attributes"].items()
        if how.get("generator") == "values.integer"
    ]
    between = []
    for name, relation in relations.items():
        if "from" in relation["columns"]:
            between.append({"on": name, "exclusive": {"per": "target"}})
        elif "held" in relation["columns"]:
            between.append({"on": name, "unique": [["source", "target"], "held"]})
        else:
            between.append({"on": name, "unique": ["source", "since"], "redraw": "since"})
    return [one for one in rows[:2] + between if draw(st.booleans())]


@st.composite
def webs(draw, types, languages):
    """Pages of every sort on two sites, with whatever may be wrong with a web."""
    english = languages == ["en"]
    disagrees = english and draw(st.booleans())
    sites = {"one": {}, "two": {"style": draw(styles())} if draw(st.booleans()) else {}}
    if disagrees:
        sites["two"] |= {"outdated": draw(SHARES), "mistaken": draw(SHARES) / 5}
    web = {"currencies": {"crowns": 1, "marks": 2.5}}
    web |= {"settled_by": draw(st.sampled_from(["date", "authority", "majority"]))} if disagrees else {}
    web |= {"redirects": draw(SHARES), "dead_links": draw(SHARES) / 2} if draw(st.booleans()) else {}
    pages = {}
    for name, one in types.items():
        pages[f"{name}_article"] = {"generator": "pages.encyclopedia", "about": name, "site": "one"}
        pages[f"{name}_article"] |= {"part_rows": draw(st.integers(1, 3))} if draw(st.booleans()) else {}
        pages[f"{name}_list"] = draw(lists(name, one))
        if draw(st.booleans()):
            kind = {"generator": draw(st.sampled_from(PAGES)), "about": name, "share": draw(SHARES), "site": "two"}
            pages[f"{name}_more"] = {**kind, "completeness": draw(SHARES), "language": draw(st.sampled_from(languages))}
        if english and one["name"].get("namesakes"):
            pages[f"{name}_who"] = {"generator": "pages.disambiguation", "about": name}
        if english and draw(st.booleans()):
            copied = draw(st.sampled_from([key for key in pages if key.startswith(name)]))
            copies = {"generator": "pages.reprint", "about": name, "copies": copied}
            pages[f"{name}_again"] = {**copies, "share": draw(SHARES)}
    return {"sites": sites, "web": web, "pages": pages}


@st.composite
def lists(draw, name, one):
    """Lists of a type, in one or by a reference, now and then with the values of a column put together."""
    kind = {"generator": draw(st.sampled_from(LISTS)), "about": name, "site": "two"}
    kind["page_size"] = draw(st.sampled_from([1, 3, 25]))
    references = [key for key, how in one["attributes"].items() if "references" in how]
    if references and draw(st.booleans()):
        kind["by"] = draw(st.sampled_from(references))
    if draw(st.booleans()):
        kind["states"] = [key for key in [*one["attributes"], *one["derived"]] if draw(st.booleans())]
    if kind["generator"] == "pages.statistics" and kind.get("states"):
        kind["params"] = {"merge": draw(st.sampled_from(kind["states"]))}
    return kind


@st.composite
def styles(draw):
    """A way for a site to write values."""
    return {
        "dates": draw(st.sampled_from(["day month year", "month day, year", "iso", "day.month.year"])),
        "numbers": draw(st.sampled_from(["comma", "point", "space", "plain"])),
        "units": draw(st.sampled_from(["metric", "imperial"])),
        "currency": draw(st.sampled_from([None, "marks"])),
    }


@st.composite
def searches(draw):
    """What ranks pages, and how a search may fall short."""
    return {
        "authority": draw(SHARES),
        "freshness": draw(SHARES),
        "language_boost": draw(SHARES),
        "typos": draw(st.booleans()),
        "top_k": draw(st.sampled_from([None, 3, 100])),
        "recall_loss": draw(st.sampled_from([0.0, 0.0, 0.3])),
        "ranking_noise": draw(SHARES),
    }


@st.composite
def families(draw, languages):
    """A family of tasks, small enough for small types."""
    name = draw(st.sampled_from(FAMILIES))
    joined = name == "joined_lists"
    family = {
        "family": name,
        "count": draw(st.integers(1, 2)),
        "columns": {"low": 1, "high": 4 if joined else 3},
        "conditions": {"low": 1, "high": draw(st.integers(2 if joined else 1, 3))},
        "through": draw(SHARES),
    }
    sizes = {"cells": {"low": 4, "high": 40}} if draw(st.booleans()) else {"rows": {"low": 1, "high": 12}}
    asked_in = {"language": draw(st.sampled_from([*languages, "both"]))} if len(languages) > 1 else {}
    return family | sizes | asked_in


@st.composite
def strategies(draw):
    """What is made of the spec when it is loaded: mostly nothing."""
    every = {
        "long_tail": {"detail": 1.5, "documented": 0.5},
        "grounded": {"units": {"crowns": "euros"}},
        "private": {},
        "time_shifted": {"years": draw(st.sampled_from([3, 28]))},
        "mirror": 2,
    }
    return {key: every[key] for key in every if draw(st.integers(0, 4)) == 0}
