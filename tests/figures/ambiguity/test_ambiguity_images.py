"""Figures made of images: what is told equals the rows, images are drawn in grey and in colour."""

import re

import numpy as np
import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures import ambiguity as figures
from mistrust.figures.contact import layout
from mistrust.pictures import pack


class TestInterpolation:
    @pytest.mark.whole
    def test_it_tells_seven_of_thirteen_steps(self, all_rows):
        made = figures.interpolation(all_rows)
        line = tidy.select(all_rows, table="interpolation", condition="3/8").sort_values("at", kind="stable")
        shares = line.assign(z0=line["at"].str[3:].astype(float)).sort_values("z0")["value"].iloc[::2]
        told = [f"{share:.0%}" for share in shares]
        assert f"From 3 to 8, probability of 3: {', '.join(told[:-1])} and {told[-1]}." in made.alt
        assert made.svg.count("<image") == 2
        assert made == figures.interpolation(all_rows.iloc[::-1], ["4/9", "3/8"])

    def test_names_with_a_slash_are_given_never_guessed(self, few_rows):
        (pair,) = set(tidy.select(few_rows, table="interpolation")["condition"])
        assert "From first class to second class" in figures.interpolation(few_rows).alt
        named = figures.interpolation(few_rows, classes={pair: ("T-shirt/top", "Ankle boot")})
        assert "From T-shirt/top to Ankle boot" in named.alt

    def test_an_unknown_pair_is_said_with_those_there_are(self, all_rows):
        with pytest.raises(MistrustError, match=r"of pair 1/7; there are 4/9, 3/8"):
            figures.interpolation(all_rows, ["1/7"])

    def test_of_preferred_pairs_two_are_drawn_and_else_the_first_that_there_are(self, all_rows):
        def told(*first):
            return re.findall(r"From (\d) to (\d)", figures.interpolation(all_rows, first=first).alt)

        assert told("1/7", "3/8", "4/9", "0/6") == [("3", "8"), ("4", "9")]
        assert told("3/8") == [("3", "8")]
        assert told("1/7") == [("4", "9"), ("3", "8")]

    def test_of_several_image_sets_the_first_is_drawn(self, few_rows):
        line = tidy.select(few_rows, table="interpolation")
        other = line.assign(data="other", note=pack(np.zeros((4, 4), np.uint8)))
        assert figures.interpolation(pd.concat([line, other])) == figures.interpolation(line)


class TestReach:
    @staticmethod
    def rows(shape):
        image = pack(np.zeros(shape, np.uint8))
        far = [
            {"table": "reach", "condition": pair, "level": z1, "at": f"z0=0.00,z1={z1:.2f}", "metric": "p first",
             "value": 0.5, "note": image}
            for pair in ("3/8", "4/9")
            for z1 in (0, 2, 5)
        ]  # fmt: skip
        beyond = [
            {"table": "reach", "metric": "share of codes beyond", "level": z1, "value": share}
            for z1, share in ((2, 0.05), (5, 0.0001))
        ]
        return tidy.table([*far, *beyond], chapter="ambiguity")

    @pytest.mark.parametrize("shape", [(8, 8), (8, 8, 3)])
    def test_it_shows_every_pair_at_every_distance_and_tells_the_shares(self, shape):
        made = figures.reach(self.rows(shape))
        assert made.svg.count("<image") == 6
        assert (
            "for 3/8 and 4/9, at z1 of 0, 2 and 5; beneath each the probability of the first class, 0.50 to 0.50. "
            "Of the training images, 5.00% lie beyond 2 and 0.01% lie beyond 5." in made.alt
        )
        assert made == figures.reach(self.rows(shape))

    def test_nothing_is_not_drawn(self, all_rows):
        with pytest.raises(MistrustError, match="images far from the clusters"):
            figures.reach(tidy.select(all_rows, table="plane"))


class TestPlane:
    def test_every_place_tells_both_probabilities(self, all_rows):
        made = figures.plane(all_rows, "4/9")
        first = tidy.select(all_rows, table="plane", condition="4/9", at="z0=-1.00,z1=0.00")["value"].iloc[0]
        assert made.data["cells"][6]["say"] == f"Z1 0, z0 -1: 4 with {first:.2f}, 9 with {1 - first:.2f}."
        assert "15 decoded images, z0 from -2 to 2 across, z1 from 1 to -1 down" in made.alt
        assert made.html() == figures.plane(all_rows.iloc[::-1], "4/9").html()

    @pytest.mark.whole
    @pytest.mark.parametrize("shape", [(28, 28), (28, 28, 3)])
    def test_a_page_takes_273_images_even_of_noise(self, shape):
        random = np.random.default_rng(0)
        records = [
            {"at": f"z0={x:.2f},z1={y:.2f}", "value": 0.5, "note": pack((40 * random.random(shape)).astype(np.uint8))}
            for x in np.linspace(-1, 1, 21) for y in np.linspace(-3, 3, 13)
        ]  # fmt: skip
        made = figures.plane(tidy.table(records, table="plane", condition="cat/dog", metric="p first"))
        assert len(made.html()) <= 300_000
        assert made.sheet.count == 273

    def test_a_hole_and_missing_images_are_refused(self, all_rows):
        here = tidy.select(all_rows, table="plane", condition="4/9")
        with pytest.raises(MistrustError, match="do not fill a rectangle"):
            figures.plane(here.iloc[1:])
        with pytest.raises(MistrustError, match="no image in its note"):
            figures.plane(here.assign(note=""))


class TestSheets:
    @pytest.mark.whole
    def test_samples_tell_stated_and_judged(self, all_rows):
        made = figures.examples(all_rows)
        assert "Worst: 3/8 stated 0.42, judged 0.98, 4/9 stated 0.44, judged 0.98" in made.alt
        assert made.svg.count("<image") == 30
        assert figures.examples(all_rows, ["best"], most=3).svg.count("<image") == 3
        assert made == figures.examples(all_rows.iloc[::-1])

    @pytest.mark.whole
    def test_colours_and_long_names_are_drawn(self, few_rows):
        assert figures.examples(few_rows).svg.count("<image") == 30
        assert figures.natural(few_rows).svg.count("<image") == 18

    @pytest.mark.whole
    def test_natural_images_stand_by_rank_and_their_number_is_told(self, all_rows):
        made = figures.natural(all_rows.iloc[::-1])
        assert "3/8 (101, 0.99), 4/9 (102, 0.98)" in made.alt
        assert made.alt.endswith("41 of 300 candidates pass the rule.")
        assert made == figures.natural(all_rows)

    def test_heads_break_behind_slashes_into_two_lines(self):
        assert layout(["4/9"], 5, 6).across == 6
        plan = layout(["T-shirt/top/Ankle boot", "Bag/Coat"], 4.25, 5)
        assert (plan.across, plan.lines) == (3, 2)
        assert plan.head("T-shirt/top/Ankle boot") == "T-shirt/top/\nAnkle boot"


class TestVaePlane:
    def test_it_tells_shares_and_borders(self, all_rows):
        made = figures.vae_plane(all_rows)
        here = tidy.select(all_rows, table="vae-plane")
        assert f"and 9 {(here['condition'] == '9').mean():.0%}." in made.alt
        assert f"In {(here['value'] < 0.5).mean():.0%} of the places" in made.alt
        assert "of the 45 pairs of these classes have a border in common" in made.alt
        assert made == figures.vae_plane(all_rows.iloc[::-1])

    def test_two_classes_in_colour(self, few_rows):
        assert "1 of the 1 pairs" in figures.vae_plane(few_rows).alt
