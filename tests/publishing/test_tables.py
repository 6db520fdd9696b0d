"""Tables as HTML: what a cell says."""

import pandas as pd

from mistrust.publishing.tables import EMPTY, html


def test_a_number_that_is_none_is_a_dash_and_text_is_escaped():
    shown = html(pd.DataFrame({"what": ["a < b", "nan"], "value": [float("nan"), 0.5]}), "Of two lines")
    assert '<th scope="row">a &lt; b</th><td>–</td>' in shown
    assert '<th scope="row">nan</th><td>0.5</td>' in shown  # a name is not a number
    assert EMPTY == "–"
