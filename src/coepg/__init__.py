"""coepg: a planner and a grounder for GUI agents, trained to make each other better."""

__version__ = "0.1.0"
