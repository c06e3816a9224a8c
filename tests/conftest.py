"""Settings for all tests."""

from hypothesis import settings

# Loaded machines are slow, not wrong: property tests have no time limit per example.
settings.register_profile("coepg", deadline=None)
settings.load_profile("coepg")
