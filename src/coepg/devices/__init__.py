"""Devices that show screens and take input: browsers, and others beside them."""
