"""Checks of a dataset before it is trained on: one idea a file, in one pass over the steps."""
