"""Shared prefix: one screenshot, encoded once, for all the answers and questions on it."""
