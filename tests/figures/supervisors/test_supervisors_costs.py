"""Costs of supervisors, by threads: rows of either layout, growth with training rows, and what fewer rows cost."""

import ast
import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from mistrust import paths
from mistrust import rows as tidy
from mistrust.figures import supervisors as figures
from mistrust.figures.style import figure
from mistrust.figures.supervisors.cost import _free_below
from mistrust.figures.supervisors.growth import GROWN
from mistrust.figures.supervisors.parts import family
from mistrust.figures.supervisors.speed import AGREEMENT, BARS
from mistrust.figures.supervisors.threads import by_worker, fewest
from mistrust.publishing.claim_tests.supervisors.reading import SIXTEEN


def assigned(file, name):
    """The value that a benchmark gives to a name."""
    source = (paths.root() / "benchmarks" / file).read_text(encoding="utf-8")
    every = [one for one in ast.parse(source).body if isinstance(one, ast.Assign)]
    (found,) = (one.value for one in every if ast.unparse(one.targets[0]).strip("()") == name)
    return found


def threaded(benchmark, *counts):
    """The times of a benchmark with so many threads, each faster than with fewer, after its other rows."""
    times = benchmark["metric"] == "microseconds an image"
    each = [benchmark[times].assign(at=f"{count} threads", value=benchmark[times]["value"] / count) for count in counts]
    return pd.concat([benchmark[~times], *each], ignore_index=True)


class TestThreads:
    def test_rows_say_it_as_the_last_part_of_where_they_were_measured(self):
        found = [{"at": f"batch=32, {worker}", "value": 2.0} for worker in ("cuda", "16 threads")]
        rows = by_worker(tidy.table(found, table="ensembles", metric="ratio"))
        assert rows["worker"].tolist() == ["cuda", "16 threads"]
        assert set(rows["at"]) == {"batch=32"}
        assert fewest(rows.assign(at=rows["worker"]))["worker"].tolist() == ["16 threads"]

    def test_nothing_says_it_and_nothing_is_lost(self):
        rows = tidy.table([{"at": "all", "value": 1.0}], table="corruptions", metric="ratio")
        assert by_worker(rows)["worker"].tolist() == [""]
        assert fewest(tidy.empty()).empty


class TestTimes:
    @pytest.mark.whole
    @pytest.mark.parametrize("counts", [(1, 2), (2, 1)])
    def test_one_thread_counts_in_whatever_order_rows_stand(self, all_rows, benchmark_rows, counts):
        both, alone = threaded(benchmark_rows, *counts), threaded(benchmark_rows, 1)
        assert figures.cost(all_rows, both) == figures.cost(all_rows, alone)
        assert figures.costs(all_rows, both).equals(figures.costs(all_rows, benchmark_rows))
        assert "Timed with one thread." in figures.cost(all_rows, both).caption
        assert figures.timed_with(both) == "one thread"

    @pytest.mark.whole
    def test_without_one_thread_it_is_what_there_is(self, all_rows, benchmark_rows):
        two = threaded(benchmark_rows, 2)
        assert figures.cost(all_rows, two, caption="Here.").caption.startswith("Here. Timed with two threads. PCS")
        assert figures.timed_with(two) == "two threads"
        assert "Timed" not in figures.cost(all_rows, benchmark_rows).caption

    def test_what_a_fit_takes_stands_beside_it(self, all_rows, benchmark_rows):
        """Of one thread; with the passes where they are chosen, and as none where nothing is learnt."""
        assert set(figures.costs(all_rows, benchmark_rows)["seconds to fit"]) == {"not timed"}
        each = [("dsa", "1 threads", 0.25, np.nan), ("dsa", "2 threads", 0.125, np.nan),
                ("autoencoder", "1 threads", 21.4, 3), ("autoencoder", "2 threads", 12.0, 3)]  # fmt: skip
        fits = [{"method": m, "at": at, "value": v, "level": level} for m, at, v, level in each]
        both = pd.concat(
            [benchmark_rows, tidy.table(fits, table="supervisors", metric="seconds to fit")], ignore_index=True
        )
        found = figures.costs(all_rows, both).set_index("supervisor")["seconds to fit"]
        assert found["DSA"] == "0.25"
        assert found["Autoencoder"] == "21 (3 passes)"
        assert found["Max Softmax"] == "nothing to fit"


def test_a_supervisor_of_ones_own_is_named_as_not_timed(all_rows, benchmark_rows):
    """Nobody benchmarked it: before, it was missing from figure and table without a word."""
    assert "Not timed" not in figures.cost(all_rows, benchmark_rows).caption
    fewer = benchmark_rows[~benchmark_rows["method"].isin(["dsa", "max_softmax"])]
    assert "Not timed, and so not shown: Max Softmax and DSA." in figures.cost(all_rows, fewer).caption
    line = figures.costs(all_rows, fewer).set_index("supervisor").loc["DSA"]
    assert line.tolist()[:4] == ["not timed"] * 4
    assert (
        line["mean AUROC"] == figures.costs(all_rows, benchmark_rows).set_index("supervisor").loc["DSA", "mean AUROC"]
    )
    assert figures.costs(all_rows, tidy.empty()).empty


def test_a_name_stands_where_no_point_is():
    """ViM's point lay under the name of MDSA."""
    axes = figure(4.9).subplots()
    axes.set(xscale="log", xlim=(30, 1200), ylim=(0.58, 0.92))
    place = (163.0, 0.76)
    assert _free_below(axes, "MDSA", place, [place, (163.0, 0.80), (600.0, 0.745), (163.0, 0.66)])
    assert not _free_below(axes, "MDSA", place, [place, (178.0, 0.747)])


class TestGrowth:
    def test_it_is_of_those_that_the_benchmark_grows(self):
        grown = assigned("surprise.py", "GROWN")
        own = [key.value for key in grown.keys if key is not None]  # None: the entries of METHODS
        assert (*(key.value for key in assigned("surprise.py", "METHODS").keys), *own) == GROWN

    def test_thirteen_of_the_sixteen_need_no_line(self):
        """The page counts them by family."""
        steady = Counter(family(name) for name in SIXTEEN if name not in GROWN)
        assert sum(steady.values()) == 13
        assert sorted(steady.values()) == [1, 1, 3, 4, 4]
        cells = json.loads((paths.root() / "notebooks" / "supervisors.ipynb").read_text(encoding="utf-8"))["cells"]
        told = " ".join(" ".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown").split())
        assert "The paper's other thirteen need no such line. The four of one softmax, the four of MC-Dropout" in told
        assert "the three of ensembles learn nothing from training rows. Dissector and the autoencoder train" in told

    def test_what_was_stopped_reads_over_its_limit(self):
        rows = self.grown({("dsa", 1000): 0.5, ("dsa", 9000): 2.0, ("knn", 1000): 1.0}, "over 600 s: knn of 9000 rows")
        found = figures.growth(rows)
        assert found.to_dict("list") == {
            "supervisor": ["DSA", "KNN"], "1,000": ["0.50", "1.00"], "9,000": ["2.00", "over 600 s"],
        }  # fmt: skip
        assert "Stopped because they took too long: KNN with 9,000 rows (over 600 seconds)." in figures.practical(rows)
        timed = rows.assign(level=rows["level"].where(rows["at"] != "growth, knn", 9000))
        assert "None of those that were timed was stopped." in figures.practical(timed)  # by a later run

    def test_words_follow_the_rows(self):
        times = {("vim", 10_000): 1.0, ("vim", 100_000): 12.5, ("mdsa", 10_000): 1.0, ("mdsa", 100_000): 2.0}
        rows = pd.concat([self.grown(times), self.grown({("lsa", 100_000): 7.0, ("vim", 100_000): 3.0}, "", "peak_mb")])
        told = figures.growth_told(rows)
        assert told.startswith("MDSA takes 2.0 times as long with 100,000 rows as with 10,000 and ViM 12.5 times.")
        assert "Not timed in this way: DSA, LSA, KNN and Relative Mahalanobis." in told
        assert told.endswith("rows, ViM needs the least memory, 3 MB, and LSA the most, 7 MB.")
        assert "the slowest is ViM with 12.5 seconds; LSA needs the most memory, 7 MB." in figures.practical(rows)
        assert figures.growth_told(tidy.empty()) == "How time grows with the number of rows was not measured."
        assert figures.practical(tidy.empty()) == "That was not measured."

    @staticmethod
    def grown(values, note="", metric="seconds"):
        found = [{"at": f"growth, {name}", "level": count, "value": v} for (name, count), v in values.items()]
        return tidy.table(found, table="surprise", metric=metric, note=f"2 cores; {note}")


class TestSubsampling:
    @pytest.fixture
    def measured(self):
        values = {("knn", "mnist"): (0.90, (0.88, 0.86)), ("dsa", "fmnist"): (0.80, (0.81, 0.82))}
        found = [{"level": 3, "at": "1/3", "seed": 0, "metric": "training rows", "value": 20_000}]
        for (method, data), (whole, parts) in values.items():
            here = {"method": method, "data": data, "condition": "invalid", "metric": "auroc"}
            found.append({**here, "level": 1, "at": "1/1", "seed": 0, "value": whole})
            found += [{**here, "level": 3, "at": "1/3", "seed": i, "value": v} for i, v in enumerate(parts)]
        return tidy.table(found, table="subsampling")

    def test_means_and_ranges_over_draws(self, measured):
        found = figures.subsampling(measured)
        assert list(found.columns) == ["supervisor", "images", "bad input", "all rows", "1/3"]
        assert found.values.tolist() == [
            ["KNN", "MNIST", "Invalid", "0.900", "0.870 (0.860 to 0.880)"],
            ["DSA", "Fashion-MNIST", "Invalid", "0.800", "0.815 (0.810 to 0.820)"],
        ]
        assert figures.subsampling(tidy.empty()).empty

    def test_the_largest_loss_is_told_with_its_place(self, measured):
        told = figures.fewer_rows(measured)
        assert told == "AUROC falls by at most 0.030 with 1/3 of the rows (KNN, MNIST, invalid); means over 2 draws."
        assert figures.fewer_rows(measured[measured["method"] == "dsa"]).startswith("AUROC falls nowhere with 1/3 of")
        whole = measured[measured["level"] == 1]
        assert figures.fewer_rows(whole) == figures.fewer_rows(tidy.empty())


class TestSpeed:
    @pytest.fixture
    def corruptions(self):
        values = {("mnistc/fog", 1): (4.0, 24.2, 2e-6), ("mnistc/shear", 2): (9.0, 5.0, 1e-7)}
        found = []
        for (at, level), (one, two, apart) in values.items():
            for count, ratio in ((1, one), (2, two)):
                here = {"at": f"{at}, {count} threads", "level": level}
                found += [{**here, "metric": "ratio", "value": ratio}, {**here, "metric": "agreement", "value": apart}]
        return tidy.table(found, table="corruptions", condition="numpy/scipy")

    def test_bars_are_those_of_the_benchmarks(self):
        assert ast.literal_eval(assigned("dropout.py", "BARS")) == {"ambiguess-conv": BARS["dropout"]}
        _, bar, agreement = ast.literal_eval(assigned("corruptions.py", "PEER, BAR, AGREEMENT"))
        assert (bar, agreement) == (BARS["corruptions"], AGREEMENT)

    def test_geometric_means_by_threads_and_what_lies_apart(self, corruptions):
        told = figures.corruptions_told(corruptions)
        assert (
            "over 2 settings, ours are 6 times as fast with one thread and 11 times as fast with two threads;" in told
        )
        assert "the smallest factor is that for Fog, severity 1: 4 times with one thread." in told
        assert told.endswith("differ by more than 1e-06 for Fog, severity 1 (2e-06).")
        near = corruptions[~corruptions["at"].str.contains("fog")]
        assert figures.corruptions_told(near).endswith("Results agree to 1e-06.")
        line = figures.speed(corruptions).iloc[0]
        assert line[["one thread", "two threads", "bar"]].tolist() == ["6", "11", "at least 10: missed"]
        assert figures.speed(corruptions[corruptions["at"].str.endswith("2 threads")])["bar"].item().endswith(": met")

    def test_every_corruption_has_a_line_for_each_number_of_threads(self, corruptions):
        found = figures.corruption_speed(corruptions)
        assert found.values.tolist() == [
            ["Fog", "one thread", "4", ""], ["Fog", "two threads", "24.2", ""],
            ["Shear", "one thread", "", "9"], ["Shear", "two threads", "", "5"],
        ]  # fmt: skip
        assert list(found.columns) == ["corruption", "threads", "1", "2"]
        assert figures.corruption_speed(tidy.empty()).empty

    def test_thread_counts_stand_beside_each_other(self):
        whole = {"network": "ambiguess-fc-relu", "condition": "whole"}
        timed = ((1, "ratio", 2.1), (2, "ratio", 1.5), (1, "agreement", 0), (2, "agreement", 3e-7))
        new = [{**whole, "at": f"samples=9, {n} threads", "metric": name, "value": value} for n, name, value in timed]
        all_ = {"method": "mistrust", "condition": "each alone", "metric": "ratio", "value": 2.06, "at": "2 threads"}
        found = figures.speed(tidy.table(new, table="dropout"), tidy.table([all_], table="supervisors"), tidy.empty())
        assert found[["one thread", "two threads"]].values.tolist() == [["2.1", "1.5"], ["not run", "2.06"]]
        assert found["bar"].tolist() == ["none", "none"]
        assert found["largest difference"].tolist() == ["3e-07", "not compared"]
        assert figures.speed(tidy.empty()).empty

    def test_ensembles_are_told_by_their_settings(self):
        at = {"batch=32, 1 threads": 0.6, "batch=32, 2 threads": 0.9, "batch=128, 2 threads": 1.5}
        found = [{"at": name, "level": 32, "value": value} for name, value in at.items()]
        about = {"network": "ambiguess-conv", "condition": "stacked/channels last", "metric": "ratio", "n": 5}
        rows = tidy.table(found, table="ensembles", **about)
        assert "in 2 of 3 settings: the loop takes 0.6 to 1.5 times as long." in figures.ensembles_told(rows)
        named = figures.speed(rows)["what"].iloc[0]
        assert (
            named == "5 networks trained as one, convolutional, channels last, batches of 32, compared with one by one"
        )
        assert figures.ensembles_told(tidy.empty()) == "Ensembles were not timed."
        assert figures.corruptions_told(tidy.empty()) == "Corruptions were not timed."


def test_passes_that_were_not_given_are_told_and_not_left_empty():
    found = [("dissector", 2, 0.8), ("dissector", 16, 0.9), ("autoencoder", 2, 0.7)]
    lines = [{"method": name, "level": passes, "value": value} for name, passes, value in found]
    table = figures.epochs(tidy.table(lines, table="epochs", metric="auroc", data="mnist", condition="invalid"))
    assert sorted(table[["supervisor", "2", "16"]].values.tolist()) == [
        ["Autoencoder", "0.700", "not run"],
        ["Dissector", "0.800", "0.900"],
    ]
