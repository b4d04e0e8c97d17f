"""How each view is loaded by those who read it. `REPOSITORY` stands for the dataset's name on the Hub or its folder."""

from __future__ import annotations

from collections.abc import Sequence

from worldforge.datasets.card.markdown import block

REPOSITORY = "owner/name"

_SFT = f'''\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer


def parted(row):
    """Learn turns from the first that follows the last one with `loss: false`; what comes before is read alone."""
    learnt = [message.get("loss") for message in row["messages"]]
    start = learnt.index(True, len(learnt) - learnt[::-1].index(False) if False in learnt else 0)
    return {{"prompt": row["messages"][:start], "completion": row["messages"][start:]}}


rows = load_dataset("{REPOSITORY}", "sft", split="train")
train = rows.map(parted, remove_columns=["messages"])
arguments = SFTConfig(assistant_only_loss=True)  # what tools bring is never learnt
SFTTrainer(model="Qwen/Qwen3-0.6B", args=arguments, train_dataset=train).train()
'''
_AXOLOTL = f"""\
datasets:
  - path: {REPOSITORY}
    name: sft
    type: chat_template
    field_messages: messages
    field_tools: tools
    message_field_training: loss
    roles_to_train: [assistant]
    train_on_eos: turn
"""
_LLAMA_FACTORY = f"""\
{{
  "worldforge": {{
    "hf_hub_url": "{REPOSITORY}",
    "subset": "sft_sharegpt",
    "formatting": "sharegpt",
    "columns": {{"messages": "conversations", "system": "system", "tools": "tools"}}
  }}
}}
"""
_DPO = f'''\
from datasets import load_dataset
from trl import DPOTrainer

train = load_dataset("{REPOSITORY}", "dpo", split="train")
DPOTrainer(model="Qwen/Qwen3-0.6B", train_dataset=train).train()
'''
_VERL = """\
WORLDFORGE_WORLDS=output python -m verl.trainer.main_ppo data.train_files="[$(echo rl_verl/*.parquet | tr ' ' ,)]" \\
  actor_rollout_ref.rollout.multi_turn.enable=True actor_rollout_ref.rollout.multi_turn.tool_config_path=tools.yaml \\
  reward.custom_reward_function.path=pkg://worldforge.serving.verl_reward \\
  reward.custom_reward_function.name=compute_score
"""
_GRPO = f'''\
from datasets import load_dataset
from trl import GRPOTrainer
from worldforge.serving.trl_environment import SearchTools, item_f1
from worldforge.serving.worlds import configure

configure("output")  # where the world is, built again from spec/spec.yaml
rows = load_dataset("{REPOSITORY}", "rl_trl", split="train")
trainer = GRPOTrainer("Qwen/Qwen3-0.6B", train_dataset=rows, environment_factory=SearchTools, reward_funcs=item_f1)
'''
_SKYRL = """\
import skyrl_gym

skyrl_gym.register(id="worldforge", entry_point="worldforge.serving.skyrl_env:WorldForgeEnv")
"""
_WORLD_MODEL = f'''\
from datasets import load_dataset

rows = load_dataset("{REPOSITORY}", "world_model", split="train")
train = rows.map(
    lambda row: {{"prompt": row["messages"][:-1], "completion": row["messages"][-1:]}}, remove_columns=["messages"]
)
'''
_DUCKDB = f"""\
SELECT agent, avg(item_f1) FROM 'hf://datasets/{REPOSITORY}/trajectories/*.parquet' GROUP BY agent;
"""
_POLARS = f"""\
import polars
polars.scan_parquet("hf://datasets/{REPOSITORY}/trajectories/*.parquet").select("task", "item_f1", "n_steps").collect()
"""
_WIDESEARCH = f"""\
from datasets import load_dataset

questions = load_dataset("{REPOSITORY}", data_dir="widesearch", data_files={{"full": "full.jsonl"}}, split="full")
"""

_BY_VIEW: dict[str, tuple[tuple[str, str, str], ...]] = {
    "sft": (
        ("TRL", "python", _SFT),
        ("Axolotl", "yaml", _AXOLOTL),
        ("ms-swift", "shell", f"swift sft --use_hf true --dataset {REPOSITORY}:sft --model Qwen/Qwen3-0.6B"),
    ),
    "sft_sharegpt": (
        (
            "LLaMA-Factory, an entry of its `dataset_info.json` (with `file_name: sft_sharegpt` instead of the first "
            "two keys where this folder is its `dataset_dir`)",
            "json",
            _LLAMA_FACTORY,
        ),
    ),
    "dpo": (("TRL", "python", _DPO),),
    "rl_verl": (("verl (`tools.yaml` and more: docs/views.md of WorldForge)", "shell", _VERL),),
    "rl_trl": (("TRL's GRPO", "python", _GRPO),),
    "rl_skyrl": (("SkyRL", "python", _SKYRL),),
    "world_model": (("TRL", "python", _WORLD_MODEL),),
    "widesearch": (
        (
            "`datasets`; the benchmark's own loader takes the folder `widesearch` as a repository of its own",
            "python",
            _WIDESEARCH,
        ),
    ),
    "trajectories": (("DuckDB", "sql", _DUCKDB), ("polars", "python", _POLARS)),
}


def loading(configs: Sequence[str], default: str, views: Sequence[str]) -> str:
    """Tell how the dataset is loaded: its `configs` by `datasets`, its `views` by those trainers that read them."""
    first = f'''\
from datasets import load_dataset

rows = load_dataset("{REPOSITORY}", "{default}", split="train", streaming=True)
'''
    parts = [f"`{REPOSITORY}` stands for this repository, or for a folder that holds a copy of it."]
    if configs:
        parts[0] += f" The configurations are {', '.join(f'`{name}`' for name in configs)}."
        parts.append(block("python", first))
    for view in views:
        for reader, language, snippet in _BY_VIEW.get(view, ()):
            parts.append(f"`{view}` with {reader}:\n\n{block(language, snippet)}")
    return "\n\n".join(["## Loading", *parts])
