"""Soft and open, after the sea: vowels carry it, consonants glide."""

from generators.names.cultures.culture import Culture, syllables

SARNESE = Culture(
    given=syllables(
        "Alv Ben Cal Dav Elm Fen Gal Ilv Jor Kel Lor Mav Nal Orl Pel Quin Ros Sel Tam Ulm Val Wen Yel Zan"
        " Bris Clav Dren Flor Glin Pran Stel Trev Miv Liv Sav Tilv",
        "a e i o u ia",
        "no ra lis ven mo ssa rin del nia ro vio lle",
    ),
    family=syllables(
        "Ald Bar Car Dar Elt Far Gar Hal Irv Jas Kar Lar Mar Nar Ost Par Quar Rav Sar Tar Urs Var Wal Yar"
        " Zar Brav Crav Drav Frav Grav Prav Strav Trav Bel Cor Dun Fel Gor Lum Mor Pol Ruv Sol Tor Vul",
        "a e i o u an en in on ar er al el as is",
        "besko belis dasto dovar gessi gorin kassel kello kerro messo mirro nandi nessi passo pindo pello"
        " sanno selmi soro tarro tellin tindo vesso vindo voro sardi nolo dillo gasco kindo",
    ),
    place=syllables(
        "Alb Arn Bal Bor Cal Cas Cor Dal Dor Elb Est Fal Fer Gal Gor Isc Ist Lam Lor Lun Mal Mel Mor Nar Nev"
        " Olm Orv Pal Per Quel Rav Ros Sal San Sel Sor Tal Ter Tor Ulv Val Vel Ven Vor Zel Brev Crem Dren"
        " Flor Grav Prav Serr Sten Trev Vist Lind Mond Pont Carv Tarn Urm Jal Sarv Ilm",
        "a e i o u an en in on ar er or al el ol as es is ane ari ela eni ila ino ola ora ore una",
        "mar mira meda mona mesca mure vento vara vella vanna vere viso borgo bria bosca basca belle bona"
        " dova dorna drea dara dessa duno tara tella tierra tonda turra tesca cora cello cala canto corva"
        " cenna gonda gante greve gara gorla nova none nesta nara nurra nelle pesca piora pella posa pinta"
        " fena fiora farra folta fiume",
    ),
    region=syllables(
        "Alv Bren Cald Drav Elv Falm Garn Hest Irm Jass Kest Lav Mont Norv Oss Parv Quor Ruv Sarv Telm Urv"
        " Vald Wess Yor Zerm Orl Tarv Selv Corm Brav",
        "a e i o u ane ene ino oro ula",
        "via ntia scia lonia rania donia tania gonia venna lessia",
    ),
)
