"""Round and drumming, after the great rivers: every syllable is open, and `mb`, `nd` and `w` carry it."""

from generators.names.cultures.culture import Culture, syllables

OMBARI = Culture(
    given=syllables(
        "Abw Ad Bek Chi Dem Efu Fum Gwe Imb Jab Kab Kwel Lem Luw Mbek Mot Ndel Nkos Odw Pemb Rud Sek Tamb Tumb"
        " Uk Vund Wek Yemb Zimb Bwal Dzik Gond Hlab Mwez Nyand Thab",
        "a e i o u",
        "bile chiro dende fiso gura jomo kesi lomba mbiro ndami nesha rembo sika tumbo wande yozi",
    ),
    family=syllables(
        "Akw Bamb Bong Chak Dond Emb Fumb Gand Hemb Imw Jumb Kamw Kond Lemb Lugw Mand Mbal Mkw Ndab Ngol Nyamb"
        " Odhi Pand Rumb Sand Shomb Tend Tshik Umb Vamb Wamb Yond Zand Zuk Kwand Mwamb Gumb Dlam Sond Bwand",
        "a e i o u aka eli iba ola uma",
        "biru chende dingo fande goro kumbe lwazi mbeki ndele ngira nyoni rwango sembe shanda temba tulo"
        " zimbo zonde bwana kwelo mwiza",
    ),
    place=syllables(
        "Amb Banz Bemb Bul Chimb Dab Dond Ek Fumb Gand Gomb Gwand Hamb Ib Imb Jand Kamb Kas Kib Kil Kimb Kond Kwal Lamb"
        " Lib Lomb Lund Mab Mak Malw Mamb Mand Mbal Mbul Monz Mumb Mwand Nand Ndol Ngand Nkand Nyamb Nyum Omb Ond"
        " Pamb Rand Ruw Sak Semb Sumb Tand Tumb Ub Umb Vumb Wamb Wand Yamb Yumb Zamb Zond",
        "a e i o u ala ama anga ela ema enge ika ila imbo ola ombe onga uba uku ula umba unda",
        "bara bezi bonde busi chanza dembe dola fwani gongo goma jiro kala kanda koro kumbi langa lezi"
        " limbo lundu manda"
        " mbara mbezi mboko ndaro ndiro ngari ngoro nyika pembe ramba randu ruwa samba singe songa tamba tebe"
        " tongo vuma wanga wezi yombo zanga zembe zoro",
    ),
    region=syllables(
        "Bul Dzamb Gwel Imb Kamw Kilw Lund Lwap Mand Mbog Mwen Ndong Ngoy Nyas Omb Rund Swal Tamb Tond Uband Umb Vund"
        " Wemb Yomb Zand Zemb",
        "a e i o u ala eba imba ongo unda",
        "landa ndara ngweni sanga topi tweni vari wazi zengo zwani mbasi",
    ),
)
