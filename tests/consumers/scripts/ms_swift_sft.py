"""ms-swift: `sft` through its loader, AutoPreprocessor and template, with the mask looked at."""

import datasets
from swift.dataset import load_dataset
from swift.model import get_model_processor
from swift.template import get_template
from told import check_learnt, given, must, parquet, say

IGNORED = -100


def main():
    asked = given()
    datasets.disable_progress_bars()
    file = parquet(asked.dataset, "sft")
    rows = datasets.load_dataset("parquet", data_files=file, split="train")
    taken, _ = load_dataset(file, strict=True, load_from_cache_file=False)
    must(len(taken) == len(rows), f"no row is skipped: {len(taken)} of {len(rows)}")
    _, tokenizer = get_model_processor(str(asked.model), load_model=False, model_type="qwen3")
    template = get_template(tokenizer, template_type="qwen3", agent_template="hermes", max_length=200_000)
    template.set_mode("train")
    n_calls = n_unlearnt = 0
    for row, given_row in zip(rows, taken, strict=True):
        tokens = template.encode(given_row)
        learnt = [token for token, label in zip(tokens["input_ids"], tokens["labels"], strict=True) if label != IGNORED]
        n_calls += check_learnt(tokenizer.decode(learnt), row["messages"])
        n_unlearnt += row["n_unlearnt"]
    result = f"{len(rows)} rows, {n_calls} calls learnt, observations and {n_unlearnt} marked turns masked"
    say("ms-swift", "sft", "load_dataset (AutoPreprocessor), template qwen3 with hermes", result)


main()
