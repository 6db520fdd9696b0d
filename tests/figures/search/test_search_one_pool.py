"""One pool in pictures: searches query by query, the grid of confidence and distance, reliability diagrams."""

import base64
import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures.interactive.sprites import LIMIT
from mistrust.figures.search.asked import asked
from mistrust.figures.search.rank import rank
from mistrust.figures.search.reliability import reliability
from mistrust.figures.search.sheet import answers, sheet
from mistrust.figures.search.steps import steps
from mistrust.pictures import pack

# Confidence and whether the prediction is wrong, query by query.
ASKED = {
    "adversarial_distance": ((0.9, 1), (0.8, 0), (0.7, 1), (0.99996, 0)),
    "low_confidence": ((0.66, 0), (0.67, 1), (0.68, 0), (0.7, 1)),
    "random": ((0.95, 0), (0.9, 0), (0.75, 0), (0.9, 0)),
}
WAYS = {"biased/0": "cats_dogs-32", "biased/25": "cats_dogs-32", "overfit/125": "fmnist"}
FIGURES = {"steps": steps, "asked": asked, "sheet": sheet, "rank": rank, "reliability": reliability}
TABLES = {"steps": "steps", "asked": "steps", "sheet": "steps", "rank": "rank", "reliability": "reliability"}


def image(number, side=6):
    return np.random.default_rng(number).integers(0, 256, (side, side, 3), dtype=np.uint8)


def step_rows(side=6, repeat=1):
    """Queries; the images of one method are those of the other where they have the same number."""
    for method, queries in ASKED.items():
        errors, expected = 0, 0.0
        for level, (confidence, wrong) in enumerate(queries * repeat, 1):
            errors, expected = errors + wrong, expected + 1 - confidence
            where = {"table": "steps", "method": method, "at": "cat", "level": level, "seed": 3}
            yield {**where, "metric": "answer", "value": wrong, "note": pack(image(level, side))}
            yield {**where, "metric": "confidence", "value": confidence}
            yield {**where, "metric": "sdr", "value": errors / expected}


def rank_rows(at):
    """Two by two cells: one of 8 right below F, one of 5 right and 2 wrong above, one of 3 wrong below."""
    where = {"table": "rank", "seed": 3}
    for cell, metric, value in (("0/0", "right", 8), ("0/1", "right", 5), ("0/1", "errors", 2), ("1/0", "errors", 3)):
        yield {**where, "at": f"{at}/{cell}", "metric": metric, "value": value}
    lines = {"confidence edge": (0.65, 0.8, 1.0), "log mae edge": (-6, -4, -2), "fitted": (-5, -3.5, -2)}
    for metric, values in lines.items():
        for level, value in enumerate(values):
            yield {**where, "at": at, "level": level, "metric": metric, "value": value}


def reliability_rows():
    """Bins of two models, the second of them empty in one; before scaling 0.1 less accurate."""
    for method, less, ece in (("uncalibrated", 0.1, "ece before"), ("", 0.0, "ece")):
        for seed in (3, 4):
            yield {"table": "panel", "metric": ece, "value": 0.01 + less + 0.02 * (seed - 3), "seed": seed}
            for place, count in ((12, 10), (13, 40), (14, 450)):
                if (place, seed) == (13, 4):
                    continue
                where = {"table": "reliability", "method": method, "at": f"{place}", "level": place / 15, "seed": seed}
                yield {**where, "metric": "confidence", "value": (place + 0.5) / 15}
                yield {**where, "metric": "accuracy", "value": (place + 0.5) / 15 - less - 0.1 * (place == 12)}
                yield {**where, "metric": "n", "value": count}


def made_rows(ways=tuple(WAYS), **more):
    found = []
    for condition in ways:
        data = WAYS[condition]
        for row in (*step_rows(**more), *rank_rows("cat"), *rank_rows("T-shirt/top"), *reliability_rows()):
            found.append({**row, "data": data, "condition": condition, "network": "adversarial-distance-cnn"})
    return tidy.table(found, chapter="search")


@pytest.fixture(scope="module")
def rows():
    return made_rows()


@pytest.fixture(scope="module")
def few(rows):
    """Rows of one condition, which are drawn faster."""
    return rows[rows["condition"] == "overfit/125"]


@pytest.fixture(scope="module")
def stepped(rows):
    return steps(rows)


def text(made):
    return made.html() if hasattr(made, "html") else made


def held(figure):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', figure.html(), re.DOTALL)[1])


@pytest.mark.parametrize("name", FIGURES)
class TestEveryFigure:
    def test_missing_rows_are_a_clear_error(self, name, rows):
        with pytest.raises(MistrustError, match=r"no rows for the .*: run the chapter"):
            FIGURES[name](rows[rows["table"] != TABLES[name]])

    def test_what_is_not_there_is_said_with_what_there_is(self, name, rows):
        with pytest.raises(MistrustError, match=r"no rows of 'mnist' for the .*; there are cats_dogs-32, fmnist"):
            FIGURES[name](rows, data="mnist")
        with pytest.raises(MistrustError, match=r"no rows of '7' for the .*; there are 3"):
            FIGURES[name](rows, seed=7)
        condition = {"conditions": ["gray/gray"]} if name == "reliability" else {"condition": "gray/gray"}
        with pytest.raises(MistrustError, match=r"no rows of 'gray/gray' for the .*; there are biased/0, biased/25"):
            FIGURES[name](rows, **condition)

    @pytest.mark.whole
    def test_equal_rows_give_equal_bytes(self, name, few):
        made = FIGURES[name](few, caption="here")
        assert text(made) == text(FIGURES[name](few.iloc[::-1], caption="here"))
        assert made.caption.startswith("here")
        assert "nan" not in made.alt
        assert "\n" not in made.alt
        assert "Overfitting, 125 training images" in made.alt + getattr(made, "title", "")


class TestSteps:
    def test_each_query_tells_answer_confidence_and_what_came_of_it(self, stepped):
        made = stepped
        assert held(made) == {
            "series": ["Adversarial Distance", "Low confidence", "Random"], "label": "Search", "name": "Query",
        }  # fmt: skip
        said = re.findall(r'<strong class="mt-step">([^<]+)</strong> ([^<]+)<', made.body)
        assert said[:4] == [
            ("wrong at confidence 0.900; SDR so far 10.00", "1 error found; the confidences lead us to expect 0.1."),
            ("correct at confidence 0.800; SDR so far 3.33", "1 error found; the confidences lead us to expect 0.3."),
            ("wrong at confidence 0.700; SDR so far 3.33", "2 errors found; the confidences lead us to expect 0.6."),
            # 2 / 0.60004; a confidence just below 1 is not told as 1.
            (
                "correct at confidence above 0.999; SDR so far 3.33",
                "2 errors found; the confidences lead us to expect 0.6.",
            ),
        ]
        assert said[8][1].startswith("No errors found")
        assert 'aria-label="confidence of the prediction 0.999"' in made.body
        assert "Adversarial Distance, 2 of 4 wrong, SDR 3.33; Low confidence, 2 of 4 wrong, SDR 1.55" in made.alt
        told = "cats and dogs, Biased training, 25% of cats missing, images predicted as cat"
        assert made.title == f"Search query by query: {told}"
        assert made.caption.startswith("4 queries of one network's whole pool: later curves of SDR are means")
        assert made.shown == "cats and dogs; 1 network"  # no name of ours

    def test_images_are_those_of_the_rows_and_stand_once(self, stepped):
        sheet = stepped.sheet
        assert sheet.count == 4  # each is asked about by all three
        pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(sheet.uri.partition(",")[2]))))
        for number in range(4):
            down, across = divmod(number, sheet.columns)
            tile = pixels[down * 6 : down * 6 + 6, across * 6 : across * 6 + 6]
            np.testing.assert_array_equal(tile, image(number + 1))
        shown = re.findall(r"--c:(\d);--r:(\d)", stepped.body)
        assert shown == [("0", "0"), ("1", "0"), ("0", "1"), ("1", "1")] * 3

    def test_the_stand_in_is_the_contact_sheet_of_all_searches(self, rows, stepped):
        assert stepped.static == asked(rows, list(ASKED)).svg

    @pytest.mark.whole
    def test_of_large_images_fewer_queries_are_shown_and_told(self):
        made = steps(made_rows(ways=("biased/0",), side=100, repeat=3))
        assert len(made.sheet.uri) <= LIMIT
        count = made.sheet.count
        assert 2 <= count < 12
        assert made.body.count("<li") == 3 * count
        assert f"of {count} wrong" in made.alt

    def test_certainty_leaves_the_sdr_undefined(self, rows):
        certain = rows[(rows["table"] == "steps") & (rows["method"] == "random") & (rows["metric"] != "sdr")]
        value = certain["value"].mask(certain["metric"] == "confidence", 1.0)
        made = steps(certain.assign(value=value))
        assert "correct at confidence 1.000; SDR so far not defined" in made.body
        assert "confidences of exactly 1 lead us to expect none" in made.body

    def test_a_query_without_confidence_or_image_is_refused(self, rows):
        with pytest.raises(MistrustError, match="lacks its answer or its confidence"):
            steps(rows[~((rows["metric"] == "confidence") & (rows["level"] == 2))])
        with pytest.raises(MistrustError, match="no image in its note"):
            steps(rows.assign(note=""))


class TestAsked:
    def test_it_tells_errors_and_the_running_sdr(self, rows):
        alt = asked(rows).alt
        assert "Adversarial Distance, 4 queries with confidence 0.700 to above 0.999; wrong: queries 1 and 3;" in alt
        assert "running SDR 10.00, 3.33, 3.33, 3.33." in alt
        assert (
            "Random, 4 queries with confidence 0.750 to 0.950; wrong: none; running SDR 0.00, 0.00, 0.00, 0.00." in alt
        )
        assert "Low confidence" not in alt
        assert "cats and dogs, Biased training, 25% of cats missing, images predicted as cat" in alt

    def test_searches_come_as_asked_for_and_no_further_than_wanted(self, rows):
        alt = asked(rows, ["random", "low_confidence"], most=2).alt
        assert alt.index("Random, 2 queries") < alt.index("Low confidence, 2 queries")
        assert "wrong: query 2; running SDR 0.00, 1.49." in alt
        with pytest.raises(MistrustError, match=r"no rows of 'facility' .*; there are adversarial_distance, low"):
            asked(rows, ["facility"])

    def test_errors_and_only_they_are_framed(self, rows):
        def frames(svg):
            return len(re.findall(r"stroke: #d55e00; stroke-width: 4", svg))

        assert frames(asked(rows, ["adversarial_distance"]).svg) == 4 * 2  # four sides
        assert frames(asked(rows, ["random"]).svg) == 0


class TestRank:
    @pytest.mark.whole
    def test_it_tells_instances_errors_and_where_they_lie(self, rows):
        alt = rank(rows, ["cat", "T-shirt/top"]).alt
        # F at the middles of confidence: -4.25 and -2.75; cells at -5 and -3.
        assert (
            "Predicted as cat: 18 images, 5 errors; log MAE from -6.0 to -2.0, F from -5.0 at confidence 0.65 to -2.0 "
            "at 1.00. By the centres of the cells, 60% of the errors and 62% of the correct predictions lie below F."
        ) in alt
        assert "Predicted as T-shirt/top: 18 images, 5 errors" in alt
        assert "Predicted as cat" not in rank(rows, ["T-shirt/top"]).alt

    @pytest.mark.whole
    def test_without_f_the_counts_stand(self, rows):
        alt = rank(rows[rows["metric"] != "fitted"], ["cat"]).alt
        assert "18 images, 5 errors; F is not defined there." in alt

    def test_counts_without_their_edges_are_refused(self, rows):
        with pytest.raises(MistrustError, match="'cat' has 3 edges of confidence, 0 of log MAE and 3 values of F"):
            rank(rows[rows["metric"] != "log mae edge"])


class TestReliability:
    @pytest.mark.whole
    def test_it_tells_error_counts_and_gaps_before_and_after(self, rows):
        alt = reliability(rows, ["biased/25"]).alt
        assert ", mean over 2 models." in alt
        # Of the second model the bin of 40 is empty: 20 on average.
        assert "uncalibrated ECE 0.120, 480 images, in the bin from 0.93 on 450 with confidence 0.967 and" in alt
        assert "accuracy 0.867, farthest apart in a bin with confidence 0.83 and accuracy 0.63 (10 images)" in alt
        assert "calibrated ECE 0.020, 480 images" in alt
        assert "accuracy 0.967, farthest apart in a bin with confidence 0.83 and accuracy 0.73 (10 images)." in alt

    def test_one_model_has_its_own(self, rows):
        alt = reliability(rows, ["biased/25"], seed=3).alt
        assert "model 3." in alt
        assert "calibrated ECE 0.010, 500 images" in alt

    @pytest.mark.whole
    def test_means_of_the_rows_are_taken_where_they_are(self, rows):
        found = rows[rows["condition"] == "biased/25"]
        mean = found[found["seed"] == 3].assign(seed=np.nan)
        mean["value"] = mean["value"].mask(mean["metric"] == "accuracy", 0.5)
        assert "accuracy 0.500" in reliability(tidy.check(pd.concat([found, mean]))).alt
        assert "450 with confidence 0.967 and accuracy 0.500" in reliability(mean).alt

    @pytest.mark.whole
    def test_more_than_four_conditions_are_too_many(self, rows):
        names = ["biased/0", "biased/12", "biased/25", "overfit/125", "overfit/500"]
        one = rows[rows["condition"] == "biased/0"]
        every = tidy.check(pd.concat([one.assign(condition=name) for name in names]))
        with pytest.raises(MistrustError, match="5 reliability diagrams do not fit a picture: name 4"):
            reliability(every, names)
        alt = reliability(every).alt  # those of the first mechanism
        assert alt.count("uncalibrated") == 3
        assert "Overfitting" not in alt

    def test_a_bin_that_lacks_a_number_is_refused(self, rows):
        with pytest.raises(MistrustError, match="A bin of the table 'reliability' lacks"):
            reliability(rows[~((rows["metric"] == "confidence") & (rows["at"] == "13"))])


class TestSheet:
    @pytest.mark.whole
    def test_every_image_is_there_once_the_surest_first_and_no_answer(self, few):
        made = sheet(few)
        assert made.alt.startswith("4 images of one pool (")
        assert made.alt.endswith("with the confidence of its prediction: 1: above 0.999, 2: 0.900, 3: 0.800, 4: 0.700.")
        assert made.svg.count("<image") == 4
        right = few.assign(value=few["value"].mask(few["metric"] == "answer", 0.0))
        assert sheet(right).svg == made.svg

    def test_it_is_of_another_pool_than_the_steps_that_give_its_answers_away(self, few):
        first = few.assign(data="cats_dogs-32", condition="biased/25")
        both = pd.concat([few.assign(data="cifar10", condition="gray/gray"), first], ignore_index=True)
        assert "grey images" in sheet(both).alt
        assert sheet(both, caption="Numbered.").caption.startswith("Numbered. One pool: Shift to grey, grey images; ")
        assert sheet(both).shown == "CIFAR-10; 1 network"
        assert "grey images" not in steps(both).title + sheet(both, data="cats_dogs-32").alt
        assert "grey images" not in sheet(both, condition="biased/25").alt
        right = both.assign(value=both["value"].mask((both["metric"] == "answer") & (both["data"] == "cifar10"), 0.0))
        assert answers(right).startswith("Wrong: 0 of 4")

    def test_the_answers_are_those_of_its_numbers(self, few):
        assert answers(few) == "Wrong: 2 of 4 (2 and 4). All confidences together lead us to expect 0.6."
        # The searches take turns: the first image is one, not three.
        assert answers(few, most=2) == "Wrong: 1 of 2 (1). All confidences together lead us to expect 0.3."
        with pytest.raises(TypeError, match="class"):
            answers(few, **{"class": "cat"})
        right = few.assign(value=few["value"].mask(few["metric"] == "answer", 0.0))
        assert answers(right) == "Wrong: 0 of 4. All confidences together lead us to expect 0.6."
