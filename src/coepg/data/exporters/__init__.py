"""Exporters: one file a target, each writing rows that the tool reads as they are."""
