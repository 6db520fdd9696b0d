"""The paper's printed numbers, read again from themselves alone: what fits what, and what four points can show."""

from mistrust.robustness.rereading.accuracies import accuracies
from mistrust.robustness.rereading.left import left
from mistrust.robustness.rereading.orders import COUNTS, MEASURES, Order, order, orders
from mistrust.robustness.rereading.percent import CANDIDATES, common, denominators, percentages
from mistrust.robustness.rereading.printed import NETWORKS, by_network
from mistrust.robustness.rereading.structure import exchanged, neighbour_correlation

__all__ = [
    "CANDIDATES",
    "COUNTS",
    "MEASURES",
    "NETWORKS",
    "Order",
    "accuracies",
    "by_network",
    "common",
    "denominators",
    "exchanged",
    "left",
    "neighbour_correlation",
    "order",
    "orders",
    "percentages",
]
