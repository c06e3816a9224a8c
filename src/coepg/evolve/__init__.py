"""The loop: bootstrap, fine-tune, reinforce, write new data, again."""
