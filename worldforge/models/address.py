"""A model's address: which backend, which model, with which settings, in one line of text.

vllm:Qwen/Qwen3-8B                              in this process; a name on the Hub, or a folder
vllm:models/mine?max_model_len=32768&tool_parser=hermes
openai:Qwen/Qwen3-8B@http://127.0.0.1:8000/v1   any server that speaks the OpenAI chat API
scripted:replies.jsonl                          replies from a file
qwen-agentworld                                 a named profile, see `profiles`
"""
