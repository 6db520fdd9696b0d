"""Interactive figures of the supervisors' chapter: what stands in them equals the rows."""

import re

import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures import supervisors as figures
from mistrust.figures.interactive.sprites import LIMIT
from mistrust.supervisors import SUPERVISORS


def heads(made):
    return re.findall(r'<th scope="col"[^>]*><span>([^<]+)</span>', made.body.replace("\u00a0", " "))


def lines(made):
    """The table's cells as they are read."""
    return [
        re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", row.replace("\u00a0", " ").replace("\u2011", "-"))
        for row in re.findall(r"<tr>(.*?)</tr>", made.body)[1:]
    ]


def options(made):
    return re.findall(r"<details.*?</details>", made.body)


class TestDetection:
    def test_one_image_set_needs_no_name_in_the_heads(self, all_rows):
        made = figures.detection(all_rows)
        assert heads(made) == ["supervisor", "Ambiguous", "Adversarial", "Corrupted", "Invalid", "family"]
        assert lines(made)[0] == ["Max Softmax", "0.85", "0.87", "0.89", "0.91", "softmax"]
        assert [row[0] for row in lines(made)][-2:] == ["DSA", "Autoencoder"]
        assert "Best: DSA 0.95 (Ambiguous)" in made.alt
        assert made.title.endswith("MNIST")
        assert made.html() == figures.detection(all_rows.iloc[::-1]).html()

    def test_two_image_sets_stand_side_by_side(self, both_rows):
        made = figures.detection(both_rows)
        assert heads(made)[1] == "MNIST ambiguous"
        assert heads(made)[5] == "Fashion-MNIST ambiguous"
        assert lines(made)[0][5] == "0.55"
        # 0.55 is a tenth of the way from chance to perfect; what is below chance is as light as chance.
        assert 'style="--v:0.100" data-key="0.5' in made.body
        assert lines(made)[-1][5] == "0.35"
        assert 'style="--v:0.000" data-key="0.3' in made.body

    def test_what_has_no_mean_over_architectures_stays_empty(self, all_rows):
        rows = all_rows[~((all_rows["method"] == "dsa") & (all_rows["network"] == "all"))]
        assert ["DSA", "–", "–", "–", "–", "surprise"] in lines(figures.detection(rows))
        alone = figures.detection(rows, network="ambiguess-conv")
        assert ["DSA", "0.95", "0.97", "0.99", "1.01", "surprise"] in lines(alone)

    def test_an_unknown_network_is_said_with_those_there_are(self, all_rows):
        with pytest.raises(MistrustError, match=r"no rows of 'vgg' for the detection.*; there are ambiguess-conv, all"):
            figures.detection(all_rows, network="vgg")

    def test_what_the_paper_leaves_out_is_marked_and_said(self, make_rows):
        rows = make_rows(methods=("max_softmax", "ensemble_mean_softmax"))
        made = figures.detection(rows, caption="Here.")
        assert lines(made)[1] == ["Ensemble (MS)", "0.85", "0.87†", "0.89", "0.91", "ensemble"]
        assert lines(made)[0][2] == "0.97"
        assert made.caption.startswith("Here. † Not in the paper")
        assert "only partly transferred" in made.caption
        assert "†" not in figures.detection(make_rows(methods=("max_softmax",))).html()

    def test_a_line_of_ones_own_stands_in_the_table(self, make_rows):
        rows = make_rows(methods=("max_softmax", "ensemble_mean_softmax"))
        made = figures.detection(rows, own={"Rivals": {"ambiguous": 0.61, "adversarial": 0.72, "invalid": 0.83}})
        assert lines(made)[-1] == ["Rivals", "0.61", "0.72", "–", "0.83", "yours"]
        assert len(lines(made)) == 3

    def test_a_line_of_ones_own_that_is_a_whole_table_is_refused(self, all_rows):
        yours = pd.DataFrame({"supervisor": ["yours"], "invalid": [0.9]})
        with pytest.raises(MistrustError, match=r"own has a DataFrame of 'Mine'.*set_index\('supervisor'\).loc\['your"):
            figures.detection(all_rows, own={"Mine": yours})
        one = yours.set_index("supervisor").loc["yours"]
        assert lines(figures.detection(all_rows, own={"Mine": one}))[-1] == ["Mine", "–", "–", "–", "0.90", "yours"]


class TestSpread:
    def test_some_supervisors_can_be_chosen(self, all_rows):
        assert len(options(figures.spread(all_rows, ("dsa", "max_softmax", "knn")))) == 2
        with pytest.raises(MistrustError, match="no rows for the spread of scores"):
            figures.spread(all_rows, ("knn",))

    def test_every_supervisor_has_its_histograms_and_words(self, all_rows):
        made = figures.spread(all_rows)
        assert made.data["groups"] == ["softmax", "softmax", "sampling", "layers", "surprise", "reconstruction"]
        found = options(made)
        assert [one.count("<svg") for one in found] == [4] * 6
        assert "<summary>DSA</summary>" in found[4]
        assert (
            "5% of nominal, 30% of ambiguous, 40% of adversarial, 50% of corrupted and 60% of invalid inputs lie among "
            "the highest twentieth of nominal scores." in found[4]
        )
        assert 'aria-label="Ambiguous: 30% alarm"' in found[4]
        assert made.html() == figures.spread(all_rows.iloc[::-1]).html()

    def test_a_run_of_clothes_alone_shows_itself_and_one_of_both_its_digits(self, all_rows):
        clothes = all_rows.assign(data="fmnist")
        alone = tidy.select(clothes, data=figures.one_set(["fmnist"]))
        assert figures.spread(alone).title.endswith("Fashion-MNIST")
        both = tidy.table([*all_rows.to_dict("records"), *clothes.to_dict("records")])
        assert set(tidy.select(both, data=figures.one_set(["mnist", "fmnist"]))["data"]) == {"mnist"}

    @pytest.mark.whole
    def test_all_supervisors_weigh_little(self, make_rows):
        rows = make_rows(methods=("dsa", *(name for name in SUPERVISORS if name != "dsa"))[:7])
        rows = rows[rows["table"] == "spread"]
        one = rows[rows["method"] == "dsa"]
        every = tidy.check(
            tidy.table(row for name in SUPERVISORS for row in one.assign(method=name).to_dict("records"))
        )
        made = figures.spread(every)
        assert len(options(made)) == len(SUPERVISORS)
        assert len(made.html()) < 150_000


class TestMistaken:
    def test_each_kind_has_its_images_with_their_places(self, all_rows):
        made = figures.mistaken(all_rows, most=3)
        first = options(made)[0]
        assert first.count('class="mt-thumb"') == 5 * 3
        assert "<p>Nominal, most suspicious</p>" in first
        assert "<p>Invalid, least suspicious</p>" in first
        assert re.findall(r"</span><span>([\d.]+)</span>", first)[:6] == [
            "1.00",
            "0.99",
            "0.98",
            "0.10",
            "0.12",
            "0.14",
        ]
        assert made.sheet.count == 6 * 5 * 3
        assert made.html() == figures.mistaken(all_rows.iloc[::-1], most=3).html()

    def test_an_image_that_several_find_is_carried_once(self, all_rows):
        rows = all_rows.copy()
        mistaken = rows["table"] == "mistaken"
        first = rows[mistaken & (rows["method"] == "dsa")].set_index(["condition", "at"])["note"]
        rows.loc[mistaken, "note"] = [
            first[key] for key in zip(rows["condition"][mistaken], rows["at"][mistaken], strict=True)
        ]
        assert figures.mistaken(rows).sheet.count == 5 * 4

    def test_images_that_weigh_too_much_are_fewer(self, make_rows):
        rows = make_rows(side=48)
        made = figures.mistaken(rows)
        shown = options(made)[0].count('class="mt-thumb"') / 5
        assert 1 <= shown < 4
        assert len(made.sheet.uri) <= LIMIT


class TestTrust:
    def test_numbers_and_what_they_are_measured_against(self, all_rows):
        made = figures.trust(all_rows, "nominal")
        assert heads(made) == ["supervisor", "AUROC", "risk at 95%", "risk at 80%", "excess area", "family"]
        assert ["DSA", "0.90", "2.00%", "1.00%", "0.0040", "surprise"] in lines(made)
        assert made.title == "Is the prediction wrong? It is for 4.00% of nominal images of MNIST"
        assert "without a supervisor it is 4.00%" in made.caption
        assert "Largest AUROC: DSA 0.90." in made.alt
        # 4% are wrong, and an oracle would leave none: 1% is three quarters of the way, the darker the less is wrong.
        assert '--v:0.750" data-key="0.01"' in made.body

    def test_intervals_stand_beside_the_numbers_that_they_are_of(self, all_rows):
        wide = (all_rows["table"] == "trust") & (all_rows["metric"] == "auroc") & (all_rows["method"] == "dsa")
        low, high = all_rows["value"] - 0.01, all_rows["value"] + 0.03  # the longer side counts
        made = figures.trust(all_rows.assign(low=low.where(wide), high=high.where(wide)), "nominal")
        assert heads(made)[:4] == ["supervisor", "AUROC", "±", "risk at 95%"]
        found = {line[0]: line[1:4] for line in lines(made)}
        assert found["DSA"] == ["0.90", "0.03", "2.00%"]
        assert found["Max Softmax"][1] not in ("0.03", "nan")
        assert "±: how far the 95% interval reaches from the AUROC." in made.caption

    def test_where_all_are_wrong_there_is_nothing_to_tell(self, all_rows):
        with pytest.raises(MistrustError, match="no rows for the trust in predictions on 'adversarial/four attacks'"):
            figures.trust(all_rows, "adversarial/four attacks")


class TestTogether:
    def test_the_best_pairs_stand_beside_the_best_alone(self, all_rows):
        made = figures.together(all_rows, most=3)
        found = lines(made)
        assert heads(made)[:3] == ["supervisors", "least", "mean"]
        assert ["+" in row[0] for row in found] == [True] * 3 + [False] * 5
        assert found[0] == ["DSA + Autoencoder", "0.91", "0.96", "0.93", "0.93", "0.93", "0.93"]
        assert found[3][:3] == ["DSA", "0.90", "0.95"]
        assert "the best 3 of 15 pairs" in made.alt
        assert "Best single one: DSA, least 0.90, mean 0.95." in made.alt

    def test_the_least_has_its_interval_where_rows_have_one(self, all_rows):
        least = (all_rows["table"] == "together") & (all_rows["metric"] == "least auroc")
        low, high = (all_rows["value"] + by for by in (-0.04, 0.04))
        made = figures.together(all_rows.assign(low=low.where(least), high=high.where(least)), most=3)
        assert heads(made)[1:4] == ["least", "±", "mean"]
        assert lines(made)[0][1:4] == ["0.91", "0.04", "0.96"]
        assert "±: how far the 95% interval reaches from the least." in made.caption
