"""Trainers' formats: one file a family of views. `catalogue.py` lists them all."""
