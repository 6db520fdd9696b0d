"""The paper's printed numbers, read again from themselves alone: which answer is positive, which row is which."""

from mistrust.monitoring.rereading.beside import beside
from mistrust.monitoring.rereading.composition import composed, paper_share
from mistrust.monitoring.rereading.labels import mended
from mistrust.monitoring.rereading.pairs import pairs
from mistrust.monitoring.rereading.polarity import KNOWN, f1_reading, mcc_range, nominal_share, readings
from mistrust.monitoring.rereading.printed import printed
from mistrust.monitoring.rereading.ranked import by_set, differences, ranking
from mistrust.monitoring.rereading.rates import false_alarm_medians, miss_medians, reread
from mistrust.monitoring.rereading.times import times

__all__ = [
    "KNOWN",
    "beside",
    "by_set",
    "composed",
    "differences",
    "f1_reading",
    "false_alarm_medians",
    "mcc_range",
    "mended",
    "miss_medians",
    "nominal_share",
    "pairs",
    "paper_share",
    "printed",
    "ranking",
    "readings",
    "reread",
    "times",
]
