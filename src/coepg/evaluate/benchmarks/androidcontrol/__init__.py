"""AndroidControl: one set of answers, five matching rules that give five different numbers."""
