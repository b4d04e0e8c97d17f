"""Hard and short, after the hills: consonants carry it, vowels step aside."""

from generators.names.cultures.culture import Culture, syllables

KELDRIC = Culture(
    given=syllables(
        "Ask Bj Br Dag Drost Eld Fj Frod Gr Gunn Hald Hj Hr Ingv Jark Kjart Knot Leik Mj Nj Od Rag Rund Skj"
        " Sn Stig Sv Thr Torv Ulf Vebj Vig Yrs Arnk Brynj Hallk",
        "a e o u ei y",
        "ld rn rik mund dis rid vald gar lf sk steinn nnar",
    ),
    family=syllables(
        "Ash Bek Bjork Brand Dahl Drak Egg Falk Fjel Gard Grim Hag Hav Holm Isk Jern Kamp Kjel Kron Lang Lind"
        " Lok Malm Mork Nord Oks Palm Rav Rosk Sand Skar Skog Sten Storm Strand Sund Svan Tang Tor Ulv Vang"
        " Vest Vik Ving Yst",
        "a e i o en er el ar ing un",
        "by brekk dottr fald gaard grund hjelm kvist leif nass ryd skald sohn svend torp tveit vald vard"
        " vold mund rik bro dahl kjeld lok grim hovd",
    ),
    place=syllables(
        "Ask Bar Berg Bjorn Brek Brun Dal Dov Drang Eik Elv Fald Fjor Frost Gam Geir Grind Gron Gul Hals Ham"
        " Hest Hol Hov Hval Is Jot Kal Kjos Klov Kol Krag Kvam Lang Leir Lom Lys Mald Mo Mys Ner Nord Od Orm"
        " Os Rak Ran Rod Rosk Sel Ski Skjel Skor Stav Sten Stor Strom Sul Tar Torv Trol Ulv Vag Vind Vol"
        " Fyl Ryg Sjal Tveg Bol",
        "a e i o u y en er el es ar or ing ang ung as os ande arve aste elde erke inge onde orve ulde yrke",
        "berg botn bru bygd dal drag eid fall fell fjord foss gard garth grend hamn haug heim holm holt hov"
        " kirk klev koll lia lund mark moen myr nes odd ring rud sand seter sjo skard skog sletta stad stein"
        " strand sund tind tjern torg tun vag vang vatn vik voll hella rike kleiv vassa",
    ),
    region=syllables(
        "Agd Bald Drang Eld Fjar Grond Halv Hord Isk Jamt Kjal Lod Mjor Narn Olm Rag Skand Sog Stor Tel Trond"
        " Ulm Vald Varm Vest Yng Brask Gaul Hjalt Kvarn",
        "a e i o u en er ar or un in",
        "fylke land lan riket sysla thing herad skaga bygden",
    ),
)
