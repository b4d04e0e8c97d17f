"""As English names are made, of old roots and endings; put together anew: `Aldencombe`, `Edwyn Birchhope`."""

from generators.names.cultures.culture import Culture, syllables

_ROOTS = (
    "Alder Amber Apple Ash Badger Barn Barrow Beck Birch Black Bramble Brindle Broad Brook Buck Castle Clay Cold Copper"
    " Crow Dapple Deep Deer Elder Elm Fair Fallow Fen Fern Finch Flint Fox Frost Gold Gorse Grey Hare Hart Hawk Hazel"
    " Heather High Holly Hop Iron Ivy Kettle Kings Lamb Larch Lark Linden Long Maple Marl Marsh Mead Mill Oaken Oat"
    " Otter Pebble Penny Pine Plum Quarry Raven Red Reed Rook Rowan Rush Rye Sedge Sheep Silver Sloe Sparrow Stag Stone"
    " Swallow Swift Thistle Thorn Timber Wether Wheat White Wild Willow Winter Wren Yarrow Yew"
)
_OLD_ROOTS = (
    "Ald Barl Beck Birl Brad Brent Bram Burl Cald Carl Chadd Chelv Cold Corl Crand Dagl Darl Denn Dodd Dunn Eld Elms"
    " Fald Farl Fenn Garl Gild Grend Hald Harl Hask Hedl Hold Horl Kel Kemb Kend Kirb Lamp Lang Leam Lod Marl Meld"
    " Merr Norl Oak Orm Pack Pell Penk Rad Rend Rothl Sald Scarl Sed Selm Shel Skelm Stav Tadd Tarl Thel Thurl Tild"
    " Wadd Wand Wel Whar Wind Wool Worl Wrax Yard Yeld"
)
_FAMILY = (
    "croft shaw ridge brook hurst wright man well worth stone grave wood smith gate hope acre fellow garth thwaite"
)
_PLACE = (
    "ford wick ham ton bury mouth stead combe bridge port cester haven pool cliffe don thorpe minster mere field"
    " market hithe stoke wold hampton staple burn"
)
_REGION = "shire land marches moors dale vale downs fells"

ENGLISH = Culture(
    given=syllables(
        "Ald Alf Ar Aud Bar Ber Bran Cal Cor Dan Dor Ed El Em Ethel Fen Flor Gar God Gwen Har Hen Is Jas Jos Ken Lan"
        " Leo Lin Lor Mar Mel Mil Nor Os Per Phil Quen Ram Ros Row Rup Sel Ser Sid Tab Tam Ther Tris Wil Win Wyn Yar",
        "_ a e i o",
        "ric mund win wyn fred bert wald ley mer lina netta ssa dora beth trice vina thea nelle sby rick nard"
        " bina rosa mina",
    ),
    family=(*syllables(_ROOTS, _FAMILY), *syllables(_OLD_ROOTS, "er ing en es", _FAMILY)),
    place=(*syllables(_ROOTS, _PLACE), *syllables(_OLD_ROOTS, "er ing en es", _PLACE)),
    region=(*syllables(_ROOTS, _REGION), *syllables(_OLD_ROOTS, "er ing en es", _REGION)),
)
