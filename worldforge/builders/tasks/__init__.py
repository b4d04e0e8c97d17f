"""Poses tasks over a world and proves them; takes tables, pages and an index, gives tasks with exact gold."""
