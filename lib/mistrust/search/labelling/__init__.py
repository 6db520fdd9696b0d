"""For a person: which images to label first, a page to label them on, and what the answers say."""

from mistrust.search.labelling.answers import Answers, read_answers
from mistrust.search.labelling.page import exported, labelling_page
from mistrust.search.labelling.pictures import find, refuse_twice, shown
from mistrust.search.labelling.ranking import Query, Ranked, fixed_methods, rank
from mistrust.search.labelling.reporting import Report, continues, report
from mistrust.search.labelling.scores import Scores, pool_rows, read_scores
from mistrust.search.labelling.together import Together, together

__all__ = [
    "Answers",
    "Query",
    "Ranked",
    "Report",
    "Scores",
    "Together",
    "continues",
    "exported",
    "find",
    "fixed_methods",
    "labelling_page",
    "pool_rows",
    "rank",
    "read_answers",
    "read_scores",
    "refuse_twice",
    "report",
    "shown",
    "together",
]
