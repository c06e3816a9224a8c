"""Planners and grounders: what they are asked, how they answer, and the engines that run them."""
