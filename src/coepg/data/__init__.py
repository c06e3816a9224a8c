"""Datasets: the Step table, its statistics, the shipped sets and the recorders."""
