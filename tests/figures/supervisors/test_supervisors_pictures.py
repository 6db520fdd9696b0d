"""Pictures of the supervisors' chapter: what is told equals the rows."""

import ast
import math
import re

import pandas as pd
import pytest

from mistrust import paths
from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures import supervisors as figures
from mistrust.figures.supervisors.bars import BARS
from mistrust.figures.supervisors.cost import GROWS
from mistrust.figures.supervisors.growth import growth_rate
from mistrust.figures.supervisors.parts import family, in_order
from mistrust.publishing.claims import claims
from mistrust.publishing.published import published
from mistrust.supervisors import SUPERVISORS, make_supervisor
from mistrust.supervisors.experiment.variants import COMPARED
from mistrust.supervisors.made_up import LAYER, made_up

PICTURES = ("inputs", "seen", "rebuilt", "severity", "evaded")
TABLES = {
    "inputs": "inputs", "seen": "seen", "rebuilt": "rebuilt", "detection": "detection", "spread": "spread",
    "mistaken": "mistaken", "trust": "trust", "together": "together", "severity": "severity",
    "evaded": "evaded",
}  # fmt: skip


@pytest.fixture
def drawn(once, all_rows):
    """What gives a figure of all rows by its name, drawn once for all tests."""
    return lambda name: once(getattr(figures, name), all_rows, caption="here")


@pytest.mark.parametrize(("name", "table"), TABLES.items())
def test_missing_rows_are_a_clear_error(name, table, all_rows):
    with pytest.raises(MistrustError, match=r"no rows for the .*: run the chapter"):
        getattr(figures, name)(all_rows[all_rows["table"] != table])


@pytest.mark.parametrize("name", ["inputs", "rebuilt", "spread", "mistaken", "trust", "together", "severity", "evaded"])
def test_an_unknown_image_set_is_said_with_those_there_are(name, both_rows):
    more = {"condition": "nominal"} if name == "trust" else {}
    with pytest.raises(MistrustError, match=r"no rows of 'cifar10' for the .*; there are mnist, fmnist"):
        getattr(figures, name)(both_rows, data="cifar10", **more)


@pytest.mark.whole
@pytest.mark.parametrize("name", PICTURES)
def test_equal_rows_give_equal_bytes(name, all_rows, drawn):
    draw, made = getattr(figures, name), drawn(name)
    assert made == draw(all_rows.iloc[::-1], caption="here")
    assert made.caption == "here"
    assert made.name == f"fig-{name}"


def test_inputs_tell_the_predicted_class_of_each(drawn):
    made = drawn("inputs")
    assert made.svg.count("<image") == 5 * 8
    assert "Images of 5 kinds in MNIST" in made.alt
    assert made.alt.index("Nominal: 1, 7, 1") < made.alt.index("Ambiguous") < made.alt.index("Invalid")


@pytest.mark.whole
def test_long_class_names_leave_room_for_fewer_inputs(make_rows):
    rows = make_rows(classes=("T-shirt/top", "Ankle boot"))
    made = figures.inputs(rows)
    shown = made.svg.count("<image")
    assert 5 * 3 <= shown < 5 * 8
    assert shown % 5 == 0
    assert "T-shirt/top, Ankle boot" in made.alt


def test_maps_tell_the_share_that_alarms(all_rows, drawn):
    made = drawn("seen")
    assert made.svg.count("<image") == 6 + 1  # a map each, and the colours' scale
    held = all_rows[(all_rows["metric"] == "share of the plane")].set_index("method")["value"]
    assert f"Share of the plane that alarms: Max Softmax {held['max_softmax']:.0%}, " in made.alt
    assert made.alt.endswith(f"DSA {held['dsa']:.0%} and Autoencoder {held['autoencoder']:.0%}.")


def test_each_input_stands_beside_what_it_becomes(drawn):
    made = drawn("rebuilt")
    assert made.svg.count("<image") == 5 * 3 * 2
    assert "Nominal: 100, 101 and 102. " in made.alt


def test_severity_tells_both_ends_and_the_accuracy(all_rows, drawn):
    alt = drawn("severity").alt
    assert "severities 1 to 5, mean of 2 corruptions of MNIST" in alt
    assert "DSA 0.53 to 0.85" in alt  # 0.4 + 0.08 l, and 0.1 more for one of two
    assert "accuracy goes from 0.90 to 0.50" in alt
    only = figures.severity(all_rows, ["dsa", "knn"]).alt
    assert "severity: DSA 0.53 to 0.85." in only
    with pytest.raises(MistrustError, match="no rows for the severities"):
        figures.severity(all_rows, ["knn"])


@pytest.mark.whole
def test_evaded_tells_what_gets_past_either_attacker(all_rows, drawn):
    assert "Convolutional: who knows the network alone: Max Softmax 6% to 18%," in drawn("evaded").alt
    only = figures.evaded(all_rows, ["dsa", "knn"])
    assert only.alt.endswith("; who knows the supervisor, too: DSA 32% to 38%.")  # of the linear network
    assert "90%" not in only.alt  # a mean over networks is like none of them
    assert only.caption == ""
    sure = all_rows.assign(n=50, low=all_rows["value"] - 0.05, high=all_rows["value"] + 0.12)
    told = [figures.evaded(sure.assign(over=over), ["dsa"], caption="Here.").caption for over in ("images", "models")]
    assert told == [
        "Here. 50 images; a share's interval reaches up to 0.12 from it.",
        "Here. A share's interval over runs reaches up to 0.12 from it.",
    ]
    with pytest.raises(MistrustError, match="no rows for the attacks on supervisors"):
        figures.evaded(all_rows, ["knn"])


def test_severity_leaves_out_a_corruption_that_has_one_severity(all_rows, drawn):
    """Among the others at that severity alone it would move a line that it does not stand on."""
    some = all_rows[(all_rows["table"] == "severity") & (all_rows["level"] == 1)]
    single = some[some["condition"] == some["condition"].iloc[0]].assign(condition="corrupted/glass", value=0.99)
    made = figures.severity(pd.concat([all_rows, single], ignore_index=True))
    assert made.svg == figures.severity(all_rows).svg
    assert "mean of 2 corruptions of MNIST that have all of them, leaving out 1 with fewer. AUROC" in made.alt
    alone = figures.severity(single.assign(data="mnist")).alt
    assert "mean of 1 corruption of MNIST. AUROC" in alone


class TestCost:
    @pytest.mark.whole
    def test_it_names_those_that_none_beats(self, all_rows, benchmark_rows, once):
        made = once(figures.cost, all_rows, benchmark_rows)
        # Of those that keep no training rows Max Softmax detects best, and only the autoencoder and PCS are faster.
        told = made.alt.partition("what each keeps: ")[2]
        assert told.startswith("Prediction Confidence Score 51 microseconds, 2.5 MB, 0.48 and Max Softmax 60 micro")
        assert "PCS, 2.5 MB" in made.svg  # and where it is drawn
        assert figures.cost(all_rows, benchmark_rows, condition="one record").alt.count("Max Softmax 10 microsec") == 1
        assert made == figures.cost(all_rows.iloc[::-1], benchmark_rows)

    @pytest.mark.whole
    def test_of_two_that_are_as_fast_within_what_times_vary_the_better_one_is_on_the_front(self):
        found = [("max_softmax", 100, 0.70), ("softmax_entropy", 97, 0.69), ("deep_gini", 60, 0.60)]
        common = {"table": "detection", "metric": "auroc", "condition": "invalid/other", "data": "mnist"}
        rows = tidy.table([{"method": name, "value": mean} for name, _, mean in found], **common)

        def front(slower):
            times = [{"method": name, "value": time * slower.get(name, 1)} for name, time, _ in found]
            measured = tidy.table(times, table="supervisors", metric="microseconds an image")
            told = figures.cost(rows, measured).alt.partition("keeps: ")[2]
            return [name for name in ("DeepGini", "Softmax Entropy", "Max Softmax") if name in told]

        assert front({}) == ["DeepGini", "Max Softmax"]
        assert front({"max_softmax": 1.2}) == ["DeepGini", "Softmax Entropy", "Max Softmax"]

    @pytest.mark.whole
    def test_a_slow_one_that_detects_more_is_on_the_front(self, all_rows, benchmark_rows):
        slow = benchmark_rows.copy()
        slow.loc[(slow["method"] == "max_softmax") & (slow["metric"] != "state megabytes"), "value"] = 1e6
        told = figures.cost(all_rows, slow).alt.partition("keeps: ")[2].partition(" Hollow")[0]
        assert [part.split(" ")[0] for part in re.split(r", (?=[A-Z])| and (?=[A-Z])", told)][-1] == "Max"
        assert "MC-Dropout" in told
        assert "Autoencoder" not in told

    def test_what_grows_with_the_training_rows_stands_on_no_front(self, all_rows, benchmark_rows, once):
        """DSA detects best and is as fast as the fastest, for the few rows that it was timed with."""
        told = once(figures.cost, all_rows, benchmark_rows).alt
        front, _, hollow = told.partition("what each keeps: ")[2].partition(" Hollow, ")
        assert "DSA" not in front
        assert hollow == "with a time that grows with the training rows: DSA (2.5 MB)."
        alone = all_rows[all_rows["method"] == "dsa"]
        assert "none is faster" not in figures.cost(alone, benchmark_rows).alt

    @pytest.mark.whole
    @pytest.mark.parametrize(
        ("names", "few", "growing"),
        [
            (set(COMPARED) - {"autoencoder", "dissector"}, 60, {*GROWS} - {"mdsa"}),  # but those that keep weights
            ({"mdsa", "max_softmax"}, 4, {"mdsa"}),  # fewer rows of a class than the layer's 16 features
        ],
    )
    def test_those_that_grow_are_those_that_keep_training_rows(self, names, few, growing):
        """Twice as many rows double what they keep; of the others it stays."""
        grown = set()
        for name in names:
            kept = []
            for rows in (few, 2 * few):
                world, one = made_up(rows=rows), make_supervisor(name)
                if "layer" in one.parameters():
                    one = make_supervisor(name, layer=LAYER)
                state = one.fit(world.record(one, world.training)).fitted.state
                kept.append(sum(values.numel() for values in state.values()))
            if kept[1] > kept[0]:
                grown.add(name)
        assert grown == growing

    def test_without_measured_times_nothing_is_drawn(self, all_rows, benchmark_rows):
        for rows in (benchmark_rows.iloc[:0], benchmark_rows[benchmark_rows["metric"] == "state megabytes"]):
            with pytest.raises(MistrustError, match="no rows for the cost of supervisors"):
                figures.cost(all_rows, rows)


def test_cards_list_every_supervisor_of_the_chapter_family_by_family():
    frame = figures.cards()
    assert list(frame.columns) == ["name", "title", "family", "needs", "parameters", "cost", "paper"]
    assert sorted(frame["name"]) == sorted(COMPARED)
    families = list(dict.fromkeys(frame["family"]))
    assert len(families) == (frame["family"] != frame["family"].shift()).sum()
    assert in_order(["dsa", "autoencoder", "max_softmax"]) == ["max_softmax", "dsa", "autoencoder"]
    assert family("dsa/as published") == "surprise"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dsa", "DSA"),
        ("max_softmax", "Max Softmax"),
        ("dsa/as published", "DSA, as published"),
        ("dsa/nominal only", "DSA, fitted on nominal images only"),
        ("dsa + mc_mutual_information", "DSA + MC-Dropout: mutual information"),
        ("nominal", "Nominal"),
        ("ambiguous/ambiguess", "Ambiguous"),
        ("adversarial/four attacks", "Adversarial"),
        ("corrupted/corruptions", "Corrupted"),
        ("corrupted/shot_noise", "Shot noise"),
        ("nominal and corrupted", "Nominal and corrupted"),
        ("mnist", "MNIST"),
        ("fmnist", "Fashion-MNIST"),
        ("auroc", "AUROC"),
        ("fgsm", "FGSM"),
        ("accuracy", "accuracy"),
        ("", ""),
    ],
)
def test_names_are_told_in_words(name, said):
    assert figures.words(name) == said


@pytest.mark.parametrize("name", SUPERVISORS)
def test_every_supervisor_has_a_short_name_of_its_own(name):
    assert 0 < len(figures.short(name)) <= 16
    assert [other for other in SUPERVISORS if figures.short(other) == figures.short(name)] == [name]


@pytest.mark.whole
def test_a_map_can_be_of_some_supervisors(all_rows):
    made = figures.seen(all_rows, ("dsa", "knn"))
    assert made.svg.count("<image") == 1 + 1
    assert made.alt.count("%") == 2  # 5% of nominal images, and DSA's share
    with pytest.raises(MistrustError, match="no rows for the maps of the plane"):
        figures.seen(all_rows, ("knn",))


@pytest.mark.whole
def test_severity_says_what_it_rests_on_where_rows_tell(all_rows):
    rows = all_rows.assign(n=all_rows["n"].mask(all_rows["table"] == "severity", 200))
    told = "200 images; the means have no interval."
    assert figures.severity(rows, caption="here.").caption == f"here. {told}"
    rows = rows.assign(low=rows["value"] - 0.052, high=rows["value"] + 0.04)
    more = "The interval of one corruption's AUROC reaches up to 0.052 from it (a bound, so rather too wide)."
    assert figures.severity(rows).caption == f"{told} {more}"
    assert figures.reach(all_rows[all_rows["table"] == "severity"]) == "not run"


class TestTables:
    def test_limits_of_the_cards_are_shown_and_none_is_left_out(self):
        found = figures.limits(COMPARED)
        assert set(found["when it cannot tell"]) == {SUPERVISORS[name].card.limits for name in COMPARED}
        assert "" not in set(found["when it cannot tell"])
        assert found["when it cannot tell"].is_unique
        told = ", ".join(found["supervisor"]).replace(" and ", ", ").split(", ")
        assert sorted(told) == sorted(figures.short(name) for name in COMPARED)

    def test_measures_have_a_line_a_kind_and_supervisor(self, both_rows):
        found = figures.measures(both_rows)
        assert len(found) == 4 * 6
        first = found.iloc[0].to_dict()
        assert first["MNIST: AUROC"] == "0.850"
        assert first["Fashion-MNIST: AUROC"] == "0.550"
        assert first["MNIST: FPR at 95% TPR"] == "0.300"
        assert "MNIST: AUPR" not in first
        assert figures.measures(tidy.empty()).empty

    def test_what_was_expected_is_met_or_missed_by_the_rows(self, both_rows):
        rows = both_rows.copy()

        def put(method, condition, value, data="mnist"):
            here = (rows["method"] == method) & (rows["condition"] == condition) & (rows["data"] == data)
            rows.loc[here & (rows["network"] == "all") & (rows["metric"] == "auroc"), "value"] = value

        put("autoencoder", "invalid/other", 0.98)
        put("autoencoder", "invalid/other", 0.8, "fmnist")
        put("dsa", "ambiguous/ambiguess", 0.56)
        put("dsa", "ambiguous/ambiguess", 0.54, "fmnist")
        put("max_softmax", "invalid/other", 0.72, "fmnist")
        found = figures.expected(rows).set_index(["expected", "on"])
        apart = found.pop("not so with this network alone")  # whose rows stayed as they were
        assert apart.loc[("Autoencoder at least 0.97", "MNIST, invalid")] == "convolutional"
        assert apart.loc[("DSA and MDSA above the softmax family", "MNIST, invalid")] == ""
        assert apart.loc[("VR lowest of the softmax family", "MNIST, invalid")] == ""  # not run
        assert found.loc[("Autoencoder at least 0.97", "MNIST, invalid")].tolist() == ["met", ""]
        assert found.loc[("Autoencoder below 0.75", "Fashion-MNIST, invalid")].tolist() == [
            "missed",
            "Autoencoder 0.80",
        ]
        few = "DSA, LSA and MDSA below 0.55"
        assert found.loc[(few, "MNIST, ambiguous")].tolist() == ["missed", "DSA 0.56"]
        assert found.loc[(few, "Fashion-MNIST, ambiguous")].tolist() == ["met", ""]
        above = "DSA and MDSA above the softmax family"
        assert found.loc[(above, "MNIST, invalid")].tolist() == ["met", ""]
        assert found.loc[(above, "Fashion-MNIST, invalid")].tolist() == ["missed", "DSA 0.71, 1 of 4 lie above it"]
        votes = found.loc[[key for key in found.index if key[0].startswith("VR")]]
        assert set(votes["result"]) == {"not run"}  # these rows have no votes
        assert set(figures.expected(tidy.empty())["result"]) == {"not run"}

    def test_stability_leaves_out_what_runs_share(self, all_rows):
        found = figures.stability(all_rows, ("dsa", "autoencoder"))
        assert found["numbers"].tolist() == [2] * 4
        assert found["mean sd"].tolist() == ["0.007"] * 4  # 0 and 0.01 apart
        rows = all_rows.copy()
        shared = (rows["method"] == "autoencoder") & (rows["seed"] == 1)
        rows.loc[shared, "value"] -= 0.01
        found = figures.stability(rows, ("dsa", "autoencoder"))
        assert found["mean sd"].tolist() == ["0.004"] * 4
        assert found["largest sd"].tolist() == ["0.007 (DSA)"] * 4
        assert found["mean sd without what runs share"].tolist() == ["0.007"] * 4
        assert figures.stability(all_rows[all_rows["seed"] != 1], ("dsa",)).empty

    def test_few_runs_understate_a_standard_deviation_by_so_much(self):
        assert [figures.too_small(runs) for runs in (2, 3, 5)] == pytest.approx(
            [1 - 0.797885, 1 - 0.886227, 1 - 0.939986], abs=1e-6
        )  # c4 in tables of quality control (Montgomery, Introduction to Statistical Quality Control, appendix VI)

    def test_what_is_lost_between_image_sets_is_told_run_by_run(self):
        rows = tidy.table(
            [
                {"data": data, "seed": run, "method": name, "value": value + run / 100}
                for data, values in (("mnist", (0.9, 0.8)), ("fmnist", (0.6, 0.7)))
                for name, value in zip(("dsa", "lsa"), values, strict=True)
                for run in range(2)
            ],
            table="detection",
            metric="auroc",
            network="ambiguess-fc",
            condition="invalid/other",
        )
        rows.loc[(rows["data"] == "fmnist") & (rows["seed"] == 1), "value"] += 0.1
        found = figures.falls(rows, "ambiguess-fc", "invalid", ("dsa", "lsa"))
        assert found["value"].tolist() == pytest.approx([0.2, 0.1])  # (0.3 + 0.1) / 2
        assert found["seed"].tolist() == [0, 1]
        assert figures.falls(rows, "ambiguess-fc", "corrupted", ("dsa",)).empty
        assert figures.falls(rows, "ambiguess-conv", "invalid", ("dsa",)).empty
        assert figures.falls(tidy.empty(), "ambiguess-fc", "invalid", ("dsa",)).empty

    def test_bars_for_speed_are_those_of_the_benchmark(self):
        source = (paths.root() / "benchmarks" / "surprise.py").read_text(encoding="utf-8")
        (theirs,) = (
            ast.literal_eval(one.value)
            for one in ast.parse(source).body
            if isinstance(one, ast.Assign) and one.targets[0].id == "BARS"
        )
        assert theirs == BARS
        assert figures.bars(tidy.empty()).empty
        ratios = [{"at": f"{name}, 2 threads, 10000 queries", "value": 4.0} for name in BARS]
        found = figures.bars(tidy.table(ratios, table="surprise", metric="ratio", condition="dnn-tip"))
        assert found["bar"].tolist() == ["at least 100: missed", "at least 4: met", "at least 2: met"]
        assert found.iloc[0].tolist()[:4] == ["DSA", "2", "10,000", "4"]
        assert figures.bars_met(tidy.table(ratios, table="surprise", metric="ratio", condition="dnn-tip")) == "2 of 3"
        assert figures.bars_met(tidy.empty()) == "not run"

    def test_the_share_of_the_fit_is_that_of_a_line_through_two_times(self):
        """Half a second, and a thousandth of a second an input; the peer takes two seconds, and the same an input."""
        at = {count: f"mdsa, 1 threads, {count} queries" for count in (1000, 10_000)}
        ours = {1000: 1.5, 10_000: 10.5}
        theirs = {1000: 3.0, 10_000: 12.0}
        found = [{"at": at[n], "metric": "seconds", "value": time} for n, time in ours.items()]
        found += [{"at": at[n], "metric": "ratio", "value": theirs[n] / ours[n]} for n in ours]
        rows = tidy.table(found, table="surprise")
        assert figures.fit_share(rows, "mdsa") == pytest.approx((0.5 / 1.5, 2 / 3))
        assert all(math.isnan(share) for share in figures.fit_share(tidy.empty(), "mdsa"))
        assert math.isnan(growth_rate(tidy.empty(), "mdsa"))


def test_growth_has_a_line_a_supervisor_and_says_what_was_not_run():
    common = {"chapter": "benchmarks", "table": "surprise", "n": 1000}
    lines = [("growth, dsa", 1000, "seconds", 0.1), ("growth, dsa", 1000, "peak_mb", 3.2),
             ("growth, dsa", 10_000, "seconds", 1.5), ("growth, dsa", 10_000, "peak_mb", 4.0),
             ("growth, lsa", 1000, "seconds", 0.25), ("growth, lsa", 1000, "peak_mb", 1250.4),
             ("dsa, 1 threads, 1000 queries", 1, "seconds", 9.0)]  # fmt: skip
    rows = tidy.table({**common, "at": at, "level": n, "metric": m, "value": v} for at, n, m, v in lines)
    found = figures.growth(rows)
    assert list(found.columns) == ["supervisor", "1,000", "10,000"]
    assert found.values.tolist() == [["DSA", "0.10", "1.50"], ["LSA", "0.25", "not run"]]
    assert figures.growth(rows, "peak_mb")["1,000"].tolist() == ["3", "1,250"]
    assert figures.growth(tidy.empty()).empty


def test_what_the_papers_own_table_does_not_bear_out_is_listed():
    ledger = pd.DataFrame([(one.id, one.id) for one in claims("supervisors")], columns=["id", "claim"])
    found = figures.said(published("supervisors"), ledger).set_index("The text")["Table II"].to_dict()
    assert found == {  # facts 10
        "ambiguess-surprise-detects-ood": "MNIST, adversarial: LSA 0.78 against Max Softmax 0.79; "
        "MNIST, corrupted: LSA 0.73 against Max Softmax 0.78; MNIST, invalid: LSA 0.77 against Max Softmax 0.79",
        "ambiguess-adversarial-ood-reliable": "MNIST, adversarial: LSA 0.78 against Max Softmax 0.79",
        "ambiguess-invalid-mnist-near-one": "MNIST, invalid: Max Softmax 0.79, MC-Dropout (VR) 0.72, "
        "MC-Dropout (MS) 0.80, Ensemble (MS) 0.85, Dissector 0.79",
        "ambiguess-invalid-surprise-perfect": "Fashion-MNIST, invalid: DSA 0.90, LSA 0.86",
        "ambiguess-invalid-mnist-easier": "MNIST to Fashion-MNIST, invalid: 2 of the 9 printed fall by more than 0.1 "
        "(Ensemble (MS) 0.21, Autoencoder 0.51); with those that the caption likens to them, 4 of 16",
        "ambiguess-invalid-softmax-suffers": "MNIST to Fashion-MNIST, invalid: on average over the 5 printed, 0.79 and "
        "0.72, a fall of 0.068; without the ensemble, 0.033",
    }
    fits = published("supervisors").assign(value=0.99)
    kept = figures.said(fits, ledger)["The text"].tolist()
    assert "ambiguess-invalid-surprise-perfect" not in kept
    assert "ambiguess-invalid-mnist-easier" in kept  # nothing falls
    fits.loc[(fits["data"] == "fmnist") & (fits["condition"] == "invalid/other"), "value"] = 0.8
    falling = figures.said(fits, ledger)["The text"].tolist()
    assert not {"ambiguess-invalid-mnist-easier", "ambiguess-invalid-softmax-suffers"} & {*falling}
    lacking = fits[(fits["data"] != "fmnist") | (fits["method"] != "dissector")].assign(value=0.99)
    lacking = figures.said(lacking, ledger)["The text"].tolist()
    assert not {"ambiguess-invalid-mnist-easier", "ambiguess-invalid-softmax-suffers"} & {*lacking}
    assert "ambiguess-surprise-detects-ood" not in kept  # equal numbers contradict nothing


@pytest.mark.parametrize("name", ["inputs", "spread", "mistaken", "severity"])
def test_what_is_of_one_network_says_of_which(name, all_rows):
    of_one = all_rows.assign(network="ambiguess-conv")
    assert getattr(figures, name)(of_one).shown == "MNIST; one network, convolutional"
    two = of_one.assign(network=[("ambiguess-conv", "ambiguess-fc")[i % 2] for i in range(len(of_one))])
    assert getattr(figures, name)(two).shown == ""


def test_training_points_are_drawn_all_along(all_rows):
    """More of a class than are drawn: not those on the left alone."""
    points = [
        {"condition": "class/left", "at": f"x={0.01 * i:.3f},y=0.500", "metric": "point", "value": 0} for i in range(40)
    ]
    maps = all_rows[all_rows["metric"] == "share of the plane"]
    common = {"table": "seen", "data": "three clusters"}
    every, left = (tidy.table(some, **common) for some in (points, points[:20]))
    drawn = [figures.seen(pd.concat([maps, some], ignore_index=True), ("dsa",)).svg for some in (every, left)]
    assert drawn[0] != drawn[1]


class TestPrinted:
    """The paper's numbers beside ours."""

    @staticmethod
    def rows(values):
        found = [
            {"method": name, "condition": kind, "data": data, "value": v} for (name, kind, data), v in values.items()
        ]
        return tidy.table(found, table="detection", network="all", metric="auroc")

    def test_every_printed_number_stands_beside_ours(self):
        paper = published("supervisors")
        ours = paper.assign(profile="full", value=paper["value"] / 2)
        made = figures.printed(ours, paper, caption="here")
        pairs = re.findall(r"(0\.\d\d|1\.00) and (0\.\d\d)", made.alt)
        printed = tidy.select(paper, table="detection", network="all", metric="auroc")["value"]
        assert sorted(float(first) for first, _ in pairs) == sorted(printed.round(2))
        assert all(abs(float(first) / 2 - float(second)) < 0.0051 for first, second in pairs)
        assert made.caption.startswith("here MS: mean softmax")

    def test_what_only_one_of_the_two_has_is_left_out(self):
        both = {("dsa", "invalid/other", "mnist"): 0.98}
        paper = self.rows(both | {("lsa", "invalid/other", "mnist"): 0.77, ("dsa", "invalid/other", "fmnist"): 0.9})
        ours = self.rows(dict.fromkeys(both, 0.95) | {("knn", "invalid/other", "mnist"): 0.9})
        assert figures.printed(ours, paper).alt.partition("and ours. ")[2] == "MNIST, invalid: DSA 0.98 and 0.95."
        assert figures.printed_told(ours, paper) == (
            "Of 1 number that the paper prints, ours come within 0.05 of 1 and within 0.1 of 1."
        )

    def test_a_difference_at_the_bound_is_within_it(self):
        paper, ours = ({("dsa", "invalid/other", "mnist"): one, ("lsa", "invalid/other", "mnist"): two}
                       for one, two in ((0.85, 0.4), (0.9, 0.65)))  # fmt: skip
        told = figures.printed_told(self.rows(ours), self.rows(paper))
        assert "within 0.05 of 1 and" in told
        assert told.endswith("The farthest, 0.25 or more apart: LSA on invalid MNIST (0.40 in the paper, 0.65 ours).")

    def test_without_our_rows_nothing_is_drawn_and_it_is_said(self):
        paper = published("supervisors")
        with pytest.raises(MistrustError, match="no rows for the numbers that the paper prints"):
            figures.printed(tidy.empty(), paper)
        assert figures.printed_told(tidy.empty(), paper) == "Not run."


def test_the_best_worst_case_is_of_what_saw_nominal_images_alone():
    """The mixed fits of KNN and ReAct are better, and so is a fit of one run or on three kinds: none counts."""
    kinds = ("ambiguous/ambiguess", "adversarial/four attacks", "corrupted/corruptions", "invalid/other")
    given = {
        ("variants", "dsa/nominal only"): (0.8, 3, 4), ("detection", "max_softmax"): (0.7, 3, 4),
        ("detection", "knn"): (0.95, 3, 4), ("detection", "react"): (0.95, 3, 4),
        ("variants", "dsa/as published"): (0.95, 3, 4),
        ("variants", "autoencoder/nominal only"): (0.95, 1, 4), ("variants", "vim/nominal only"): (0.95, 3, 3),
    }  # fmt: skip
    found = [
        {"table": table, "method": method, "network": network, "seed": seed, "condition": kind, "value": value + more}
        for (table, method), (value, runs, many) in given.items()
        for network, more in (("ambiguess-conv", 0.01), ("ambiguess-fc", -0.01), ("ambiguess-fc-relu", -0.4))
        for seed in range(runs)
        for kind in kinds[:many]
    ]
    rows = tidy.table(found, metric="auroc", data="mnist")
    assert figures.best_worst(rows) == "DSA (0.80), ahead of Max Softmax by 0.100 [0.100, 0.100] (MNIST)"
    assert figures.best_worst(rows, ["ambiguess-fc-relu"]).startswith("DSA (0.40), ahead of Max Softmax by 0.100")
    mixed = rows[~rows["method"].str.endswith("nominal only")]
    assert figures.best_worst(mixed) == "not run"
