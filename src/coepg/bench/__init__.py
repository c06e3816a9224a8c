"""Speed and memory against named peers, on the same work in the same call."""
