"""Scores predicted observations: transitions of sessions, what a model predicts of them, exact scores, judged scores.

Takes a world's sessions and any model; knows nothing of agents, runs and their files.
"""
