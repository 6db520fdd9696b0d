"""What a notebook calls, on the real chapter with tiny parameters."""

from dataclasses import replace

import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from mistrust import rows as tidy
from mistrust.errors import MistrustError, NoRows
from mistrust.figures.called import subjects
from mistrust.figures.interactive import table
from mistrust.figures.style import Picture
from mistrust.publishing.compare import head
from mistrust.publishing.in_words import in_words
from mistrust.publishing.page import Page, page
from mistrust.publishing.results import this_run

TINY = dict(
    data="digits", train_images=400, test_images=100, architecture="mlm-cnn", networks=1, epochs=8, batch=8, rate=0.01,
    momentum=0.9, perturbations=["brightness"], levels=[1, 10], resamples=20, seed=0,
    schedule="falling", both_schedules=False, quantiles=[0.05], calibrated=0, calibration_images=30, example=5,
)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    for name in ("STORE", "CACHE", "BUILD"):
        patch.setenv(f"MISTRUST_{name}", str(tmp_path_factory.mktemp(name)))
    patch.setenv("MISTRUST_PROGRESS", "0")
    opened = page("misclassification", TINY | {"something": "else that the notebook holds"})
    yield opened, this_run("misclassification")
    patch.undo()


@pytest.fixture
def chapter(made):
    return made[0]


def shown(call):
    InteractiveShell.instance()  # display() prints where no shell runs
    with capture_output() as captured:
        call()
    return captured.outputs


@pytest.mark.whole
def test_it_runs_labels_and_keeps_the_rows(made):
    opened, kept = made
    assert opened.profile == "custom"
    assert tidy.text(kept) == tidy.text(opened.run)


def test_a_parameter_that_is_not_set_is_named():
    with pytest.raises(MistrustError, match="The parameters seed of chapter 'misclassification' are not set"):
        page("misclassification", {name: value for name, value in TINY.items() if name != "seed"})


@pytest.mark.whole
def test_a_figure_carries_alt_text_caption_and_links(chapter):
    (output,) = shown(
        lambda: chapter.show(Picture("<svg/>", "a line that falls to the right", "Text.", "fig-a"), "accuracy")
    )
    about = output.metadata["mistrust"]
    assert about["alt"] == "a line that falls to the right"
    assert about["name"] == "fig-misclassification-a"
    assert "rows/misclassification/accuracy.custom.csv" in about["caption"]
    assert output.data == {"image/svg+xml": "<svg/>"}


def test_a_comparison_has_three_columns_and_says_what_was_not_run(chapter):
    blank = Page(chapter.chapter, chapter.parameters, "custom", chapter.run)
    blank.__dict__["full"] = tidy.empty()
    (output,) = shown(lambda: blank.compare("Clean", table="accuracy", condition="clean", metric="accuracy"))
    html = output.data["text/html"]
    assert 'em">the paper</th>' in html
    assert "our full run" in html
    assert "this run (custom, digits of 8 × 8 pixels, n = 100 to 400)" in html
    assert "<td>not run</td>" in html
    assert "<td>0.9846</td>" in html  # printed in section 4.1
    said = {"table": "accuracy", "condition": "clean", "metric": "accuracy", "by": ("at", "method")}
    (output,) = shown(lambda: blank.compare("Clean", words=lambda name: f"our {name}", **said))
    assert '<th scope="row">our test</th><th scope="row">our network</th>' in output.data["text/html"]


@pytest.mark.whole
def test_a_comparison_can_fold_the_column_of_a_run_that_has_none_of_its_lines(chapter):
    full = chapter.run.assign(profile="full")
    said = {"table": "accuracy", "condition": "clean", "metric": "accuracy"}

    def html(run, **options):
        own = Page(chapter.chapter, chapter.parameters, "custom", run)
        own.__dict__["full"] = full
        (output,) = shown(lambda: own.compare("Clean", **said, **options))
        return output.data["text/html"]

    folded = html(tidy.empty(), fold=True)
    assert 'em">this run' not in folded
    assert "our full run (full, digits" in folded
    assert "This run has none of these lines." in folded
    assert 'em">this run' in html(tidy.empty())
    assert "none of these lines" not in html(chapter.run, fold=True)


def test_a_table_without_lines_is_no_caption_over_nothing(chapter):
    empty = pd.DataFrame(columns=["supervisor", "AUROC"])
    (output,) = shown(lambda: chapter.table(empty, "AUROC <by> passes", benchmark="epochs"))
    html = output.data["text/html"]
    assert "<table" not in html
    assert "AUROC &lt;by&gt; passes. <strong>Not run.</strong> <code>python benchmarks/epochs.py</code>" in html
    (output,) = shown(lambda: chapter.table(empty, "AUROC"))
    assert "fills it" not in output.data["text/html"]
    (output,) = shown(lambda: chapter.table(pd.DataFrame({"supervisor": ["DSA"]}), "AUROC"))
    assert "<table" in output.data["text/html"]


def test_numbers_are_read_from_rows_or_not_run(chapter):
    where = dict(table="accuracy", condition="clean", at="test")
    value = tidy.select(chapter.run, **where)["value"].iloc[0]
    assert in_words(chapter.run, "{value:.3f}", where) == f"{value:.3f}"
    assert in_words(tidy.empty(), "{value}", where) == "not run"
    printed = tidy.table([{"table": "accuracy", "metric": "accuracy", "value": 0.9846}])
    assert in_words(printed, "{value:.2%}, {n}", {"table": "accuracy"}) == "98.46%, not printed"
    with pytest.raises(MistrustError, match="name more columns"):
        in_words(chapter.run, "{value}", {"table": "accuracy"})


def test_it_says_how_it_was_made(chapter):
    (output,) = shown(chapter.made)
    html = output.data["text/html"]
    for word in ("parameter networks", "digits/train", "version of torch", "custom"):
        assert word in html


def test_a_figure_shows_the_full_run_and_a_run_of_ones_own_itself(chapter, monkeypatch):
    full = chapter.run.assign(profile="full", data="mnist").query("table != 'misses'")
    own = Page(chapter.chapter, chapter.parameters, "custom", chapter.run)
    own.__dict__["full"] = full
    rows, named = own.drawn("accuracy")
    assert rows is chapter.run
    assert named == "This run: digits of 8 × 8 pixels; 1 network."
    quick = Page(chapter.chapter, chapter.parameters, "quick", chapter.run)
    quick.__dict__["full"] = full
    assert quick.drawn("accuracy")[1] == "Our full run: MNIST; 1 network."
    assert quick.drawn("misses")[1] == "This run: digits of 8 × 8 pixels; 1 network."  # the full run has none
    assert quick.drawn("nothing")[1] == "Not run."
    monkeypatch.setenv("MISTRUST_FIGURES", "run")  # what CI asks for once, so that both ways are run
    assert quick.drawn("accuracy")[1] == "This run: digits of 8 × 8 pixels; 1 network."


@pytest.mark.whole
def test_of_several_architectures_it_says_how_many_networks_each_has(chapter):
    found = chapter.run.query("table == 'accuracy'")
    both = pd.concat([found.assign(network=name, seed=seed) for name, seed in (("a", 0), ("a", 1), ("b", 0), ("b", 1))])
    own = Page(chapter.chapter, chapter.parameters, "custom", both)
    assert own.drawn("accuracy")[1] == "This run: digits of 8 × 8 pixels; 2 architectures, 2 networks of each."
    fewer = Page(chapter.chapter, chapter.parameters, "custom", both.query("network == 'a' or seed == 0"))
    assert fewer.drawn("accuracy")[1] == "This run: digits of 8 × 8 pixels; 2 architectures, 1 to 2 networks of each."
    alone = Page(chapter.chapter, chapter.parameters, "custom", both.assign(seed=None))
    assert alone.drawn("accuracy")[1] == "This run: digits of 8 × 8 pixels."


def test_a_figure_is_drawn_from_the_first_rows_that_fill_it_and_says_where_none_do(chapter):
    """A run of one's own without level 10 shows the full run's; where that lacks it too, the page goes on."""

    def at_ten(rows, *, caption):
        if not (rows["level"] == 10).any():
            raise NoRows("There are no rows for level 10.")
        return Picture("<svg/>", "a line that falls to the right", caption, "fig-ten")

    def outputs(run, full, *tables, **options):
        own = Page(chapter.chapter, chapter.parameters, "custom", run)
        own.__dict__["full"] = full
        return shown(lambda: own.draw(at_ten, *(tables or ("accuracy",)), caption="At *ten*.", **options))

    whole = chapter.run
    lacking, full = whole[whole["level"] != 10], whole.assign(profile="full", data="mnist")
    (drawn,) = outputs(whole, full)
    assert drawn.metadata["mistrust"]["caption"].startswith("At *ten*. This run: digits of 8 × 8 pixels; 1 network. ")
    (drawn,) = outputs(lacking, full, "accuracy", "matrix", name="twice")
    about = drawn.metadata["mistrust"]
    assert about["caption"].startswith("At *ten*. Our full run: MNIST; 1 network. ")
    assert about["name"] == "fig-misclassification-ten-twice"
    assert "accuracy.full.csv" in about["caption"]
    assert "matrix.full.csv" in about["caption"]
    for made in (outputs(lacking, tidy.empty()), outputs(lacking, full, where={"data": "digits"})):
        (text,) = (one.data["text/html"] for one in made)
        assert "At *ten*. <strong>Not run.</strong> There are no rows for level 10." in text
    (none,) = outputs(whole, full, "nothing & more")
    assert "There are no rows of the table &#x27;nothing &amp; more&#x27;." in none.data["text/html"]


@pytest.mark.whole
def test_a_caption_names_what_its_figure_shows_not_all_that_the_rows_have(chapter):
    both = pd.concat([chapter.run, chapter.run.assign(data="mnist", seed=1), chapter.run.assign(data="mnist", seed=2)])
    own = Page(chapter.chapter, chapter.parameters, "custom", both)

    def drawn(caption, *sets):
        held = both[both["data"].isin(sets)]
        return {"caption": f"{caption} And more.", "shown": subjects(held[held["table"] == "accuracy"]) if sets else ""}

    def one(rows, *, caption, sets):
        return Picture("<svg/>", "a line that falls to the right", name="fig-one", **drawn(caption, *sets))

    def caption(*sets):
        (made,) = shown(lambda: own.draw(one, "accuracy", caption="One.", sets=sets))
        return made.metadata["mistrust"]["caption"].partition(" And more.")[0]

    assert caption("mnist") == "One. This run: MNIST; 2 networks."
    assert caption("digits") == "One. This run: digits of 8 × 8 pixels; 1 network."
    both_sets = "One. This run: digits of 8 × 8 pixels and MNIST; 1 to 2 networks."
    assert caption("digits", "mnist") == caption() == both_sets

    def of_one(rows, *, caption):
        return replace(table({"a": ["b"]}, title="One", alt="A table of one line."), **drawn(caption, "mnist"))

    (made,) = shown(lambda: own.draw(of_one, "accuracy", caption="One."))
    assert "One. This run: MNIST; 2 networks. And more." in made.data["text/html"]


def test_an_error_that_is_not_about_rows_stops_the_page(chapter):
    with pytest.raises(KeyError):
        chapter.draw(lambda rows, caption: rows["no such column"], "accuracy", caption="A mistake.")


def test_numbers_of_a_benchmark_are_said_like_those_of_a_run(chapter):
    times = [
        {"table": "times", "metric": "ratio", "at": at, "value": value, "n": 1200}
        for at, value in (("a", 2.04), ("b", 7.58))
    ]
    benchmark, said = tidy.table(times), {}
    own = Page(chapter.chapter, chapter.parameters, "custom", chapter.run)
    own.__dict__["glue"] = said.__setitem__
    own.say("one", "{value:.1f} of {n:,}", of=benchmark, metric="ratio", at="b")
    own.say("none", of=benchmark, metric="ratio", at="c")
    own.spread("all", "{n}: {low:.1f} to {high:.1f}", of=benchmark, metric="ratio")
    own.spread("nothing", of=tidy.empty(), metric="ratio")
    assert said == {"one": "7.6 of 1,200", "none": "not run", "all": "2: 2.0 to 7.6", "nothing": "not run"}


def test_what_the_full_run_was_asked_for_is_its_profiles_own(chapter):
    assert chapter.asked("networks") == "5"
    never = Page(chapter.chapter, chapter.parameters, "custom", chapter.run)
    never.__dict__["full"] = tidy.empty()
    assert never.asked("networks") == "not run"


def test_verdicts_are_counted_in_words(chapter):
    blank = Page(chapter.chapter, chapter.parameters, "custom", chapter.run)
    blank.__dict__["ledger"] = pd.DataFrame({"verdict": ["holds", "undecided", "undecided", "does not hold", "holds"]})
    assert blank.count_claims() == "2 hold, 1 does not hold, 2 are undecided"
    blank.__dict__["ledger"] = pd.DataFrame({"verdict": ["not run"]})
    assert blank.count_claims() == "1 is not run"


def test_a_table_is_made_from_the_first_rows_that_fill_it_and_says_where_none_do(chapter):
    def at_ten(rows, column):
        if not (rows["level"] == 10).any():
            raise NoRows("There are no rows for level 10.")
        return rows.loc[rows["level"] == 10, [column, "value"]].head(1)

    def output(run, full, name="accuracy"):
        own = Page(chapter.chapter, chapter.parameters, "custom", run)
        own.__dict__["full"] = full
        (found,) = shown(lambda: own.tabulate(at_ten, name, "method", caption="At ten."))
        return found.data["text/html"]

    whole = chapter.run
    lacking, full = whole[whole["level"] != 10], whole.assign(profile="full", data="mnist")
    assert "At ten. This run: digits of 8 × 8 pixels; 1 network." in output(whole, full)
    assert "At ten. Our full run: MNIST; 1 network." in output(lacking, full)
    for run, name in ((lacking, "accuracy"), (whole, "nothing")):
        assert "At ten. <strong>Not run.</strong>" in output(run, lacking, name)


@pytest.mark.parametrize(("networks", "said"), [(1, "1 network)"), (2, "2 networks)")])
def test_one_network_is_one(networks, said):
    line = {"profile": "custom", "data": "digits", "over": "models", "n": networks}
    assert head("this run", [line]).endswith(said)
