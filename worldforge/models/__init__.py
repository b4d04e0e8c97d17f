"""Chat requests in, many at once, replies out: vLLM, any OpenAI-compatible server, a script. Knows no worlds."""
