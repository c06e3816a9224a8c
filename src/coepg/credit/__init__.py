"""Credit: from rewards to the advantages that weigh each sampled answer in the loss."""

from coepg.credit.group import group_advantages, group_advantages_array, zero_variance

__all__ = ["group_advantages", "group_advantages_array", "zero_variance"]
