"""Rollouts: sampled plans, scored by the ensemble, and kept."""
