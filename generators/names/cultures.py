"""How two invented cultures sound: tables of syllables for what they call people and places.

A word is a beginning, a middle and an end, put together: `Vel` + `o` + `mar`. Each sort of word has ends of
its own, so that a surname is not taken for a town.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from worldforge.core.errors import InputError

Sort = Literal["given", "family", "place", "region"]


@dataclass(frozen=True, slots=True)
class Syllables:
    """The parts of a word: every beginning goes with every middle and every end."""

    beginnings: tuple[str, ...]
    middles: tuple[str, ...]
    ends: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Culture:
    """The words of a culture, by sort."""

    given: Syllables
    family: Syllables
    place: Syllables
    region: Syllables


def _syllables(beginnings: str, middles: str, ends: str) -> Syllables:
    return Syllables(tuple(beginnings.split()), tuple(middles.split()), tuple(ends.split()))


# Soft and open, after the sea: vowels carry it, consonants glide.
SARNESE = Culture(
    given=_syllables(
        "Alv Ben Cal Dav Elm Fen Gal Ilv Jor Kel Lor Mav Nal Orl Pel Quin Ros Sel Tam Ulm Val Wen Yel Zan"
        " Bris Clav Dren Flor Glin Pran Stel Trev Miv Liv Sav Tilv",
        "a e i o u ia",
        "no ra lis ven mo ssa rin del nia ro vio lle",
    ),
    family=_syllables(
        "Ald Bar Car Dar Elt Far Gar Hal Irv Jas Kar Lar Mar Nar Ost Par Quar Rav Sar Tar Urs Var Wal Yar"
        " Zar Brav Crav Drav Frav Grav Prav Strav Trav Bel Cor Dun Fel Gor Lum Mor Pol Ruv Sol Tor Vul",
        "a e i o u an en in on ar er al el as is",
        "besko belis dasto dovar gessi gorin kassel kello kerro messo mirro nandi nessi passo pindo pello"
        " sanno selmi soro tarro tellin tindo vesso vindo voro sardi nolo dillo gasco kindo",
    ),
    place=_syllables(
        "Alb Arn Bal Bor Cal Cas Cor Dal Dor Elb Est Fal Fer Gal Gor Isc Ist Lam Lor Lun Mal Mel Mor Nar Nev"
        " Olm Orv Pal Per Quel Rav Ros Sal San Sel Sor Tal Ter Tor Ulv Val Vel Ven Vor Zel Brev Crem Dren"
        " Flor Grav Prav Serr Sten Trev Vist Lind Mond Pont Carv Tarn Urm Jal Sarv Ilm",
        "a e i o u an en in on ar er or al el ol as es is ane ari ela eni ila ino ola ora ore una",
        "mar mira meda mona mesca mure vento vara vella vanna vere viso borgo bria bosca basca belle bona"
        " dova dorna drea dara dessa duno tara tella tierra tonda turra tesca cora cello cala canto corva"
        " cenna gonda gante greve gara gorla nova none nesta nara nurra nelle pesca piora pella posa pinta"
        " fena fiora farra folta fiume",
    ),
    region=_syllables(
        "Alv Bren Cald Drav Elv Falm Garn Hest Irm Jass Kest Lav Mont Norv Oss Parv Quor Ruv Sarv Telm Urv"
        " Vald Wess Yor Zerm Orl Tarv Selv Corm Brav",
        "a e i o u ane ene ino oro ula",
        "via ntia scia lonia rania donia tania gonia venna lessia",
    ),
)

# Hard and short, after the hills: consonants carry it, vowels step aside.
KELDRIC = Culture(
    given=_syllables(
        "Ask Bj Br Dag Drost Eld Fj Frod Gr Gunn Hald Hj Hr Ingv Jark Kjart Knot Leik Mj Nj Od Rag Rund Skj"
        " Sn Stig Sv Thr Torv Ulf Vebj Vig Yrs Arnk Brynj Hallk",
        "a e o u ei y",
        "ld rn rik mund dis rid vald gar lf sk steinn nnar",
    ),
    family=_syllables(
        "Ash Bek Bjork Brand Dahl Drak Egg Falk Fjel Gard Grim Hag Hav Holm Isk Jern Kamp Kjel Kron Lang Lind"
        " Lok Malm Mork Nord Oks Palm Rav Rosk Sand Skar Skog Sten Storm Strand Sund Svan Tang Tor Ulv Vang"
        " Vest Vik Ving Yst",
        "a e i o en er el ar ing un",
        "by brekk dottr fald gaard grund hjelm kvist leif nass ryd skald sohn svend torp tveit vald vard"
        " vold mund rik bro dahl kjeld lok grim hovd",
    ),
    place=_syllables(
        "Ask Bar Berg Bjorn Brek Brun Dal Dov Drang Eik Elv Fald Fjor Frost Gam Geir Grind Gron Gul Hals Ham"
        " Hest Hol Hov Hval Is Jot Kal Kjos Klov Kol Krag Kvam Lang Leir Lom Lys Mald Mo Mys Ner Nord Od Orm"
        " Os Rak Ran Rod Rosk Sel Ski Skjel Skor Stav Sten Stor Strom Sul Tar Torv Trol Ulv Vag Vind Vol"
        " Fyl Ryg Sjal Tveg Bol",
        "a e i o u y en er el es ar or ing ang ung as os ande arve aste elde erke inge onde orve ulde yrke",
        "berg botn bru bygd dal drag eid fall fell fjord foss gard garth grend hamn haug heim holm holt hov"
        " kirk klev koll lia lund mark moen myr nes odd ring rud sand seter sjo skard skog sletta stad stein"
        " strand sund tind tjern torg tun vag vang vatn vik voll hella rike kleiv vassa",
    ),
    region=_syllables(
        "Agd Bald Drang Eld Fjar Grond Halv Hord Isk Jamt Kjal Lod Mjor Narn Olm Rag Skand Sog Stor Tel Trond"
        " Ulm Vald Varm Vest Yng Brask Gaul Hjalt Kvarn",
        "a e i o u en er ar or un in",
        "fylke land lan riket sysla thing herad skaga bygden",
    ),
)

CULTURES = {"sarnese": SARNESE, "keldric": KELDRIC}
SORTS: tuple[Sort, ...] = get_args(Sort)


def syllables_of(culture: str, sort: Sort) -> Syllables:
    """Return the syllables of a sort of word. Raises InputError for a culture that is not shipped."""
    if culture not in CULTURES:
        raise InputError(f"unknown culture `{culture}`", f"choose among {', '.join(sorted(CULTURES))}")
    chosen: Syllables = getattr(CULTURES[culture], sort)
    return chosen
