"""Build, search, rollout and export as the quickstart world grows, each beside the bare library doing the same work.

python -m benchmarks.scale 10000 100000 1000000 [--workers N] [--json FILE] [--out docs/performance.md]
python -m benchmarks.scale --draw FILE --out docs/performance.md
"""
