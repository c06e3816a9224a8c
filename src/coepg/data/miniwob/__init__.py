"""Recorder of MiniWoB++ episodes: real pages, real input, and the pages' own reward as the gate."""
