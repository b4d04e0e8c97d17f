"""SkyRL's gym: our environment registered and made by it, over rows of `rl_skyrl`."""

import pyarrow.parquet as pq
import skyrl_gym
from told import given, gold_answer, must, parquet, say

from worldforge.serving.worlds import configure

CALL = """\
<think>
look
</think>

<tool_call>
{"name": "web_search", "arguments": {"query": "football clubs"}}
</tool_call>"""


def main():
    asked = given()
    configure(asked.world)
    skyrl_gym.register(id="worldforge", entry_point="worldforge.serving.skyrl_env:WorldForgeEnv")
    rows = pq.read_table(parquet(asked.dataset, "rl_skyrl")).to_pylist()
    for row in rows:
        extras = {name: value for name, value in row.items() if name not in ("prompt", "env_class")}

        def begin(row=row, extras=extras):
            environment = skyrl_gym.make(row["env_class"], env_config={}, extras={**extras, "max_turns": 8})
            prompt, _ = environment.init(row["prompt"])
            must(prompt == row["prompt"], "the prompt is the row's")
            return environment

        environment = begin()
        searched = environment.step(CALL)
        (observation,) = searched["observations"]
        must(observation["role"] == "user" and "https://" in observation["content"], "a search brings pages")
        must(not searched["done"] and searched["reward"] == 0.0, "a search ends nothing and is worth nothing")
        answered = environment.step(gold_answer(row["reward_spec"]["ground_truth"]))
        must(answered["done"] and answered["reward"] == 1.0, f"gold is worth 1: {answered}")
        must(environment.get_metrics()["n_tool_calls"] == 1, "the call was counted")
        environment.close()
        must(begin().step("I do not know.")["reward"] == 0.0, "no answer is worth 0")
    what = "register, make, step with a call, step with the answer"
    say("skyrl-gym", "rl_skyrl", what, f"{len(rows)} rows; gold 1.0, no answer 0.0")


main()
