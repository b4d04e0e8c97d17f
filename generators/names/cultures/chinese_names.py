"""As Chinese names are made: common family names, invented given names, and invented places, in characters.

Within a bank no two characters are read alike, so that two names differ in pinyin as they do in characters.
"""

from generators.names.cultures.culture import Culture, characters

_GIVEN = (
    "维明志远建宁文博雅婷思海涛春岚秋霜国栋佳慧子涵晓燕玉树承泽景行立向阳永康航光若桐诗浩然宏达俊杰凯旋鹏飞振华天少可心念慈清和锦云墨辰雪月英桂芳玲娟彩霞莲"
    "素棠仲谋安平季庚守怀恒毅勤友谅正初圣润瑞麟增福绪昌柏松楠蓉瑶蔓茵黛翠碧舜强刚猛磊钊铎烨焕冠群超腾驰翱展朗"
)
_FIRSTS = (
    "鹭槐霜澜沐霁岫岑嵩嶂峦翎栖梧桢榕橡棠榆枫桦杉梓橘檀葵蒲荻苇蓼蕙茗葭虹雪月辰曙昭晏朔望琅琬瑾珑玖珀碧翠黛绛素玄皓苍鹤鸢鹊莺鲤鲸貂狐麋犀墨弦笙鼓钟鼎烛灯帆舟"
    "纱稻麦瓜豆桑麻棉笋藤萝蕉蝶蝉驼彤丹靛赭曲幽渺旷"
)

CHINESE = Culture(
    given=(*characters(_GIVEN), *characters(_GIVEN, _GIVEN)),
    family=characters(
        "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓傅沈彭吕苏卢蒋蔡贾丁魏薛叶阎潘杜戴夏钟田方石姚谭廖邹熊金郝孔白"
        "崔康毛邱秦顾侯邵孟龙万段雷钱尹易常乔赖龚文庞陶洪倪季葛尤毕聂丛焦向邢岳齐梅莫庄辛管左涂舒詹苗凌费童甄裴鲍霍翁甘景司柯桂闵柴滕简娄党冷卓"
    ),
    place=characters(
        _FIRSTS,
        "州川溪河江湖港湾津渡桥岛山岭峰岩谷原野坪塘泉潭石林庄堡关城门台楼寺塔丘坡口头水流渠坝屯营店窑井田礁崖墩沟涧坞汀洼",
    ),
    region=characters(_FIRSTS, "陵疆越邦庭荣辽陇蜀楚湘赣滇黔冀晋豫鄂皖郡浔"),
    language="zh",
    borne=frozenset({"family"}),
    town_kinds=("市", "县", "镇"),
    region_kinds=("省", "州"),
)
