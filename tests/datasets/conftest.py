from paper_world import paper_files, paper_world

__all__ = ["paper_files", "paper_world"]
