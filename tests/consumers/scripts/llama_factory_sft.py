"""LLaMA-Factory: `sft_sharegpt` by dataset_info.json through its loader, converter, template and masking.

`torchaudio`, which it imports for sounds, is put aside: our rows have none.
"""

import json
import sys
import tempfile
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path

sys.modules["torchaudio"] = module_from_spec(ModuleSpec("torchaudio", None))

import datasets  # noqa: E402
from llamafactory.data import get_dataset, get_template_and_fix_tokenizer  # noqa: E402
from llamafactory.hparams import DataArguments, ModelArguments, TrainingArguments  # noqa: E402
from told import check_learnt, given, must, parquet, say  # noqa: E402
from transformers import AutoTokenizer  # noqa: E402

IGNORED = -100
COLUMNS = {"messages": "conversations", "system": "system", "tools": "tools"}
TEMPLATES = ("qwen3", "qwen")


def as_messages(row):
    """Say in `sft`'s words what a row of `sft_sharegpt` says, for the check of what is learnt."""
    yield {"role": "system", "content": row["system"]}
    for turn in row["conversations"]:
        text = turn["value"]
        if turn["from"] == "function_call":
            said, _, rest = text.partition("<tool_call>") if "<tool_call>" in text else ("", "", text)
            calls = json.loads(rest.removesuffix("</tool_call>"))
            calls = [{"function": call} for call in (calls if isinstance(calls, list) else [calls])]
            yield {"role": "assistant", "content": said, "tool_calls": calls}
        else:
            roles = {"human": "user", "observation": "tool", "gpt": "assistant"}
            yield {"role": roles[turn["from"]], "content": text}


def encode(file, model, name):
    """Return the rows as LLaMA-Factory's trainer for fine-tuning gets them, and its tokenizer."""
    folder = Path(tempfile.mkdtemp())
    info = {"wf": {"file_name": file, "formatting": "sharegpt", "columns": COLUMNS}}
    (folder / "dataset_info.json").write_text(json.dumps(info))
    data = DataArguments(dataset="wf", dataset_dir=str(folder), template=name, cutoff_len=200_000, overwrite_cache=True)
    tokenizer = AutoTokenizer.from_pretrained(model)
    template = get_template_and_fix_tokenizer(tokenizer, data)
    training = TrainingArguments(output_dir=str(folder / "out"), do_train=True, use_cpu=True, report_to="none")
    module = get_dataset(template, ModelArguments(model_name_or_path=str(model)), data, training, "sft", tokenizer)
    return module["train_dataset"], tokenizer


def main():
    asked = given()
    datasets.disable_progress_bars()
    file = parquet(asked.dataset, "sft_sharegpt")
    rows = datasets.load_dataset("parquet", data_files=file, split="train")
    for name in TEMPLATES:
        encoded, tokenizer = encode(file, asked.model, name)
        must(len(encoded) == len(rows), f"no row is skipped: {len(encoded)} of {len(rows)}")
        n_calls = 0
        for row, tokens in zip(rows, encoded, strict=True):
            learnt = [
                token for token, label in zip(tokens["input_ids"], tokens["labels"], strict=True) if label != IGNORED
            ]
            n_calls += check_learnt(tokenizer.decode(learnt), list(as_messages(row)))
        what = f"get_dataset with template {name}: converter, template, masking"
        say("llamafactory", "sft_sharegpt", what, f"{len(rows)} rows, {n_calls} calls learnt, observations masked")


main()
