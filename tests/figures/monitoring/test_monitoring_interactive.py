"""Interactive figures of the chapter on safety monitors: what stands in them equals the rows."""

import re
from html import unescape

import pytest

from mistrust.errors import MistrustError
from mistrust.figures import monitoring as figures
from mistrust.figures.interactive.sprites import LIMIT


def lines(made):
    """The table's cells as they are read."""
    return [
        re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", unescape(row).replace("\u00a0", " "))
        for row in re.findall(r"<tr>(.*?)</tr>", made)[1:]
    ]


def options(made):
    return re.findall(r"<details.*?</details>", made.body)


class TestEveryone:
    def test_it_lists_all_monitors_by_category(self, all_rows):
        made = figures.everyone(all_rows)
        heads = re.findall(r'<th scope="col"[^>]*><span>([^<]+)</span>', made.body)
        kinds = ["Novelty", "Adversarial", "Anomalies", "Shift", "Noise", "All sets"]
        assert heads == ["monitor", *kinds, "false alarms", "family"]
        found = lines(made.body)
        assert [row[0] for row in found] == ["ALOOC", "OOB", "ODIN", "Max Softmax", "MDSA"]
        assert found[0] == ["ALOOC", "0.60", "0.61", "0.62", "0.63", "0.64", "0.65", "5.0%", "the paper's"]
        assert "Best: Novelty MDSA 0.80" in made.alt
        assert made.html() == figures.everyone(all_rows.iloc[::-1]).html()

    def test_misses_have_variants_and_the_fewest_are_the_best(self, all_rows):
        made = figures.everyone(all_rows, "fnr")
        names = [row[0] for row in lines(made.body)]
        assert names[:3] == ["ALOOC", "ALOOC, published rule", "ALOOC, as published"]
        # 0.8 - 2 * 0.2 - 0.05 * 2, the third variant of the third monitor.
        assert "Best: Novelty ODIN, as published 0.30" in made.alt
        # The darkest cell would be 0 misses: 0.8 of them is a fifth of the way.
        assert 'style="--v:0.200"' in made.body

    def test_what_is_not_there_is_said(self, all_rows):
        with pytest.raises(MistrustError, match=r"'accuracy'.*auroc, fnr, mcc"):
            figures.everyone(all_rows, "accuracy")
        with pytest.raises(MistrustError, match="no rows for the auroc of all monitors"):
            figures.everyone(all_rows, at="failures")

    def test_without_nominal_rows_false_alarms_stay_empty(self, all_rows):
        made = figures.everyone(all_rows[all_rows["table"] != "nominal"])
        assert lines(made.body)[0][-2:] == ["–", "the paper's"]


class TestExplorer:
    def test_every_set_has_its_counts_words_and_images(self, all_rows):
        made = figures.explorer(all_rows)
        found = options(made)
        assert len(found) == 9
        assert made.data["groups"] == ["Novelty", "Adversarial", *["Anomalies"] * 2, *["Shift"] * 3, *["Noise"] * 2]
        titles = re.findall(r"<summary>([^<]+)</summary>", made.body)
        assert titles[2:4] == ["Pixel trap, severity 1", "Pixel trap, severity 3"]
        # Of 100 nominal images 2 + 3 alarm; of 100 faulty ones 20 + 30; of 100 novel ones 60.
        assert "nominal and faulty: ALOOC 5% and 50%, OOB 5% and 50% and ODIN 5% and 50%." in found[1]
        assert "nominal and novel: ALOOC 5% and 60%" in found[0]
        assert [one.count("mt-thumb") for one in found] == [3] + [6] * 8
        assert made.html() == figures.explorer(all_rows.iloc[::-1]).html()

    def test_the_oracles_cases_stand_with_their_outcomes(self, all_rows):
        novel, faulty = (lines(one) for one in options(figures.explorer(all_rows))[:2])
        assert [row[2] for row in faulty] == ["2", "3", "90", "5", "20", "30", "10", "40"]
        assert faulty[4] == ["faulty, alarm, class correct", "TP, FP", "20", "20", "20"]
        assert [row[2] for row in novel] == ["2", "3", "90", "5", "60", "40"]
        assert novel[-1] == ["novel, silence", "FN, FN", "40", "40", "40"]

    def test_fewer_images_where_they_would_be_too_heavy(self, make_rows):
        made = figures.explorer(make_rows(side=80))  # 2 of each would be more than a page carries
        assert made.sheet.count == 10
        assert len(made.sheet.uri) <= LIMIT
        with pytest.raises(MistrustError, match="allowed are 300,000"):
            figures.explorer(make_rows(side=120, count=1))

    def test_each_image_says_what_it_is(self, all_rows):
        made = figures.explorer(all_rows, most=1)
        labels = re.findall(r'role="img" aria-label="([^"]+)"', made.body)
        assert labels[:3] == ["image 1, BTSC", "image 1, as it is", "image 1, FGSM"]
        assert "image 1, Pixel trap, severity 3" in labels

    def test_without_pictures_the_counts_stand(self, all_rows):
        made = figures.explorer(all_rows[all_rows["table"] != "shown"])
        assert made.sheet is None
        assert len(options(made)) == 9
