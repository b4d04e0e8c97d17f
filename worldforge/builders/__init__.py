"""Build worlds from specs, one file a stage."""
