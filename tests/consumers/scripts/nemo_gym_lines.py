"""NeMo Gym: lines of `rl_nemo_gym` by the request they have to be, and by verifiers' taskset that reads such lines.

NeMo Gym itself has no package for this Python, so this is about the format alone.
"""

import json

from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter
from told import given, gold_answer, must, say
from verifiers.v1.tasksets.nemo_gym.taskset import NeMoGymConfig, NeMoGymTaskset

from worldforge.serving.answer_reward import measures


def main():
    (file,) = (given().dataset / "rl_nemo_gym").glob("train-*.jsonl")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    request = TypeAdapter(ResponseCreateParamsNonStreaming)
    for row in rows:
        request.validate_python(row["responses_create_params"])
        for tool in row["responses_create_params"]["tools"]:
            must(tool["type"] == "function" and "function" not in tool, "tools are flat")
        must(measures(gold_answer(row["ground_truth"]), row["ground_truth"])["item_f1"] == 1.0, "gold is worth 1")
        must(measures("", row["ground_truth"])["item_f1"] == 0.0, "nothing is worth 0")
    say("NeMo Gym", "rl_nemo_gym", "format only: each line a request of the Responses API", f"{len(rows)} lines")
    tasks = list(NeMoGymTaskset(NeMoGymConfig(id="nemo-gym", dataset=file)))
    must([task.data.row for task in tasks] == rows, "verifiers keeps the rows whole")
    must(all(task.data.prompt[-1].content for task in tasks), "the question is asked")
    say("verifiers", "rl_nemo_gym", "its nemo_gym taskset loads the file", f"{len(tasks)} tasks")


main()
