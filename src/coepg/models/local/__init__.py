"""Models that run in this process: loaded, asked and trained with transformers."""
