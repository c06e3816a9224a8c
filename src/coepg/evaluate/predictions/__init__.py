"""Readers of result files that other projects' scripts write: one file a format."""
