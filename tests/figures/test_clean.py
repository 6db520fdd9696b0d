"""What goes wrong on clean images, and images in another class's cluster."""

import numpy as np
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures import misclassification as figures


@pytest.mark.whole
def test_misses_tell_the_totals_of_each_class(all_rows):
    alt = figures.misses(all_rows, seed=2).alt
    counts = tidy.select(all_rows, table="misses", seed=2)
    totals = counts.groupby(counts["at"].str[0])["value"].sum()
    assert f"Wrong in all: {totals.sum():.0f};" in alt
    assert f"by true class: 0 {totals['0']:.0f} of 980, 1 {totals['1']:.0f} of 980" in alt
    assert f"Fewest misses: {totals.idxmin()}; most: {totals.idxmax()}" in alt
    largest = counts.loc[counts["value"].idxmax()]
    assert f"({largest['value']:.0f})" in alt[alt.index("Largest cells") :]


@pytest.mark.whole
def test_misses_are_the_mean_over_networks_with_a_decimal(all_rows):
    found = tidy.select(all_rows, table="misses")
    total = found[found["seed"].notna()]["value"].sum() / 3
    alt = figures.misses(all_rows).alt
    assert f"Wrong in all: {total:.0f};" in alt
    values = found[found["seed"].isna()]["value"]
    assert "0 9 of 980" in alt  # images, not networks
    assert f"({values.max():.1f})".replace(".0)", ")") in alt


def test_no_mistake_at_all_is_drawn(few_rows):
    none = few_rows.assign(value=few_rows["value"].where(few_rows["table"] != "misses", 0.0))
    assert "Wrong in all: 0; by true class: Ankle boot 0 of 980" in figures.misses(none).alt


def test_misses_where_one_class_has_no_rows(few_rows):
    gone = few_rows[(few_rows["table"] != "misses") | ~few_rows["at"].str.startswith("Bag>")]
    assert "Bag 0," in figures.misses(gone).alt


@pytest.mark.whole
def test_misclustered_images_tell_class_cluster_and_bars(all_rows):
    alt = figures.misclustered(all_rows).alt
    assert "network 0." in alt
    assert "Image 168 is a 9 in the cluster of 8: softmax 0.52 for 9 at distance 0.60 and 0.46 for 8" in alt
    assert alt.endswith("nearest centroid: 1.")
    assert "network 2." in figures.misclustered(all_rows, seed=2).alt


@pytest.mark.whole
def test_the_first_network_that_has_one_is_taken(all_rows):
    gone = all_rows[(all_rows["table"] != "misclustered") | (all_rows["seed"] != 0)]
    assert "network 1." in figures.misclustered(gone).alt
    assert not figures.has_misclustered(gone, seed=0)
    with pytest.raises(MistrustError, match="no rows for the misclustered images"):
        figures.misclustered(gone, seed=0)


@pytest.mark.whole
def test_one_image_is_enough_and_no_more_than_two_are_drawn(few_rows):
    alone = few_rows[few_rows["method"] != "image 2"]
    assert figures.misclustered(alone).alt.count("nearest centroid") == 1
    more = few_rows[few_rows["method"] == "image 2"].assign(method="image 10")
    assert figures.misclustered(tidy.table([*few_rows.to_dict("records"), *more.to_dict("records")])).alt.count(
        "nearest centroid"
    ) == 2  # fmt: skip


def test_one_can_ask_whether_there_is_one(all_rows):
    assert figures.has_misclustered(all_rows)
    assert figures.has_misclustered(all_rows, seed=1)
    assert not figures.has_misclustered(all_rows, seed=7)
    assert not figures.has_misclustered(all_rows[all_rows["table"] == "accuracy"])


@pytest.mark.whole
def test_thumbnails_are_drawn_for_the_ids_that_they_belong_to(few_rows):
    image = np.full((8, 8), 200, np.uint8)
    plain = figures.misclustered(few_rows).svg
    assert plain.count("<image") == 0
    assert figures.misclustered(few_rows, thumbnails={168: image}).svg.count("<image") == 1
    assert figures.misclustered(few_rows, thumbnails={999: image}).svg == plain


def test_a_note_that_tells_no_class_is_refused(few_rows):
    with pytest.raises(MistrustError, match="not like 'id 8688, 6 in cluster 5'"):
        figures.misclustered(few_rows.assign(note="image 7"))
