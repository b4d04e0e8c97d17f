"""Has a model word the paragraphs of pages anew, around facts that are locked; knows no fact's value."""
