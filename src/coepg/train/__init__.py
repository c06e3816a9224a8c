"""Training: pre-training of the tiny bases, SFT and GRPO, all on the Hugging Face Trainer."""
