"""Takes texts whose facts are slots; gives them back in other words, chosen by a model. Knows no world."""
