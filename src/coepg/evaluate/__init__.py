"""Evaluation: judging predictions, and the numbers that come of it. Imports no torch."""
