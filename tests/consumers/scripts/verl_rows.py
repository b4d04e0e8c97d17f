"""verl: its dataset and collation over `rl_verl`, our tools by its agent's loop, our reward by its reward manager."""

import asyncio
import json
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from omegaconf import OmegaConf
from told import given, gold_answer, must, parquet, say
from transformers import AutoTokenizer
from verl import DataProto
from verl.experimental.agent_loop.tool_agent_loop import ToolAgentLoop
from verl.experimental.agent_loop.tool_parser import FunctionCall
from verl.tools.tool_registry import load_all_tools
from verl.trainer.ppo.reward import load_reward_manager
from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn

from worldforge.serving.worlds import configure

TOOLS = ("web_search", "web_extractor", "dict_memory")
TOOL = """\
- class_name: worldforge.serving.verl_tools.WorldTool
  config: {{type: native, tool: {name}}}
  tool_schema: null
"""
REWARD = {
    "reward": {
        "custom_reward_function": {"path": "pkg://worldforge.serving.answer_reward", "name": "compute_score"},
        "reward_manager": {"source": "register", "name": "naive"},
    }
}
TURN = "<|im_end|>\n<|im_start|>{role}\n"


def tool_file():
    file = Path(tempfile.mkdtemp()) / "tools.yaml"
    file.write_text("tools:\n" + "".join(TOOL.format(name=name) for name in TOOLS))
    return str(file)


def load_rows(file, tokenizer, tools):
    config = {"max_prompt_length": 8_192, "tool_config_path": tools, "filter_overlong_prompts_workers": 1}
    config["cache_dir"] = tempfile.mkdtemp()
    dataset = RLHFDataset(file, tokenizer, OmegaConf.create(config))
    must(len(dataset) == 40, f"no row is lost: {len(dataset)}")
    must([schema["function"]["name"] for schema in dataset.tool_schemas] == list(TOOLS), "the tools are read")
    queries = dataset.tool_schemas[0]["function"]["parameters"]["properties"]["queries"]
    must(queries["items"]["type"] == "string", f"what a list argument holds is not lost: {queries}")
    batch = collate_fn([dataset[number] for number in range(len(dataset))])
    must(set(batch["agent_name"]) == {"tool_agent"}, "every row asks for the agent with tools")
    return batch


async def call_tools(batch, tools):
    """Call as verl's tool agent does, which makes and releases an instance for every call."""
    loop = SimpleNamespace(
        tools={tool.name: tool for tool in load_all_tools(tools, None)},
        max_tool_response_length=100_000,
        tool_response_truncate_side="middle",
    )

    class Trajectory:
        _active_tools = loop.tools

    async def call(trajectory, number, name, **arguments):
        asked = FunctionCall(name=name, arguments=json.dumps(arguments))
        response, reward, _ = await ToolAgentLoop._call_tool(loop, asked, batch["tools_kwargs"][number], trajectory)
        must(reward == 0.0, "no tool gives a reward")
        return response.text

    for number in range(len(batch["tools_kwargs"])):
        mine, other = Trajectory(), Trajectory()
        found = await call(mine, number, "web_search", query="football clubs")
        must("https://" in found, f"a search brings pages: {found[:200]}")
        url = next(word for word in found.split() if word.startswith("https://"))
        page = await call(mine, number, "web_extractor", url=url)
        must(len(page) > 100 and not page.startswith("Error"), f"a page is read: {page[:200]}")
        await call(mine, number, "dict_memory", action="add", key="club", value="Fortuna")
        must("Fortuna" in await call(mine, number, "dict_memory", action="retrieve_all"), "notes are kept")
        must("Fortuna" not in await call(other, number, "dict_memory", action="retrieve_all"), "notes are one's own")


async def score(batch, tokenizer):
    """Score whole responses as token ids: a call, what it brought (a table that is nobody's answer), the last turn."""
    manager = load_reward_manager(OmegaConf.create(REWARD), tokenizer)
    searched = '<tool_call>\n{"name": "web_search", "arguments": {"query": "clubs"}}\n</tool_call>'

    async def reward(number, shown, answer):
        response = f"<tool_response>\n{shown}\n</tool_response>".join(
            (TURN.format(role="user"), TURN.format(role="assistant"))
        )
        ids = torch.tensor([tokenizer.encode(searched + response + answer)])
        fields = ("data_source", "reward_model", "extra_info")
        rest = {name: np.array([batch[name][number]], dtype=object) for name in fields}
        data = DataProto.from_dict({"responses": ids, "attention_mask": torch.ones_like(ids)}, rest)
        return await manager.run_single(data)

    for number, truth in enumerate(batch["reward_model"]):
        gold = gold_answer(truth["ground_truth"])
        best = await reward(number, "Nothing.", gold)
        must(best["reward_score"] == 1.0 and best["reward_extra_info"]["acc"] == 1.0, f"gold is worth 1: {best}")
        none = await reward(number, gold, "I found nothing.")
        must(none["reward_score"] == 0.0, f"a table that a tool showed is no answer: {none}")


def main():
    asked = given()
    configure(asked.world)
    tokenizer = AutoTokenizer.from_pretrained(asked.model)
    tools = tool_file()
    batch = load_rows(parquet(asked.dataset, "rl_verl"), tokenizer, tools)
    n_rows = len(batch["raw_prompt"])
    say("verl", "rl_verl", "RLHFDataset with tools, collate_fn", f"{n_rows} rows")
    asyncio.run(call_tools(batch, tools))
    say("verl", "rl_verl", "ToolAgentLoop calls our tools", "search, visit, notes, apart for each trajectory")
    asyncio.run(score(batch, tokenizer))
    say("verl", "rl_verl", "custom reward by the reward manager", "gold 1.0, a table shown by a tool 0.0")


main()
