"""Names of journals and conferences, and titles of papers, by field; no topic serves two fields."""

from __future__ import annotations

import pyarrow as pa

from generators.names.frames import ByLanguage, Frames, Kind, Kinds, framed_by, words
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts


def _field(topics: str, methods: str, settings: str, topics_zh: str, methods_zh: str, settings_zh: str) -> Kind:
    return {
        "en": {"topic": words(topics), "method": words(methods), "setting": words(settings)},
        "zh": {"topic": words(topics_zh), "method": words(methods_zh), "setting": words(settings_zh)},
    }


FIELDS: Kinds = {
    "biology": _field(
        "Alpine Mosses, Cave Beetles, Coastal Lichens, Freshwater Snails, Gut Flora, Migratory Waders, Orchid"
        " Pollination, Peat Fungi, River Eels, Root Symbiosis, Seagrass Meadows, Seed Dormancy, Slime Moulds, Songbird"
        " Dialects, Tidal Diatoms, Wild Bees",
        "Genome Sequencing, Isotope Tracing, Long-Term Trapping, Mark and Recapture, Metabarcoding, Microscopy,"
        " Phylogenetic Dating, Transplant Experiments",
        "after Drought, along a Salinity Gradient, at High Altitude, in Urban Parks, over Forty Years, under Shade,"
        " under Warming, with Invasive Competitors",
        "高山苔藓, 洞穴甲虫, 海岸地衣, 淡水螺类, 肠道菌群, 迁徙涉禽, 兰花传粉, 泥炭真菌, 河鳗, 根系共生,"
        " 海草床, 种子休眠, 鸣禽方言, 潮间硅藻, 野生蜂类",
        "基因组测序, 同位素示踪, 长期诱捕, 标记重捕, 宏条形码, 显微观察, 系统发育定年, 移栽实验",
        "干旱之后, 盐度梯度上, 高海拔下, 城市公园中, 四十年间, 遮荫条件下, 增温条件下, 入侵竞争下",
    ),
    "computing": _field(
        "Byzantine Consensus, Cache Eviction, Code Completion, Columnar Storage, Compiler Fuzzing, Delta Encoding,"
        " Entity Linking, Garbage Collection, Graph Partitioning, Join Ordering, Log Compaction, Query Rewriting,"
        " Retrieval Ranking, Schema Matching, Stream Joins, Type Inference",
        "Abstract Interpretation, Bandit Search, Constraint Solving, Contrastive Training, Dynamic Programming,"
        " Learned Sketches, Lock-Free Queues, Speculative Execution",
        "at Planetary Scale, in Constant Memory, on Commodity Hardware, over Noisy Inputs, under Adversarial Load,"
        " with Bounded Staleness, with Few Labels, without Coordination",
        "拜占庭共识, 缓存淘汰, 代码补全, 列式存储, 编译器模糊测试, 增量编码, 实体链接, 垃圾回收, 图划分,"
        " 连接排序, 日志压缩, 查询改写, 检索排序, 模式匹配, 类型推断",
        "抽象解释, 老虎机搜索, 约束求解, 对比训练, 动态规划, 学习型摘要, 无锁队列, 推测执行",
        "超大规模下, 常数内存中, 普通硬件上, 噪声输入下, 对抗负载下, 有界滞后下, 少量标注下, 无协调条件下",
    ),
    "economics": _field(
        "Auction Cartels, Bank Runs, Commuting Costs, Dowry Markets, Export Quotas, Family Firms, Fishing Rights,"
        " Housing Vacancies, Inheritance Taxes, Land Titles, Minimum Wages, Pension Choice, Price Stickiness,"
        " School Vouchers, Trade Credit, Water Tariffs",
        "Difference-in-Differences Estimates, Field Auctions, Instrumental Variables, Matched Ledgers, Natural"
        " Experiments, Panel Surveys, Structural Estimation, Synthetic Controls",
        "after Devaluation, among Smallholders, at the Border, during Deflation, in Port Cities, in Rural Credit"
        " Unions, under Rationing, with Incomplete Contracts",
        "拍卖串谋, 银行挤兑, 通勤成本, 嫁妆市场, 出口配额, 家族企业, 捕捞权, 住房空置, 遗产税, 土地确权,"
        " 最低工资, 养老选择, 价格粘性, 商业信用, 水价",
        "双重差分估计, 田野拍卖, 工具变量, 账簿匹配, 自然实验, 面板调查, 结构估计, 合成控制",
        "贬值之后, 小农户中, 边境地区, 通缩时期, 港口城市中, 农村信用社中, 配给制下, 不完全契约下",
    ),
    "history": _field(
        "Apprentice Guilds, Bell Foundries, Canal Tolls, Cholera Boards, Court Interpreters, Grain Riots, Itinerant"
        " Printers, Lighthouse Keepers, Monastic Kitchens, Notarial Archives, Postal Couriers, Salt Monopolies, Silk"
        " Smugglers, Tax Farmers, Village Schools, Whaling Crews",
        "Account Books, Court Records, Dendrochronology, Family Letters, Oral Testimony, Parish Registers, Ship"
        " Manifests, Tithe Maps",
        "before the Reform, between Two Wars, in a Border Province, in the Age of Steam, in the Long Famine, on the"
        " Frontier, under the Regency, within Living Memory",
        "学徒行会, 铸钟作坊, 运河税卡, 防疫局, 宫廷通事, 抢粮风潮, 流动印工, 灯塔看守, 寺院厨房,"
        " 公证档案, 驿站信使, 食盐专卖, 私贩丝绸, 包税人, 乡村学堂",
        "账簿, 诉讼档案, 树轮年代学, 家书, 口述史料, 族谱, 船货清单, 地契",
        "变法之前, 两次战争之间, 边陲省份, 蒸汽时代, 大饥荒中, 边疆, 摄政时期, 当代记忆中",
    ),
    "materials": _field(
        "Aerogel Insulation, Basalt Fibres, Biopolymer Films, Brazed Joints, Ceramic Armour, Cobalt-Free Cathodes,"
        " Concrete Creep, Glass Corrosion, Lead-Free Solder, Magnesium Foams, Perovskite Ageing, Photonic Textiles,"
        " Rubber Fatigue, Shape-Memory Wires, Solid Electrolytes, Steel Embrittlement",
        "Acoustic Emission, Atom-Probe Tomography, Density Functional Screening, Indentation Tests, Neutron"
        " Diffraction, Phase-Field Simulation, Plasma Spraying, Rapid Quenching",
        "at Cryogenic Temperatures, at High Strain Rates, in Humid Air, in Sea Water, over a Million Cycles,"
        " under Irradiation, with Recycled Feedstock, with Trace Impurities",
        "气凝胶隔热, 玄武岩纤维, 生物聚合物薄膜, 钎焊接头, 陶瓷装甲, 无钴正极, 混凝土徐变, 玻璃腐蚀,"
        " 无铅焊料, 镁泡沫, 钙钛矿老化, 橡胶疲劳, 记忆合金丝, 固态电解质, 钢材脆化",
        "声发射, 原子探针, 密度泛函筛选, 压痕试验, 中子衍射, 相场模拟, 等离子喷涂, 快速淬火",
        "低温下, 高应变率下, 潮湿空气中, 海水中, 百万次循环下, 辐照下, 再生原料条件下, 微量杂质下",
    ),
    "medicine": _field(
        "Asthma Inhalers, Burn Dressings, Childhood Vaccination, Dialysis Schedules, Early Dementia, Hip Fractures,"
        " Hospital Delirium, Insulin Titration, Knee Replacement, Migraine Prevention, Neonatal Sepsis, Sleep Apnoea,"
        " Stroke Rehabilitation, Telephone Triage, Tuberculosis Screening, Wound Healing",
        "Cohort Follow-Up, Crossover Trials, Meta-Analysis, Nested Case-Control Sampling, Pilot Trials, Registry"
        " Review, Stepped-Wedge Designs, Interrupted Time Series",
        "in Adolescents, in District Hospitals, in Intensive Care, in Older Adults, in Primary Care, in Pregnancy,"
        " in Remote Communities, with Kidney Disease",
        "哮喘吸入剂, 烧伤敷料, 儿童接种, 透析方案, 早期痴呆, 髋部骨折, 住院谵妄, 胰岛素滴定, 膝关节置换,"
        " 偏头痛预防, 新生儿脓毒症, 睡眠呼吸暂停, 卒中康复, 结核筛查, 伤口愈合",
        "队列研究, 交叉试验, 荟萃分析, 巢式病例对照研究, 先导试验, 登记回顾, 阶梯试验, 间断时间序列",
        "青少年中, 县级医院中, 重症监护中, 老年人中, 基层医疗中, 妊娠期, 偏远社区, 肾病患者中",
    ),
    "physics": _field(
        "Acoustic Levitation, Atom Interferometry, Ball Lightning, Colloidal Glasses, Cosmic-Ray Showers, Dusty"
        " Plasmas, Granular Jamming, Josephson Arrays, Neutrino Masses, Optical Lattices, Quantum Dots, Rotating"
        " Superfluids, Solar Flares, Spin Ice, Topological Defects, Turbulent Mixing",
        "Bolometric Readout, Cavity Ringdown, Heterodyne Detection, Lattice Simulation, Monte Carlo Sampling,"
        " Renormalisation, Tensor Networks, Time-Resolved Spectroscopy",
        "at Low Density, far from Equilibrium, in Confined Geometries, in Strong Fields, in Two Dimensions,"
        " near Criticality, with Broken Symmetry, with Long-Range Order",
        "声悬浮, 原子干涉, 球状闪电, 胶体玻璃, 宇宙线簇射, 尘埃等离子体, 颗粒阻塞, 约瑟夫森阵列,"
        " 中微子质量, 光晶格, 量子点, 旋转超流, 太阳耀斑, 自旋冰, 湍流混合",
        "热辐射读出, 腔衰荡, 外差探测, 格点模拟, 蒙特卡罗抽样, 重整化, 张量网络, 时间分辨光谱",
        "低密度下, 远离平衡态, 受限几何中, 强场中, 二维体系中, 临界点附近, 对称破缺下, 长程有序下",
    ),
}


JOURNALS: ByLanguage = {
    "en": Frames(
        (
            "{place} Journal of {topic}",
            "{region} Review of {topic}",
            "Annals of {topic} ({place})",
            "{family} Letters in {topic}",
            "Transactions of the {region} Society for {topic}",
        ),
        again=("{}, Series B", "{}, Series C", "{} Supplements", "New {}"),
    ),
    "zh": Frames(
        ("{place}{topic}学报", "{region}{topic}评论", "{place}{topic}通讯"), again=("{}乙辑", "{}丙辑", "新{}")
    ),
}
CONFERENCES: ByLanguage = {
    "en": Frames(
        (
            "{place} Symposium on {topic}",
            "{region} Conference on {topic}",
            "{family} Workshop on {topic}",
            "{place} Summer School in {topic}",
        ),
        again=("{} (Satellite Meeting)", "Young Researchers' {}", "Joint {}"),
    ),
    "zh": Frames(
        ("{place}{topic}研讨会", "{region}{topic}大会", "{place}{topic}论坛"), again=("{}分会", "青年{}", "联合{}")
    ),
}
_CLAIMS = words(
    "Evidence, Limits, Lessons, New Results, Open Questions, a Benchmark, a Reappraisal, a Survey, a Theory"
)
_CLAIMS_ZH = words("证据 局限 经验 新结果 未决问题 基准 重估 综述 理论")
PAPERS: ByLanguage = {
    "en": Frames(
        (
            "{topic} {setting}: {claim} from {place}",
            "{topic} {setting}: {claim} through {method}",
            "{method} and {topic} {setting}: the {place} Data",
            "The {family} Hypothesis of {topic} {setting}",
            "What {method} Can Say of {topic} in {region}",
        ),
        {"claim": _CLAIMS},
        ("{} (Part II)", "{} (Part III)", "{}: a Replication", "{}: a Comment", "{}: a Reply"),
    ),
    "zh": Frames(
        (
            "{setting}的{topic}：来自{place}的{claim}",
            "{setting}的{topic}：基于{method}的{claim}",
            "{method}与{setting}的{topic}：以{place}为例",
            "{region}的{topic}：{method}的{claim}",
        ),
        {"claim": _CLAIMS_ZH},
        ("{}（二）", "{}（三）", "再论{}", "{}：商榷", "{}：答复"),
    ),
}


def journal(stream: Stream, rows: Rows, *, field: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name journals of a field (one for all, one a row, or any): `Velomar Journal of Cave Beetles`, 鹭湾洞穴甲虫学报.

    Hundreds of thousands a field, no two the same. Raises InputError for an unknown field.
    """
    return framed_by(stream, rows, culture, JOURNALS, FIELDS, field, "field")


def conference(stream: Stream, rows: Rows, *, field: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name conferences of a field: `Velomar Symposium on Query Rewriting`, 鹭湾查询改写研讨会.

    Tens of thousands a field or more, no two the same. Raises InputError for an unknown field.
    """
    return framed_by(stream, rows, culture, CONFERENCES, FIELDS, field, "field")


def paper(stream: Stream, rows: Rows, *, field: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Title papers of a field: `Bank Runs during Deflation: Evidence from Velomar`, 通缩时期的银行挤兑：综述.

    Some 40,000 a field, then five more parts and answers of each; no two the same.
    Raises InputError for an unknown field.
    """
    return framed_by(stream, rows, culture, PAPERS, FIELDS, field, "field")
