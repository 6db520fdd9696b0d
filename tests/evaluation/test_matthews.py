import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.metrics import matthews_corrcoef

from mistrust.errors import MistrustError
from mistrust.evaluation import matthews


def pairs(table):
    """Truths and answers that a table counts."""
    true, given_ = np.indices(table.shape)
    return np.repeat(true.ravel(), table.ravel()), np.repeat(given_.ravel(), table.ravel())


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore:A single label was found")
@given(st.integers(2, 5).flatmap(lambda k: arrays.arrays(np.int64, (k, k), elements=st.integers(0, 9))))
def test_it_is_scikit_learns(table):
    if table.sum() == 0:
        assert np.isnan(matthews(table))
    else:
        assert matthews(table) == pytest.approx(matthews_corrcoef(*pairs(table)), abs=1e-12)


def test_large_counts_lose_nothing():
    # By hand: 1 = all right; a table of independent answers has 0, at ten million decisions as at ten.
    assert matthews([[10_000_000, 0], [0, 60_000_000]]) == pytest.approx(1, abs=1e-12)
    assert matthews([[2_000_000, 3_000_000], [4_000_000, 6_000_000]]) == pytest.approx(0, abs=1e-12)


def test_rounding_leads_nowhere_outside_its_range():
    assert matthews([[0, 1], [19, 0]]) == -1  # all wrong; uncut, it would be -1.0000000000000007


def test_many_tables_are_one_call_and_class_names_do_not_matter():
    tables = np.random.default_rng(0).integers(0, 50, (4, 6, 3, 3))
    found = matthews(tables)
    assert found.shape == (4, 6)
    assert found[2, 5] == pytest.approx(matthews(tables[2, 5]), abs=1e-14)
    swap = [2, 0, 1]
    assert np.allclose(found, matthews(tables[..., swap, :][..., :, swap]))


@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 1)])
def test_bad_input(shape):
    with pytest.raises(MistrustError, match=r"expected \(\.\.\., k, k\) of at least two classes"):
        matthews(np.ones(shape))


def test_counts_are_not_negative():
    with pytest.raises(MistrustError, match="The table's counts must be at least 0 and finite, got -1"):
        matthews([[8, -1], [1, 9]])


@pytest.mark.parametrize(("count", "told"), [(np.nan, "nan"), (np.inf, "inf")])
def test_counts_are_finite(count, told):
    """NaN gave NaN without a word, as if there were no decisions."""
    with pytest.raises(MistrustError, match=f"The table's counts must be at least 0 and finite, got {told}"):
        matthews([[8, count], [1, 9]])
