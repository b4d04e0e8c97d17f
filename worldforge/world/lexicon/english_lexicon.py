"""The English that facts hide in: months, numbers in words, negations, bounds, units, and the commonest words.

These are word lists, and judgements: what stands in `NEGATIONS` turns a statement round, what stands in `BOUNDS` makes
a figure mean another, what stands in `COMMON` is no name though it begins a sentence with a capital letter.
"""

from __future__ import annotations

from worldforge.world.value_text import MONTHS


def _words(text: str) -> list[str]:
    return text.split()


MONTH_NUMBERS = {name.lower(): number for number, name in enumerate(MONTHS, 1)} | {
    name[:3].lower(): number for number, name in enumerate(MONTHS, 1)
}
MONTH_NUMBERS["sept"] = 9

_TEENS = _words(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
NUMBER_WORDS: dict[str, str] = (
    {word: str(number) for number, word in enumerate(_words("zero one two three four five six seven eight nine"))}
    | {word: str(10 + place) for place, word in enumerate(_TEENS[:10])}
    | {word: f"{10 + place}." for place, word in enumerate(_TEENS[10:])}
    | {word: str(10 * number) for number, word in enumerate(_TENS, 2)}
    | {f"{word[:-1]}ieth": f"{10 * number}." for number, word in enumerate(_TENS, 2)}
    | {f"{word[:-1]}ies": f"{10 * number}s" for number, word in enumerate(_TENS, 2)}
    | {
        word: f"{number}."
        for number, word in enumerate(_words("second third fourth fifth sixth seventh eighth ninth"), 2)
    }
    | {"hundred": "100", "thousand": "1000", "million": "1000000", "billion": "1000000000", "trillion": "10e12"}
    | {"hundreds": "100s", "thousands": "1000s", "millions": "1000000s", "billions": "1000000000s"}
    | {"hundredth": "100.", "thousandth": "1000.", "dozen": "12", "dozens": "12s", "half": "1/2", "nil": "0"}
    | {"twice": "2 times", "thrice": "3 times", "double": "2 times", "triple": "3 times", "quarter": "1/4"}
    | {"quarters": "1/4s", "halves": "1/2s", "thirds": "1/3s", "fifths": "1/5s", "tenths": "1/10s", "nought": "0"}
    | {"forties": "40s", "couple": "2", "trio": "3", "pair": "2", "quartet": "4", "sole": "1", "single": "1"}
)
"""What a word counts: `7`, the ordinal `7.`, the vague `100s`, shares and times."""

ONE_IS_NO_NUMBER_BEFORE = frozenset(_words("of another who that which should can could may might would has"))
ONE_IS_NO_NUMBER_AFTER = frozenset(_words("no the this that any every each another which some such not"))

NEGATIONS = frozenset(
    _words(
        "not never no none nor neither nobody nothing nowhere without cannot hardly scarcely barely false falsely "
        "untrue wrong wrongly incorrect incorrectly mistaken mistakenly inaccurate denied denies deny disputed "
        "disputes former formerly previously ex except excluding unlike fails failed fail lacks lacked lacking lack "
        "instead opposite contrary allegedly supposedly rumoured rumored fictitious invented imaginary non ain"
    )
)
"""Words that turn a statement round, or put it off. `n't` counts as `not`."""

BOUNDS = frozenset(
    _words(
        "before after until till over under above below about around approximately approx roughly nearly almost circa "
        "between beyond past exceeding exceeds exceeded some by plus minus less more fewer"
    )
)
"""Words that, before a figure, make it mean another than it says."""
COMPARISONS = frozenset(_words("more less fewer greater larger smaller later earlier higher lower rather other"))

_UNITS = {
    "km": "kilometre kilometres kilometer kilometers",
    "m": "metre metres meter meters",
    "cm": "centimetre centimetres centimeter centimeters",
    "mm": "millimetre millimetres millimeter millimeters",
    "mi": "mile miles",
    "ft": "foot feet",
    "inch": "inches",
    "acre": "acres",
    "lb": "pound pounds",
    "oz": "ounce ounces",
    "gallon": "gallons",
    "mph": "",
    "kg": "kilogram kilograms kilo kilos",
    "g": "gram grams",
    "t": "tonne tonnes ton tons",
    "ha": "hectare hectares",
    "l": "litre litres liter liters",
    "km²": "sqkm",
    "m²": "sqm",
    "%": "percent",
    "kn": "knot knots",
}
UNITS: dict[str, str] = {unit: unit for unit in _UNITS} | {
    word: unit for unit, words in _UNITS.items() for word in words.split()
}
"""How units are written, and the one way in which they are compared."""

FUNCTION_WORDS = frozenset(
    _words(
        "a an and are as at be been but by can could did do does for from had has have he her hers him his how i if in "
        "into is it its me my nor of on or our ours out she should so than that the their theirs them then there "
        "these they this those to too up us was we were what when where which while who whom whose why will with would "
        "you your yours am being both each either such until since upon per via also all any every"
    )
)

COMMON = FUNCTION_WORDS | frozenset(
    _words(
        """able about above according accordingly account accounts across act action actual actually add added adding
        additional additionally address admission adult after again against age aged ago agree agreed agrees ahead album
        alike alive allow allows almost alone along alphabetical already alternatively although altogether always amid
        among amongst amount ancient announced announcement annual annually another answer answers anybody anyone
        anything apart apparently appear appearance appearances appeared appears appreciated approach archive archives
        area areas arena around arrive arrived arriving article articles aside ask asked asking asks associated
        association athlete attached attend attendance attention author authorities authority available average award
        awards away back background base based basic basically bear bears became because become becomes before began
        begin beginning begins begun behind believe believed below beneath beside besides best better between beyond big
        birth birthplace boasting boasts book books border born bottom branch brief briefly bring brings broad brought
        build building buildings built business busy called calling calls came capacity capital captain cards care
        career careful carefully carried carries carry case cases catch category celebrated celebrates celebrating
        celebration central centre century certain certainly chair chance change changed changes charter chartered check
        checked cheers chief child children choice chosen chronicle church citizen citizens city claim claimed claims
        class clear clearly climb close closely club clubs coach coast coastal coastline collected collection college
        colour coloured colours come comes coming comment comments commerce common commonly community company compared
        competition compiled complete completed completely concerning confirm confirmed confirming confirms connected
        consider considered contact contain contains content continue continued continues contribute contributions
        corner correct corrections correspondence count counted counting country counts course court covered covering
        covers create created credit credited credits critics crowd culture current currently daily data date dated
        dates dating day days decade decades defender defined deliver delivered describe described describes describing
        description designed despite detail detailed details determine developed development did difference different
        direct directions directory discover discovered discussion distance distinct district division documents done
        door down drawn draws dressed drive due during duty each earlier earliest early easily east eastern easy edge
        edition editor editors education effect effectively elevated elevation else elsewhere employee encyclopedia end
        ended ending ends engaged enjoy enjoyed enjoys enough ensure entered enthusiasts entire entirely entrance
        entries entry equal equally equipped especially established establishment estimated estimates evening event
        events eventually ever everybody everyone everything everywhere exact exactly example excellent exist existed
        existence existing exists expect expected experience explore extend extends extent face faces fact facts fair
        fairly fame familiar families family famous fans far fashion favourite feature featured features featuring feel
        felt few field figure figures file filled final finally find finding fine finished firm first firstly five
        fixture follow followed followers following follows football for force forest form formal formally formed forms
        forth forum forward found foundation founded founding four free freely frequently fresh friend friends front
        full fully further furthermore future gain gained game games gather gathered gathers gave general generally gets
        getting give given gives giving glad go goal goalkeeper goals goes going gone good got great greatest green
        ground grounds group groups grow growing grown guests guide had hailing hails half hall hand hands happen
        happened happy harbour hard hardly head heading heads hear heard heart height held hello help helped hence here
        hereby herself high higher highest highly hills himself historic historical historically history hold holds home
        honest honour hope host hosted hosting hosts hour hours house housed houses however hundreds idea identified
        image immediately importance important impressive include included includes including incoming increase indeed
        independent indicate indicated indicates individual industry inform information inhabitants initial initially
        inland inside inspection instance intended interest interested interesting international internet into
        introduced invited island islands issue issues item items itself join joined joining joint journal just keep
        keeping keeps kept key kind known knows label lake land landscape language large largely larger largest last
        lasting late later latest launch lay lead leader leading leads league learn learned least leave leaves left
        length less let letter letters level levels library lies life light like likely likewise limited line lines
        linked links list listed listing lists literature little live lived lively lives living local locally located
        location locations long longer look looked looking looks lot lots love lovely low lower made magazine main
        mainly maintain maintained maintains major make makes making man manage managed manager many map mark marked
        market marks match matches matter matters mayor mean means meanwhile measure measured measures measuring medium
        meet meeting meets member members memory men mention mentioned mentions merely met middle midfielder might mind
        minor minutes modern modest moment month monthly months more moreover morning most mostly mountain move moved
        much multiple museum music must myself name named namely names nation national native natural naturally nature
        near nearby nearly neat necessary need needed needs neighbour neighbouring neighbours nestled network
        nevertheless new newer newest newly news newspaper newspapers next nice night noon normal normally north
        northern notable notably note noted notes noteworthy notice noticed now nowadays number numbered numbering
        numbers numerous object observer occasion occasionally occasions occupied occupies occur occurs office officers
        offices official officially officials often old older oldest once only onto open opened opening opens operate
        operated operates operating opinion opportunity order ordinary organisation organised organisers origin original
        originally other others otherwise ought outside overall overview own owned owner owners owns page pages paper
        papers part particular particularly partly parts party passed past patience pay people perched perhaps period
        permanent permanently person personal photograph piece place placed places plan planned plans play played player
        players playing plays please pleased point points popular population populations port position positioned
        positions possible possibly post posted poster posts power practice precise precisely presence present presented
        presently presents press pretty previous primarily primary print printed private probably process produce
        produced product professional profile program programme prominent promised proper properly proud proudly proves
        provide provided provides providing province public publication publications published publisher purpose put
        puts quality question questionnaire questions quick quickly quiet quietly quite race raised ran range ranges
        rank ranked ranks rarely rate rated rather reach reached reaches reaching read reader readers reading reads
        ready real really reason reasons receive received receives recent recently recognised record recorded recording
        records refer reference references referred refers regard regarded regarding region regional regions register
        registered registers registry regular regularly related relating relation relatively reliable remain remained
        remaining remains remarkable remarked remember reminder reply report reported reporter reporting reports
        represent represented representing represents reputation research reserved resident residents respected
        respectively rest resting result results return returned reveal revealed reveals review reviewed revised rich
        right rise risen river road role room rough roughly round route rule run running runs said same saw say saying
        says scheme school sea search season seasons seat seated seats seconds secretary section sections see seek seem
        seems seen selected selection send sense sent separate separately serve served serves service services serving
        set sets setting settled settlement settlements several shaped share shared short shortly show showed showing
        shown shows shy side sign significant similar similarly simple simply single site sits sitting situated size
        slightly slow slowly small smaller smallest social society solid somebody somehow someone something sometimes
        somewhat soon sort sought sound source sources south southern spanning special specific specifically spectators
        spoken spot spread spring squad stable stadium staff stage stand standard standing stands start started starting
        starts state stated statement states stating station statistics stay stays steady step steps still stood stop
        stories story straight street strength stretch stretches stretching strong strongly structure study style
        subject subjects subsequent subsequently success successful suggest suggested suggests suitable sum summary
        summer supplied support supported supporter supporters supposed sure surely surface surrounding survey surveys
        table tables take taken takes taking talk talked tall tell telling tells tends term terms text texts thank
        thanks themselves therefore thing things think third thorough though thoughts throughout thus time times title
        titled titles today together told took top total totalling totals touch tournament toward towards tower town
        towns track trade tradition traditional traditionally travel treat treated true truly trust try trying tucked
        turn turned turning turns type types typical typically ultimately under understood unit united university unless
        upper upwards urban use used useful user users uses using usual usually valley value valued values variety
        various vast venue verified version versions very victory view views village violet visit visited visiting
        visitor visitors visits voice volunteers wait waiting walk wall want wanted wants war warm watch water way ways
        weather web website week weekend weekly weeks weight welcome welcomed welcomes well went west western whatever
        whatsoever whenever whereas wherever whether white whole wide widely widespread winner winning winter wish
        within woman women won word words work worked worker workers working works world worth worthwhile write writer
        writers writing written wrote yard year years yellow yes yesterday yet young younger yourself youth zone"""
    )
)
"""Words that begin a sentence without being a name."""
COMMON_ENDINGS = tuple(
    _words(
        "ation ations ition itions ction ctions ssion ssions ments ness ously ically fully edly ingly ively ably ibly"
    )
)
"""Endings that no name has: `Additions`, `Reportedly`."""
