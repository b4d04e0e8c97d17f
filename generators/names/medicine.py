"""Names of drugs, diseases and trials."""

from __future__ import annotations

from generators.names.frames import ByLanguage, Frames, framed, words
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

_STEMS = words(
    "alol azepam azole caine cillin cycline degib dopa fibrate floxacin gliptin grel imab kinra lukast mycin nercept"
    " olimus oxetine parin platin pril profen rafenib rubicin sartan statin stim tegravir terol tidine tinib trexed"
    " triptan umab vastin vir xaban zolid zumab"
)
DRUGS: ByLanguage = {
    "en": Frames(
        ("{head}{body}{stem}",),
        {
            "head": words(
                "Abr Aln Balv Bexv Calt Cefr Danv Drol Eltr Emv Falv Fedr Galm Gilv Halv Hydr Ibr Ilv Jalv Kelm Ketv"
                " Lamv Levr Malv Mestr Nalv Nevr Obl Ostr Palv Pelm Quelv Rilv Rosv Salm Selv Talv Telm Udr Ulv Valm"
                " Vemr Welm Xalv Yelm Zalv Zemr"
            ),
            "body": words("a e i o u aci adi alo ami eco edi elo eni ero ico ido ilo ini iro oce odi olo oni uro"),
            "stem": _STEMS,
        },
        ("{} acetate", "{} citrate", "{} sodium", "{} hydrochloride"),
    ),
    "zh": Frames(
        ("{head}{body}{stem}",),
        {
            "head": words("阿 贝 达 厄 法 格 海 伊 杰 凯 洛 马 尼 奥 帕 瑞 塞 泰 乌 维 沃 西 雅 泽"),
            "body": words("布 德 菲 戈 卡 拉 利 罗 美 莫 诺 皮 瓦 索 托 昔 加 鲁 齐 伐"),
            "stem": words(
                "替尼 单抗 普利 洛尔 沙坦 他汀 列汀 西泮 唑胺 沙班 昔布 拉唑 霉素 西林 曲坦 司琼 格雷 铂 那韦 夫定"
            ),
        },
        ("注射用{}", "盐酸{}", "枸橼酸{}", "{}钠"),
    ),
}
DISEASES: ByLanguage = {
    "en": Frames(
        (
            "{family} syndrome",
            "{family}–{family2} disease",
            "{place} fever",
            "{family} {kind}",
            "{grade} {family} {kind}",
            "{place} virus disease",
        ),
        {
            "kind": words(
                "anaemia, arthritis, ataxia, carditis, colitis, dermatitis, dystrophy, encephalopathy, gastritis,"
                " hepatitis, myopathy, nephritis, neuralgia, neuropathy, palsy, pneumonitis, retinopathy, sarcoma,"
                " tremor, vasculitis"
            ),
            "grade": words("Acute, Chronic, Congenital, Familial, Juvenile, Recurrent"),
        },
        ("{} type 2", "{} type 3", "{} type 4"),
    ),
    "zh": Frames(
        ("{family}{given}综合征", "{place}热", "{place}{grade}{kind}", "{family}{given}氏病"),
        {
            "kind": words(
                "贫血 关节炎 共济失调 心肌炎 结肠炎 皮炎 肌营养不良 脑病 胃炎 肝炎 肌病 肾炎 神经痛 肺炎"
                " 视网膜病 肉瘤 震颤 血管炎"
            ),
            "grade": words("急性 慢性 先天性 家族性 青少年 复发性"),
        },
        ("{}二型", "{}三型", "{}四型"),
    ),
}
_ACRONYMS = {
    "head": words(
        "AD AL AM AR BEL BRA CAL COR DEL DOR EL EN FAL FOR GAL GEN HAL HOR IN KEL LAN LOR MAR MEL NAV NOR"
        " OR PAL PER RAL REN SAL SOL TAL TEL UL VAL VER WEL ZEN"
    ),
    "middle": words("A E I O U AN EN IN ON AR ER OR AL EL OL"),
    "tail": words(
        "BRA CET DEX DIS GEN LUM MAX MEX NIS NOVA PACT QUEST RA REX RIS SAR SENT TAL TOR TUS VEX VIA VIS XA ZON"
    ),
    "number": tuple(str(number) for number in range(1, 31)),
}
TRIALS: ByLanguage = {
    "en": Frames(("{head}{middle}{tail}-{number}",), _ACRONYMS, ("{}-EXT", "{}-OLE", "{}-KIDS")),
    "zh": Frames(("{head}{middle}{tail}-{number}研究",), _ACRONYMS, ("{}（延伸）", "{}（开放）", "{}（儿童）")),
}


def drug(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name drugs as substances are named, by a stem of their class: `Velmerotinib`, 泽罗替尼.

    Some 40,000 (9,000 in Chinese), then salts of them; no two the same.
    """
    return framed(stream, rows, culture, DRUGS)


def disease(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name diseases: `Barabesko syndrome`, `Velomar fever`, 鹭湾热. Tens of thousands, then types of them."""
    return framed(stream, rows, culture, DISEASES)


def trial(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name clinical trials by an acronym and a number: `VALENTOR-3`, VALENTOR-3研究. Hundreds of thousands."""
    return framed(stream, rows, culture, TRIALS)
