"""Variance ratio of an experiment: how much variance the pairing of its games has removed."""

from splito_arena.experiments.tally import Tally


def variance_ratio(differences: Tally, sums: Tally) -> float | None:
    """Return the variance of an unpaired difference over that of the paired one; None without scatter.

    The tallies are those of NEW - OLD and NEW + OLD in the same blocks. Without pairing, the results of NEW and OLD
    would be independent, and the variance of their difference the sum of both variances. That sum is half the sum of
    the variances of NEW - OLD and NEW + OLD.
    """
    if not differences.scatter or sums.blocks != differences.blocks:
        return None
    return (1 + sums.scatter / differences.scatter) / 2
