"""The paper's printed numbers, read again from themselves alone: which answer is positive, which row is which."""

from mistrust.monitoring.rereading.beside import beside, comparable
from mistrust.monitoring.rereading.borne_out import borne_out
from mistrust.monitoring.rereading.coded import coded
from mistrust.monitoring.rereading.composition import composed, paper_share
from mistrust.monitoring.rereading.excluded import excluded, fits
from mistrust.monitoring.rereading.labels import displaced, mended
from mistrust.monitoring.rereading.memory import in_paper_megabytes, memory, with_discriminators
from mistrust.monitoring.rereading.pairs import pairs
from mistrust.monitoring.rereading.polarity import KNOWN, f1_reading, mcc_range, nominal_share, readings
from mistrust.monitoring.rereading.printed import printed
from mistrust.monitoring.rereading.ranked import by_set, differences, ranking
from mistrust.monitoring.rereading.rates import false_alarm_medians, miss_medians, reread
from mistrust.monitoring.rereading.systems import systems, worse
from mistrust.monitoring.rereading.times import times

__all__ = [
    "KNOWN",
    "beside",
    "borne_out",
    "by_set",
    "coded",
    "comparable",
    "composed",
    "differences",
    "displaced",
    "excluded",
    "f1_reading",
    "false_alarm_medians",
    "fits",
    "in_paper_megabytes",
    "mcc_range",
    "memory",
    "mended",
    "miss_medians",
    "nominal_share",
    "pairs",
    "paper_share",
    "printed",
    "ranking",
    "readings",
    "reread",
    "systems",
    "times",
    "with_discriminators",
    "worse",
]
