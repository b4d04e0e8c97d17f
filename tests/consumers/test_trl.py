"""TRL's own trainers, a step each, on a tiny random model and our rows as they are."""

import re
import shutil
from pathlib import Path

import pytest

from worldforge.serving.trl_environment import SearchAndAnswerTools, SearchTools, item_f1
from worldforge.serving.worlds import configure

pytestmark = pytest.mark.xdist_group("trl")
CALL = '<tool_call>\n{"name": "search", "arguments": {"query": "towns"}}\n</tool_call>'
LONGEST = 2_048  # tokens of a row to train on: instructions, tools and task are some 1,550


@pytest.fixture(scope="module")
def model(tiny_model, tmp_path_factory):
    """The folder of the tiny model, under a chat template that TRL knows: Qwen3's."""
    import trl
    from transformers import AutoTokenizer

    folder = tmp_path_factory.mktemp("trl") / "tiny"
    shutil.copytree(tiny_model, folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.fixture
def settings(tmp_path):
    return {
        "output_dir": str(tmp_path),
        "max_steps": 1,
        "per_device_train_batch_size": 2,
        "use_cpu": True,
        "report_to": "none",
        "disable_tqdm": True,
        "save_strategy": "no",
        "logging_steps": 1,
    }


def rows(dataset, view, first=None):
    import datasets

    found = datasets.load_dataset(str(dataset), view, split="train")
    return (found.sort(first) if first else found).select(range(2))


def test_sft_learns_what_the_agent_wrote_and_nothing_that_it_saw(dataset, model, settings):
    from transformers import AutoTokenizer
    from trl import SFTConfig, SFTTrainer

    taken = rows(dataset, "sft")

    def trainer(max_length):
        arguments = SFTConfig(**settings, assistant_only_loss=True, max_length=max_length)
        return SFTTrainer(model, arguments, train_dataset=taken, processing_class=AutoTokenizer.from_pretrained(model))

    whole = trainer(max_length=None)
    row = whole.train_dataset[0]
    learnt = whole.processing_class.decode(
        [token for token, asked in zip(row["input_ids"], row["labels"], strict=True) if asked != -100]
    )
    said = [message for message in taken[0]["messages"] if message["role"] == "assistant"]
    seen = [message["content"] for message in taken[0]["messages"] if message["role"] == "tool"]
    assert all(message["content"].strip() in learnt for message in said)
    assert learnt.count("<tool_call>") == sum(len(message.get("tool_calls", ())) for message in said)
    assert not any(text[:80] in learnt for text in seen)
    assert "null" not in learnt
    brief = trainer(max_length=LONGEST)
    brief.train()
    assert brief.state.global_step == 1


def test_sft_as_the_card_says_learns_no_turn_before_the_last_that_is_not_to_be_learnt(dataset, model, settings):
    import datasets
    from transformers import AutoTokenizer
    from trl import SFTConfig, SFTTrainer

    names = {}
    code = re.search(r"def parted.*?\n\n\n", (dataset / "README.md").read_text(), re.S)[0]
    exec(code, names)
    marked = datasets.load_dataset(str(dataset), "sft", split="train").filter(lambda row: row["n_unlearnt"])
    taken = marked.select(range(1)).map(names["parted"], remove_columns=["messages"])
    arguments = SFTConfig(**settings, assistant_only_loss=True, max_length=None)
    trainer = SFTTrainer(model, arguments, train_dataset=taken, processing_class=AutoTokenizer.from_pretrained(model))
    row = trainer.train_dataset[0]
    learnt = trainer.processing_class.decode(
        [token for token, asked in zip(row["input_ids"], row["labels"], strict=True) if asked != -100]
    )
    said = [message for message in taken[0]["completion"] if message["role"] == "assistant"]
    assert said[-1]["content"].strip() in learnt
    assert learnt.count("<tool_call>") == sum(len(message.get("tool_calls", ())) for message in said)


def test_dpo_prefers_one_turn_to_another(dataset, model, settings):
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import DPOConfig, DPOTrainer

    taken = rows(dataset, "dpo", first="turn")  # pairs of first turns: their prompts are the shortest
    trainer = DPOTrainer(
        AutoModelForCausalLM.from_pretrained(model),
        ref_model=AutoModelForCausalLM.from_pretrained(model),
        args=DPOConfig(**settings, max_length=LONGEST),
        train_dataset=taken,
        processing_class=AutoTokenizer.from_pretrained(model),
    )
    assert len(trainer.train_dataset) == 2, "too long"
    trainer.train()
    assert trainer.state.global_step == 1
    assert "rewards/margins" in trainer.state.log_history[0]


@pytest.mark.parametrize("environment", [SearchTools, SearchAndAnswerTools])
def test_grpo_acts_in_the_world(played, dataset, model, settings, environment, monkeypatch):
    """Random weights never call a tool: the first turn of each completion is put into their mouth."""
    from transformers import AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer

    configure(played)
    opened = []

    class Watched(environment):
        def search(self, query: str, page: int = 1) -> str:
            opened.append(super().search(query, page))
            return opened[-1]

    Watched.search.__doc__ = environment.search.__doc__
    trainer = GRPOTrainer(
        model,
        reward_funcs=item_f1 if environment is SearchTools else [],
        args=GRPOConfig(**settings, num_generations=2, max_completion_length=4_000, max_tool_calling_iterations=1),
        train_dataset=rows(dataset, "rl_trl"),
        processing_class=AutoTokenizer.from_pretrained(model),
        environment_factory=Watched,
    )
    put_words_into(trainer, monkeypatch)
    trainer.train()
    assert trainer.state.global_step == 1
    assert len(opened) == 2
    assert all(re.search(r"https://\S+\.example/", text) for text in opened)


def put_words_into(trainer, monkeypatch):
    """Let TRL generate a few tokens each turn, and have the first turns of a step call the tool instead."""
    generate, turns = trainer._generate_single_turn, []
    trainer.generation_config.max_new_tokens = 8

    def speak(*args, **kwargs):
        ids, logprobs = generate(*args, **kwargs)
        turns.append(len(ids))
        if len(turns) == 1:
            ids = [trainer.processing_class.encode(CALL + "<|im_end|>") for _ in ids]
        return ids, logprobs

    monkeypatch.setattr(trainer, "_generate_single_turn", speak)
