"""Families of tasks: each draws terms over a type that leave the wanted number of rows; it knows of no words."""
