"""Right answers however they are decorated score 1 under the strict scorer; wrong ones gain nothing by decoration."""

import datetime

import pytest
from scoring_examples import DATE, EXACT_NUMBER, TEXT, fenced, gold_table

from worldforge.scoring.strict_scorer import score_strict

CLUBS = gold_table(
    {"Football club": TEXT, "Founding year": EXACT_NUMBER, "Stadium capacity": EXACT_NUMBER, "Opened": DATE},
    [("Velmar Rovers", "1896", "12400", "2024-06-18"), ("Torvik City", "1911", "900", "1987-11-07")],
)
TOWNS = gold_table(
    {"Town": TEXT, "Region": TEXT, "Population": EXACT_NUMBER},
    [("St John's", "Ostmark", "1200000"), ("Sund", "Ösel", "31000")],
)
WAGES = gold_table(
    {"Coach": TEXT, "First day": DATE, "Yearly wage (thousand crowns)": EXACT_NUMBER, "Retired": TEXT},
    [("Ana Dahl", "2029-06-16", "105", "yes"), ("Bo O'Hara", "2027-07-24", "70.5", "no")],
)
TURNOUT = gold_table(
    {"选区": TEXT, "投票日": DATE, "投票率（%）": EXACT_NUMBER, "总投票数": EXACT_NUMBER},
    [("青川", "2019-08-12", "41.5", "46941"), ("白石", "2028-12-16", "59", "50609")],
)
BOOKS = gold_table(
    {"Book": TEXT, "Pages": EXACT_NUMBER}, [("The Blue Door", "348"), ("Model 3", "1000"), ("A.D.", "12")]
)
TASKS = [CLUBS, TOWNS, WAGES, TURNOUT, BOOKS]


def kind(rule):
    return {"extract_number": "number", "norm_date": "date"}.get(rule.preprocess[0], "text")


def decorated(gold, **by_kind):
    """Write gold with every cell of a kind through a form: a template, or a function."""
    forms = {name: form if callable(form) else form.format for name, form in by_kind.items()}
    rows = [[forms.get(kind(rule), str)(cell) for rule, cell in zip(gold.rules, row, strict=True)] for row in gold.rows]
    return fenced(gold.columns, rows)


def grouped(sign):
    return lambda cell: f"{float(cell):,}".removesuffix(".0").replace(",", sign)


def wide(cell):
    return "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in cell)


def day(pattern):
    return lambda cell: (lambda d: d.strftime(pattern).format(d=d))(datetime.date.fromisoformat(cell))


EVERY = [
    "**{}**",
    "*{}*",
    "__{}__",
    "_{}_",
    "`{}`",
    "***{}***",
    "=={}==",
    " {} ",
    "\u00a0{}\u00a0",
    "&nbsp;{}&nbsp;",
    "\u200b{}",
    "{}\ufeff",
    "\u2060{}\u200d",
    "{}[1]",
    "{} [2]",
    "{}[1][2]",
    "{}[^3]",
    "{}[a]",
    "{}[note 1]",
    "{}[citation needed]",
    "{}[1, 2]",
    "{}<sup>1</sup>",
    "{}<sup>[1]</sup>",
    "{}<sup>a</sup>",
    "{}¹",
    "{} ²",
    "{}†",
    "{}*",
    "{}【3†source】",
    "{}[[1]](https://a.sarn/x)",
    "{} [1](https://a.sarn/x_(y))",
    "{} ([source](https://a.sarn/x))",
    "{} (source: Sarnipedia)",
    "{} https://a.sarn/x",
    "[{}](https://a.sarn/x)",
    "[{}](https://a.sarn/x_(town))",
    "[{}](https://a.sarn/x_(a)_(b))",
    '[{}](https://a.sarn/x "title")',
    "[{}](<https://a.sarn/a b>)",
    "[**{}**](https://a.sarn/x)",
    "![logo](l.png) {}",
    "<b>{}</b>",
    "<i>{}</i>",
    "<br>{}",
    '<a href="https://a.sarn/x">{}</a>',
    '<span style="color: red">{}</span>',
    "<td>{}</td>",
    "{}<br/>",
    "{}<!-- sure -->",
    "{}<ref>Sarnipedia</ref>",
    '"{}"',
    "“{}”",
    "'{}'",
    "‘{}’",
    "«{}»",
    "「{}」",
    "• {}",
    "- {}",
    "{}.",
    "{};",
    "{}。",
    "✅ {}",
    "{} ⚽",
    "~~none~~ {}",
]
OF_KIND = [
    {"text": str.upper},
    {"text": str.lower},
    {"text": wide},
    {"text": "1. {}"},
    {"text": "{} (1)"},
    {"text": "1\ufe0f\u20e3 {}"},
    {"number": grouped(",")},
    {"number": grouped("，")},
    {"number": grouped("\u2009")},
    {"number": grouped("\u202f")},
    {"number": grouped(" ")},
    {"number": grouped("'")},
    {"number": grouped("’")},
    {"number": wide},
    {"number": "about {}"},
    {"number": "≈{}"},
    {"number": "~{}"},
    {"number": "c. {}"},
    {"number": "ca. {}"},
    {"number": "{} (2030)"},
    {"number": "{} crowns"},
    {"number": "${}"},
    {"number": "€ {}"},
    {"number": "约{}"},
    {"number": "共{}人"},
    {"number": "+{}"},
    {"number": "{}e0"},
    {"date": day("%d %B %Y")},
    {"date": day("%B %d, %Y")},
    {"date": day("%d %b %Y")},
    {"date": day("%d-%b-%Y")},
    {"date": lambda cell: day("%d %B %Y")(cell).upper()},
    {"date": day("%A, %d %B %Y")},
    {"date": day("%Y/%m/%d")},
    {"date": day("%Y.%m.%d")},
    {"date": day("%m/%d/%Y")},
    {"date": day("%d/%m/%Y")},
    {"date": day("%d.%m.%Y")},
    {"date": lambda cell: cell.replace("-", "–")},
    {"date": lambda cell: cell.replace("-", "‑")},
    {"date": wide},
    {"date": day("%Y%m%d")},
    {"date": day("%Y年%m月%d日")},
    {"date": day("%Y 年 %m 月 %d 日")},
    {"date": day("%Y年{d.month}月{d.day}日（星期二）")},
    {"date": day("%dth of %B %Y")},
    {"date": "{}T00:00:00Z"},
    {"date": "({})"},
]


@pytest.mark.parametrize("form", EVERY)
def test_a_form_of_every_cell(form):
    for gold in TASKS:
        score = score_strict(decorated(gold, text=form, number=form, date=form), gold)
        assert score.success, (gold.columns, score)


@pytest.mark.parametrize("form", OF_KIND, ids=range(len(OF_KIND)))
def test_a_form_of_cells_of_a_kind(form):
    for gold in TASKS:
        score = score_strict(decorated(gold, **form), gold)
        assert score.success, (gold.columns, decorated(gold, **form), score)


LABELS = [
    "**{}**",
    "{}:",
    "{}：",
    "_{}_",
    "`{}`",
    "{}[1]",
    "{}\u200b",
    "<b>{}</b>",
    '"{}"',
    "[{}](https://a.sarn)",
    "{}.",
    "{} ⚽",
    "{}*",
    str.upper,
    lambda label: label.replace(" ", "_"),
    lambda label: label.replace(" ", "-"),
    lambda label: label.partition("（")[0].partition(" (")[0],
]


@pytest.mark.parametrize("form", LABELS, ids=range(len(LABELS)))
def test_a_form_of_the_header(form):
    for gold in TASKS:
        write = form if callable(form) else form.format
        assert score_strict(fenced([write(label) for label in gold.columns], gold.rows), gold).success


@pytest.mark.parametrize("form", ["Name", "Names", "**Name**", "名称", "{}s", "{} name", "Name of {}", "{}:"])
def test_a_header_that_is_plainly_the_keys(form):
    for gold in TASKS:
        if gold.columns[0].isascii() or form != "{}s":
            key = form.format(gold.columns[0])
            assert score_strict(fenced([key, *gold.columns[1:]], gold.rows), gold).success
    assert score_strict(fenced(["Founder", *CLUBS.columns[1:]], CLUBS.rows), CLUBS).item_f1 == 0


def test_labels_that_could_be_two_columns_are_none():
    gold = gold_table({"Town": TEXT, "Area (km²)": EXACT_NUMBER, "Area (ha)": EXACT_NUMBER}, [("Sund", "1", "100")])
    assert score_strict(fenced(["Town", "Area", "Area (ha)"], gold.rows), gold).success
    assert score_strict(fenced(["Town", "Area", "Area (acres)"], gold.rows), gold).item_recall == 1 / 3
    assert (
        score_strict(fenced(["Name", "Names", "Area (km²)", "Area (ha)"], [["Sund", *gold.rows[0]]]), gold).item_f1 == 0
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(" |\n", " | |\n"),
        lambda text: text.replace(" |\n", " | |\n", 1).replace("|\n| ---", "|\n| --- | ---", 1),
        lambda text: text.replace("\n| ", "\n| | "),
        lambda text: "\n".join(f"> {line}" for line in text.split("\n")[1:-1]),
        lambda text: text.replace("---", ":===:"),
        lambda text: text.replace("---", "—"),
        lambda text: text.replace("```markdown", "~~~"),
    ],
)
def test_a_form_of_the_table(change):
    for gold in TASKS:
        assert score_strict(change(fenced(gold.columns, gold.rows)), gold).success, change(
            fenced(gold.columns, gold.rows)
        )


@pytest.mark.parametrize(
    ("label", "pipeline", "gold_cell", "said"),
    [
        ("Seats", EXACT_NUMBER, "12400", "12.4k"),
        ("Seats", EXACT_NUMBER, "12400", "12.4 K"),
        ("Seats", EXACT_NUMBER, "1200000", "1.2M"),
        ("Seats", EXACT_NUMBER, "1200000", "$1.2M [1]"),
        ("Seats", EXACT_NUMBER, "12400", "1.24万"),
        ("Seats", EXACT_NUMBER, "12400", "1.24×10⁴"),
        ("Seats", EXACT_NUMBER, "3000000000000", "3万亿"),
        ("Seats", EXACT_NUMBER, "-5", "–5"),
        ("Seats", EXACT_NUMBER, "0.5", ".5"),
        ("Height (m)", EXACT_NUMBER, "384", "384 m above sea level"),
        ("Day", DATE, "2024-06-18", "18. June 2024"),
        ("Day", DATE, "2024-06-18", "June 18, 2024 (1)"),
        ("Club", TEXT, "Velmar Rovers", "(Velmar Rovers)"),
        ("Seats", EXACT_NUMBER, "-5", "-$5"),
        ("Wage (million crowns)", EXACT_NUMBER, "21.4", "21.4 million"),
        ("Wage (million crowns)", EXACT_NUMBER, "21.4", "21.4M crowns"),
        ("工资（百万克朗）", EXACT_NUMBER, "21.4", "2140万克朗"),
        ("Height (m)", EXACT_NUMBER, "12.4", "12.4 m"),
        ("重量（千克）", EXACT_NUMBER, "12.4", "12.4千克"),
        ("Elected", TEXT, "yes", "✓"),
        ("当选", TEXT, "否", "✗"),
    ],
)
def test_a_cell_that_says_the_same(label, pipeline, gold_cell, said):
    gold = gold_table({"Town": TEXT, label: pipeline}, [("Sund", gold_cell)])
    assert score_strict(fenced(gold.columns, [["Sund", said]]), gold).success


@pytest.mark.parametrize(
    ("pipeline", "gold_cell", "said"),
    [
        *(
            (EXACT_NUMBER, "1896", said)
            for said in (
                "1896%",
                "1896‰",
                "1896k",
                "1,896M",
                ">1896",
                "<1896",
                "≥ 1896",
                "not 1896",
                "over 1896",
                "at least 1896",
                "1896+",
                "1896 or more",
                "1896多",
                "超过1896",
                "1896[1] or 1897",
                "~~1896~~",
                "~~1896~~ 1897",
                "18961",
                "189[6](u)",
                "189<sup>6</sup>",
                "189⁶",
                "189₆",
                "1896/97",
                "1896–1897",
                "1896 million",
                "1896万",
                "-1896",
                "–1896",
                "-$1896",
                "1896½",
                "[1] 1897",
                "189 6",
                "1.896",
                "three",
                "",
            )
        ),
        *((EXACT_NUMBER, "10", said) for said in ("10⁶", "10^6", "10<sup>6</sup>", "10 dozen", "10 hundred", "10k")),
        (EXACT_NUMBER, "23", "2^3"),
        (EXACT_NUMBER, "23", "2³"),
        (EXACT_NUMBER, "30000", "3万亿"),
        (EXACT_NUMBER, "12", "12½"),
        *(
            (DATE, "2024-06-18", said)
            for said in (
                "2024–06–19",
                "18 June 2025",
                "June 2024",
                "06/18/24",
                "18/06",
                "~~2024-06-18~~",
                "2024-06-18 or 2024-06-19",
                "20240619",
                "2024年6月",
                "18–20 June 2024",
                "18 June 2024 BC",
                "after 18 June 2024",
                "2024-06-18[1]–20",
            )
        ),
        *(
            (TEXT, "Velmar Rovers", said)
            for said in (
                "Velmar",
                "Velmar Rovers II",
                "Velmar Rovers, Torvik City",
                "Velmar Rovers or Torvik City",
                "Velmar_Rovers",
                "not Velmar Rovers",
                "~~Velmar Rovers~~",
                "Vélmar Rovers",
                "Velmar Rovers (women)",
                "Velmar Rovers [B]x",
                "[Torvik City](https://a.sarn/Velmar_Rovers)",
                "Rovers",
                "",
                "[1]",
                "Velmar Rover",
            )
        ),
        (EXACT_NUMBER, "5", ".5"),
        (EXACT_NUMBER, "5", "√5"),
        (EXACT_NUMBER, "1896", "1896?"),
        (EXACT_NUMBER, "1896", "1896 (or 1897)"),
        (EXACT_NUMBER, "1896", "1896 BC"),
        (TEXT, "Room 12", "Room 1²"),
        (TEXT, "C", "C#"),
        (TEXT, "Model [3]", "Model"),
        (TEXT, "Model [3]", "Model [4]"),
        (TEXT, "A.D.", "A"),
        (TEXT, "H₂O", "H³O"),
        (TEXT, "yes", "✗"),
    ],
)
def test_a_wrong_cell_stays_wrong(pipeline, gold_cell, said):
    gold = gold_table({"Town": TEXT, "Value": pipeline}, [("Sund", gold_cell)])
    assert score_strict(fenced(gold.columns, [["Sund", said]]), gold).item_f1 == 1 / 2


def test_day_and_month_are_read_as_the_column_shows():
    gold = gold_table({"Town": TEXT, "Day": DATE}, [("A", "2024-06-07"), ("B", "2024-06-25")])

    def recall(*days):
        return score_strict(fenced(gold.columns, [*zip("AB", days, strict=True)]), gold).item_recall

    assert recall("06/07/2024", "06/25/2024") == 1
    assert recall("07/06/2024", "25/06/2024") == 1
    assert recall("07/06/2024", "06/25/2024") == 3 / 4  # months come first: it is the sixth of July
    assert recall("06/07/2024", "2024-06-25") == 3 / 4  # nothing shows


def test_a_number_behind_a_namesake_is_not_passed_over():
    gold = gold_table(
        {"Town": TEXT, "Year": EXACT_NUMBER}, [("Velmar", "1896")], aliases={"Town": {"Velmar (1)": "Velmar"}}
    )
    assert score_strict(fenced(gold.columns, [["Velmar (1)", "1896"]]), gold).success
    assert score_strict(fenced(gold.columns, [["Velmar (2)", "1896"]]), gold).item_f1 == 0
