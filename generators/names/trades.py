"""What companies of each trade call what they do, in English and in Chinese; no word serves two trades."""

from __future__ import annotations

from generators.names.frames import Kind, Kinds, words


def _trade(english: str, chinese: str) -> Kind:
    return {"en": {"trade": words(english)}, "zh": {"trade": words(chinese)}}


TRADES_OF: Kinds = {
    "automotive": _trade("Motors Automobiles Carriageworks Motorworks Autoworks", "汽车 动力 机车 车辆 轮毂"),
    "aviation": _trade("Aircraft Aeronautics Aerospace Rotorcraft Airframes", "航天 飞行器 航发 直升机 航电"),
    "biotechnology": _trade("Biotech Genomics Biosciences Bioworks Genetics", "生物 基因 生命科学 生物技术 细胞"),
    "chemicals": _trade("Chemicals Polymers Plastics Fertilisers Coatings", "化工 材料 塑料 化肥 涂料"),
    "construction": _trade("Construction Builders Masonry Bridgeworks Contractors", "建设 建筑 路桥 工程 建材"),
    "education": _trade("Learning Tutoring Academies Coursework Schooling", "教育 学堂 培训 课业 启蒙"),
    "electronics": _trade("Electronics Semiconductors Circuits Displays Microdevices", "电子 半导体 光电 显示 微电"),
    "energy": _trade("Energy Power Petroleum Windpower Solar", "能源 电力 石油 风电 光伏"),
    "fashion": _trade("Fashion Tailors Footwear Garments Outfitters", "服饰 制衣 鞋业 时装 裁缝"),
    "film": _trade("Pictures Films Studios Productions Cinema", "影业 影视 制片 院线 传媒"),
    "finance": _trade("Finance Securities Brokerage Leasing Investments", "金融 证券 投资 租赁 资本"),
    "food": _trade("Foods Bakeries Dairies Brewery Confectionery", "食品 粮油 乳业 酒业 糖果"),
    "games": _trade("Games Playworks Interactive Arcades Pixelworks", "游戏 互娱 网游 娱乐 电玩"),
    "healthcare": _trade("Clinics Hospitals Healthcare Diagnostics Medical", "医疗 医院 健康 诊断 器械"),
    "hospitality": _trade("Hotels Resorts Inns Hospitality Lodges", "酒店 度假 旅馆 旅业 客栈"),
    "insurance": _trade("Insurance Assurance Underwriters Indemnity Reinsurance", "保险 人寿 财险 再保险 养老"),
    "logistics": _trade("Logistics Freight Haulage Couriers Warehousing", "物流 货运 快递 仓储 速运"),
    "manufacturing": _trade("Engineering Machinery Toolworks Foundries Fabrication", "机械 重工 制造 铸造 工具"),
    "media": _trade("Media Press Broadcasting Publishing Newspapers", "报业 广播 出版 文化 通讯社"),
    "mining": _trade("Mining Minerals Quarries Metals Smelting", "矿业 冶金 有色 钢铁 煤业"),
    "music": _trade("Records Audio Recordings Phonographic Soundworks", "唱片 音乐 音像 乐器 录音"),
    "pharmaceuticals": _trade("Pharma Pharmaceuticals Laboratories Therapeutics Remedies", "药业 制药 医药 疫苗 药材"),
    "retail": _trade("Stores Markets Supermarkets Emporium Outlets", "商贸 百货 超市 零售 商城"),
    "shipping": _trade("Shipping Shipyards Maritime Ferries Steamships", "航运 造船 船务 港务 轮渡"),
    "software": _trade("Software Systems Technologies Cloud Data", "软件 科技 信息 云计算 数据"),
    "telecommunications": _trade("Telecom Networks Mobile Broadband Wireless", "通信 电信 网络 移动 无线"),
    "textiles": _trade("Textiles Mills Weaving Cotton Silks", "纺织 棉业 丝绸 针织 印染"),
    "transport": _trade("Railways Transit Coaches Tramways Transport", "铁路 客运 公交 地铁 运输"),
}
