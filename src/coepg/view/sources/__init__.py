"""What the viewer can open: one class a kind of folder, behind the protocol of `base`."""
