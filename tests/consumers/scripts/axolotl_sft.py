"""Axolotl: `sft` through its chat_template strategy as docs/views.md says, with the mask looked at."""

import datasets
from axolotl.prompt_strategies.chat_template import load
from axolotl.utils.dict import DictDefault
from told import check_learnt, given, must, parquet, say
from transformers import AutoTokenizer

IGNORED = -100
DATASET = {
    "type": "chat_template",
    "field_messages": "messages",
    "field_tools": "tools",
    "message_field_training": "loss",
    "roles_to_train": ["assistant"],
    "train_on_eos": "turn",
}


def main():
    asked = given()
    datasets.disable_progress_bars()
    rows = datasets.load_dataset("parquet", data_files=parquet(asked.dataset, "sft"), split="train")
    tokenizer = AutoTokenizer.from_pretrained(asked.model)
    for template in ("tokenizer_default", "qwen3"):
        config = DictDefault({"chat_template": template, "train_on_inputs": False, "sequence_len": 200_000})
        strategy = load(tokenizer, config, DATASET)
        n_calls = n_unlearnt = 0
        for row in rows:
            tokens = strategy.tokenize_prompt(row)
            learnt = [
                token for token, label in zip(tokens["input_ids"], tokens["labels"], strict=True) if label != IGNORED
            ]
            n_calls += check_learnt(tokenizer.decode(learnt), row["messages"])
            n_unlearnt += row["n_unlearnt"]
        must(n_unlearnt, "there are turns that are not to be learnt")
        result = f"{len(rows)} rows, {n_calls} calls learnt, observations and {n_unlearnt} marked turns masked"
        say("axolotl", "sft", f"chat_template strategy, template {template}", result)


main()
