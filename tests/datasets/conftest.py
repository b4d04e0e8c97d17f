from hub_fixtures import hub, hub_server, small_dataset, wide_dataset
from paper_world import paper_files, paper_world

__all__ = ["hub", "hub_server", "paper_files", "paper_world", "small_dataset", "wide_dataset"]
