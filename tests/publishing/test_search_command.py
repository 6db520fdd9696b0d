"""`mistrust search`: from images and scores to a page, from answers to numbers, and every mistake on the way."""

import argparse
import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from mistrust import cli
from mistrust.publishing.commands.search import MODES
from mistrust.publishing.commands.search_parser import add_options
from mistrust.publishing.commands.search_report import diagram, rows_text
from mistrust.search.authors import COLUMNS as AUTHORS
from mistrust.search.authors import Authors
from mistrust.search.labelling import read_answers, report
from mistrust.search.pool import Pool

N = 60
# Every option but those that name a mode, with a value that is not its default; what names files is refused elsewhere.
GIVEN = {
    "images": ("x",), "scores": ("x",), "budget": (20,), "out": ("x",), "method": ("random",), "threshold": (0.9,),
    "class": ("dog",), "fraction": (0.2,), "seed": (1,), "pixels": (100,), "column": ("confidence=c",), "force": (),
}  # fmt: skip


@pytest.fixture
def call(capsys):
    def call(*arguments):
        status = cli.main(["search", *map(str, arguments)])
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


@pytest.fixture
def images(tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    for i in range(N):
        Image.fromarray(np.full((8, 8), 4 * i, dtype=np.uint8)).save(folder / f"{i:03d}.png")
    return folder


@pytest.fixture
def scores(tmp_path):
    """Scores of the images, and of one that is not there but too unsure to be in the pool."""
    rng = np.random.default_rng(0)
    confidence = rng.uniform(0.66, 1, N).round(4)
    frame = pd.DataFrame(
        {
            "id": [f"{i:03d}" for i in range(N)], "predicted": np.where(np.arange(N) % 2, "cat", "dog"),
            "confidence": confidence, "distance": np.exp(4 * confidence - 8 + 0.2 * rng.normal(size=N)).round(6),
        }
    )  # fmt: skip
    frame.loc[N] = ["gone", "dog", 0.5, 0.1]
    frame.to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path / "scores.csv"


def answered(out, tmp_path, words):
    frame = pd.read_csv(out / "ranked.csv", dtype=str, keep_default_na=False)
    frame["answer"] = words
    frame.to_csv(tmp_path / "answers.csv", index=False)
    return tmp_path / "answers.csv"


@pytest.mark.whole
def test_from_images_to_the_report(call, images, scores, tmp_path):
    out = tmp_path / "out"
    status, said, err = call("--images", images, "--scores", scores, "--budget", 20, "--out", out)
    assert (status, err) == (0, "")
    assert "20 of 60 images with a confidence above 0.65, by adversarial_distance" in said
    assert "Distances of 2 predicted classes are compared." in said
    assert "--class 'cat' ranks one class" in said
    ranked = pd.read_csv(out / "ranked.csv", dtype={"id": str})
    assert len(ranked) == 20
    assert (ranked["file"] == ranked["id"] + ".png").all()
    page = (out / "label.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 20
    assert sorted(path.name for path in out.iterdir()) == ["label.html", "ranked.csv"]

    answers = answered(out, tmp_path, ["wrong"] * 5 + ["right"] * 13 + ["unsure", ""])
    status, said, err = call("--answers", answers, "--scores", scores)
    assert (status, err) == (0, "")
    expected = float((1 - ranked["confidence"][:18]).sum())
    assert "18 of 20 images answered right or wrong (1 unsure, 1 without an answer)" in said
    assert f"Errors found   5, where the confidences let one expect {expected:.2f}" in said
    assert f"SDR            {5 / expected:.2f}, 95 % interval" in said
    assert ranked["id"][4] in said.partition("Errors found\n")[2]
    assert (tmp_path / "answers.reliability.svg").read_text().lstrip().startswith("<?xml")
    errors = pd.read_csv(tmp_path / "answers.errors.csv", dtype={"id": str})
    assert errors["id"].tolist() == ranked["id"][:5].tolist()
    course = pd.read_csv(tmp_path / "answers.sdr.csv")
    assert course["sdr"].iloc[-1] == pytest.approx(5 / expected)


def test_the_same_again_changes_nothing_and_another_list_is_not_written_over(call, scores, tmp_path):
    out = tmp_path / "out"
    command = ("--scores", scores, "--out", out, "--budget", 10)
    assert call(*command)[0] == 0
    before = (out / "ranked.csv").read_bytes()
    assert call(*command)[0] == 0
    assert (out / "ranked.csv").read_bytes() == before
    filled = before.replace(b",adversarial_distance,", b",adversarial_distance,right")
    (out / "ranked.csv").write_bytes(filled)  # a person wrote answers into the table
    status, _, err = call(*command)
    assert status == 2
    assert "holds another list, or answers that were written into it" in err
    assert (out / "ranked.csv").read_bytes() == filled
    assert call(*command, "--force")[0] == 0
    assert (out / "ranked.csv").read_bytes() == before


def test_an_image_that_cannot_be_read_leaves_nothing_behind(call, images, scores, tmp_path):
    (images / "007.png").write_text("no image")
    out = tmp_path / "out"
    status, _, err = call("--images", images, "--scores", scores, "--budget", N, "--out", out)
    assert status == 2
    assert "1 image cannot be read" in err
    assert "007.png (no image, or broken)" in err
    assert not out.exists()


def test_options_choose_class_method_threshold_and_columns(call, scores, tmp_path):
    out = tmp_path / "out"
    text = scores.read_text().replace("confidence", "softmax", 1)
    scores.write_text(text)
    status, said, _ = call(
        "--scores", scores, "--out", out, "--budget", 5, "--class", "cat", "--method", "random", "--seed", 1,
        "--threshold", 0.8, "--column", "confidence=softmax",
    )  # fmt: skip
    assert status == 0
    assert "above 0.8, 'cat', by random" in said
    ranked = pd.read_csv(out / "ranked.csv")
    assert set(ranked["predicted"]) == {"cat"}
    assert (ranked["confidence"] > 0.8).all()


def test_zeros_that_a_spreadsheet_dropped_are_recognised(call, images, scores, tmp_path):
    text = re.sub("(?m)^0+(?=[0-9])", "", scores.read_text())
    scores.write_text(text)
    status, _, err = call("--images", images, "--scores", scores, "--out", tmp_path / "out", "--budget", N)
    assert status == 2
    assert "60 of 60 ids without an image" in err
    assert re.search(r"A spreadsheet has dropped leading zeros: '0+(\d+)' would fit '\1'\. Import the column as", err)
    assert "Nearest" not in err


@pytest.fixture
def rows(tmp_path):
    """Eighty rows in the authors' layout, of confidence .9 each; and which of them are wrong."""
    rng = np.random.default_rng(0)
    file = io.StringIO()
    writer = csv.writer(file)
    heads = ["", "Prediction", "Confidence", "True Label", *(f"X{i}" for i in range(1, 6)), "Misclassified", "MAE"]
    writer.writerow(heads)
    wrong = rng.random(80) < 0.25
    for i in range(80):
        writer.writerow([i, 1, 0.9, int(not wrong[i]), *rng.normal(size=5), bool(wrong[i]), 0.01 + i / 1000])
    (tmp_path / "rows.csv").write_text(file.getvalue())
    return tmp_path / "rows.csv", wrong


@pytest.mark.whole
def test_the_authors_layout_gives_sdr_by_search(call, rows):
    path, wrong = rows
    status, said, err = call("--rows", path, "--method", "low_confidence,lowest_distance")
    assert status == 0
    assert "all 80 instances have the same value" in err  # of confidence: all are 0.9
    assert f"80 of 80 rows above the threshold, {wrong.sum()} errors, 8.00 expected" in said
    assert f"\nPool SDR {wrong.sum() / 8:.2f}\n" in said
    assert "measured before" not in said  # which is of the authors' own file
    low = next(line for line in said.splitlines() if line.startswith("Low confidence"))
    assert low.split()[2:5] == [f"{wrong[:20].sum() / 2:.2f}", f"{wrong[:50].sum() / 5:.2f}", str(wrong[:50].sum())]
    assert call("--rows", path, "--method", "low_confidence", "--method", "lowest_distance") == (0, said, err)


def test_a_scores_file_in_place_of_rows_is_recognised(call, scores):
    status, _, err = call("--rows", scores)
    assert status == 2
    assert "looks like a scores file" in err
    assert "Rank it by --scores FILE" in err
    assert "lacks the columns Prediction, True Label, X1, X2, X3, X4, X5, Misclassified, MAE." in err
    assert "--column" not in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--method", "score"), "--method score goes by a score of your own, and the authors' rows hold none"),
        (("--method", "random,scroe"), "There is no search 'scroe'. Did you mean 'score'?"),
        (("--method", "low_confidence", "--fraction", 0.2), "no use to --method low_confidence: leave it out"),
        (
            ("--method", "low_confidence", "--method", "lowest_distance", "--seed", 1),
            "--seed is of no use to --method low_confidence,lowest_distance: leave it out, or take a --method that "
            "reads it: bansal_weld_coded, ",
        ),
    ],
)
def test_mistakes_about_searches_on_rows_are_told_before_the_file_is_read(call, options, message):
    status, out, err = call("--rows", "none.csv", *options)
    assert (status, out) == (2, "")
    assert message in err


def test_too_few_rows_name_the_file_the_threshold_and_what_is_needed(call, rows):
    path, _ = rows
    path.write_text("\n".join(path.read_text().splitlines()[:13]))
    status, out, err = call("--rows", path, "--threshold", 0.85)
    assert (status, out) == (2, "")
    assert err == (
        f"mistrust: {path}: 12 of 12 rows have a confidence above 0.85, and searches are compared at 20 and 50 "
        f"queries, which needs 50 of them: bring a longer file.\n"
    )


def test_every_option_is_read_in_some_mode():
    parser = argparse.ArgumentParser(add_help=False)
    add_options(parser)
    options = {action.option_strings[0].removeprefix("--") for action in parser._actions}
    assert set().union(*MODES.values()) | set(MODES) == options == set(GIVEN) | set(MODES)


@pytest.mark.parametrize(
    ("mode", "name"),
    [
        (mode, name) for mode, reads in MODES.items() for name in GIVEN
        if name not in (mode, *reads, "images") and (mode, name) != ("rows", "scores")
    ],
)  # fmt: skip
def test_an_option_that_a_mode_does_not_read_is_refused(call, mode, name):
    status, out, err = call(f"--{mode}", "none.csv", f"--{name}", *GIVEN[name])
    assert (status, out) == (2, "")
    assert f"--{name} is of no use with --{mode}, which reads --" in err
    assert "leave it out" in err


@pytest.mark.parametrize(
    ("mode", "name"), [(mode, name) for mode, reads in MODES.items() for name in reads if name != "pixels"]
)
def test_an_option_that_a_mode_reads_is_not_refused(call, mode, name):
    assert "of no use with" not in call(f"--{mode}", "none.csv", f"--{name}", *GIVEN[name])[2]


def test_all_useless_options_are_named_at_once(call):
    named = ("--threshold", 0.9, "--class", "dog", "--method", "random", "--budget", 3, "--fraction", 0.2)
    status, out, err = call("--answers", "a.csv", *named)
    assert (status, out) == (2, "")
    assert err == (
        "mistrust: --budget, --method, --threshold, --class and --fraction are of no use with --answers, which reads "
        "--scores, --out, --column and --force: leave them out.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Nothing to search: name what the classifier said by --scores FILE"),
        (("--images", "x"), "--images needs --scores"),
        (("--scores", "x"), "Name a folder for the list and the page: --out FOLDER"),
        (("--scores", "none.csv", "--out", "o"), "none.csv: the scores file cannot be read"),
        (("--answers", "x", "--images", "y"), "--images makes a page and --answers reads results"),
        (("--rows", "x", "--scores", "y"), "--rows reads a file by itself"),
        (("--rows", "none.csv"), "none.csv: the file of rows cannot be read"),
        (("--answers", "none.csv"), "none.csv: the answers file cannot be read"),
        (("--scores", "x", "--out", "o", "--column", "softmax"), "--column is 'softmax', expected NAME=OTHER"),
        (("--scores", "x", "--out", "o", "--pixels", 100), "--pixels is of no use without images"),
        (
            ("--scores", "x", "--out", "o", "--method", "random", "--method", "low_confidence"),
            "--method names 2 searches (random, low_confidence), and a list has the order of one",
        ),
    ],
)
def test_mistakes_of_the_call(call, arguments, message):
    status, out, err = call(*arguments)
    assert (status, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (("confidence", "confidnce"), (), "no column 'confidence'. Nearest: 'confidnce'"),
        (("001,", "000,"), (), "line 3 has '000', which stands in line 2, too"),
        ((",cat,0.", ",cat,9."), (), "expected the probability of the predicted class, in (0, 1]"),
        (("", ""), ("--budget", 61), "60 of 61 have a confidence above 0.65, fewer than the budget of 61"),
        (("", ""), ("--threshold", 0.9999), "none has a confidence above 0.9999"),
        (("", ""), ("--class", "cats"), "no predicted class 'cats'. Did you mean 'cat'"),
        (("", ""), ("--method", "bansal_weld_gain"), "chooses each image by the answers to those before"),
        (("", ""), ("--images", "nowhere"), "there is no such folder of images"),
        (("", ""), ("--fraction", 0.01), "fraction"),
    ],
)
def test_mistakes_of_files_and_settings_write_nothing(call, scores, tmp_path, change, options, message):
    scores.write_text(scores.read_text().replace(*change))
    status, out, err = call("--scores", scores, "--out", tmp_path / "out", *options)
    assert (status, out) == (2, "")
    assert message in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "confidence", "said"),
    [
        ("wrong " * 9 + "right", 0.9, "more errors than its confidences admit: on these images the classifier is over"),
        ("right " * 40, 0.7, "fewer errors than its confidences admit: on these images the classifier is underconf"),
        ("wrong right", 0.8, "more errors than its confidences admit, but chance may explain it"),
        ("right right right", 0.9, "fewer errors than its confidences admit, but chance may explain it"),
        ("wrong " + "right " * 9, 0.9, "about as many errors as its confidences admit"),
    ],
)
def test_the_report_says_in_words_what_sdr_means(call, tmp_path, words, confidence, said):
    lines = [f"{i},{word},{confidence},random" for i, word in enumerate(words.split())]
    (tmp_path / "a.csv").write_text("\n".join(["id,answer,confidence,method", *lines]))
    status, out, err = call("--answers", tmp_path / "a.csv")
    assert (status, err) == (0, "")
    assert f"\nThat is        {said}" in out
    assert "Not answered" not in out
    assert "(exact)" in out
    if words.startswith("wrong right"):
        assert ": chance of 1 error or more, were" in out
        assert "times 1 - confidence may be the true chance of an error (95 %, exact)" in out
    if "wrong" not in words:
        assert "p-value        1: no error speaks against the confidences" in out


def test_intervals_say_that_they_are_of_the_images_answered(call, tmp_path):
    rows = ["0,wrong,0.8", "1,wrong,0.8", "2,,0.8", "3,unsure,0.8", "4,,0.8"]
    (tmp_path / "a.csv").write_text("\n".join(["id,answer,confidence", *rows]))
    _, out, _ = call("--answers", tmp_path / "a.csv")
    assert "(exact, of the 2 answered)" in out
    assert "Not answered   2, left out: what is said here covers the images answered only" in out
    assert "or more times 1 - confidence may be the true chance" in out  # nothing but errors: no upper end
    assert "inf" not in out.replace("interval", "")


def test_answers_of_an_adaptive_search_are_told_without_an_interval(call, tmp_path):
    lines = [f"{i},{'wrong' if i < 4 else 'right'},0.8,bansal_weld_gain" for i in range(12)]
    (tmp_path / "a.csv").write_text("\n".join(["id,answer,confidence,method", *lines]))
    status, said, err = call("--answers", tmp_path / "a.csv")
    assert (status, err) == (0, "")
    assert f"SDR            {4 / 2.4:.2f}, without an interval\n" in said
    assert "'bansal_weld_gain' chooses each image by the answers before" in said
    assert "simulated_null" in said
    assert "exact)" not in said
    assert "nan" not in said
    assert re.search(r"^10 +4 +2\.00 +2\.00 +- +-$", said, re.MULTILINE)  # after ten answers: neither interval nor p
    found = report(read_answers(tmp_path / "a.csv"))
    assert np.isnan([found.sdr_low, found.sdr_high, found.low, found.high, found.p]).all()
    assert diagram(found, "bansal_weld_gain").alt.endswith("SDR 1.67, 12 answers.")


def test_reports_on_another_list_are_not_written_over(call, tmp_path):
    path, report_on = tmp_path / "answers.csv", tmp_path / "answers.sdr.csv"

    def write(*rows):
        lines = [",".join(map(str, row)) for row in [("rank", "id", "confidence", "answer"), *rows]]
        path.write_text("\n".join(lines))

    first = [(1, "001", 0.9, "wrong"), (2, "002", 0.8, ""), (3, "003", 0.7, "right")]
    write(*first)
    assert call("--answers", path)[0] == 0
    write(first[0], (2, "002", 0.8, "right"), first[2])  # one more answer to the same list
    assert call("--answers", path)[0] == 0
    assert len(pd.read_csv(report_on)) == 3
    before = report_on.read_bytes()
    for other in ([(1, "001", 0.95, "wrong"), *first[1:]], [(4, *first[0][1:]), *first[1:]], first[1:]):
        write(*other)
        status, out, err = call("--answers", path)
        assert (status, out) == (2, "")
        assert "is a report on another list: name another folder by --out, rename the answers file, or write" in err
        assert report_on.read_bytes() == before
    assert call("--answers", path, "--out", tmp_path / "elsewhere")[0] == 0
    assert call("--answers", path, "--force")[0] == 0
    assert len(pd.read_csv(report_on)) == 1
    report_on.write_text("something else")
    assert call("--answers", path)[0] == 2
    report_on.unlink()
    assert "answers.reliability.svg is a report on another list" in call("--answers", path)[2]


def test_a_search_that_nobody_knows_has_no_interval_that_could_be_wrong(call, tmp_path):
    (tmp_path / "a.csv").write_text("id,answer,confidence,method\n1,wrong,0.9,bansal_weld_gian\n")
    status, out, err = call("--answers", tmp_path / "a.csv")
    assert (status, out) == (2, "")
    assert "names 'bansal_weld_gian', which is no search here" in err
    assert "Did you mean 'bansal_weld_gain'?" in err
    assert "clear the column if the order stood before the first answer" in err


def test_answers_of_two_people_are_put_together(call, tmp_path):
    for name, words in {"anna": "wrong right right unsure", "ben": "wrong wrong right right"}.items():
        lines = [f"{i},cat,0.{9 - i},random,{word}" for i, word in enumerate(words.split())]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,predicted,confidence,method,answer", *lines]))
    files = ("--answers", tmp_path / "anna.csv", "--answers", tmp_path / "ben.csv")
    status, said, err = call(*files)
    assert (status, err) == (0, "")
    assert re.search(r"^anna and ben +3 +2 +0\.40$", said, re.MULTILINE)
    assert "1 image is right to one and wrong to another, and counts as unsure:" in said
    assert "3 of 4 images answered right or wrong (1 unsure)" in said
    assert f"SDR            {1 / (0.1 + 0.3 + 0.4):.2f}, 95 % interval" in said
    conflicts = pd.read_csv(tmp_path / "anna+ben.conflicts.csv", dtype=str)
    assert conflicts.to_dict("records") == [
        {"id": "1", "predicted": "cat", "confidence": "0.8", "anna": "right", "ben": "wrong"}
    ]
    assert (tmp_path / "anna+ben.sdr.csv").is_file()
    assert call(*files[:2], *files[:2])[2].endswith("name each file once.\n")


def test_a_parameter_is_called_as_it_is_typed(call, scores, tmp_path, rows):
    table = pd.read_csv(scores)
    table.loc[: N - 2, "confidence"] = 0.9  # so many alike that a window holds nothing else
    table.to_csv(scores, index=False)
    command = ("--scores", scores, "--out", tmp_path / "out", "--budget", 3)
    status, _, err = call(*command, "--fraction", 0.2)
    assert status == 2
    assert "or raise --fraction." in err
    assert "mistrust: --fraction is 2, expected" in call(*command, "--fraction", 2)[2]
    assert "mistrust: --fraction is 0, expected" in call("--rows", rows[0], "--fraction", 0)[2]


def test_copied_lines_of_rows_are_said_and_left_out(call, rows):
    path, wrong = rows
    text = path.read_text()
    path.write_text(text + text.split("\n", 1)[1])
    status, said, _ = call("--rows", path, "--method", "low_confidence")
    assert status == 0
    assert f"80 of 80 rows above the threshold, {wrong.sum()} errors, 8.00 expected" in said
    assert "\n80 lines are copies of others to the last cell and were left out\n" in said


def test_a_folder_that_cannot_be_written_is_named(call, scores, tmp_path):
    (tmp_path / "taken").write_text("a file")
    status, _, err = call("--scores", scores, "--budget", 5, "--out", tmp_path / "taken" / "out")
    assert status == 2
    assert "name another folder by --out" in err
    assert (tmp_path / "taken").read_text() == "a file"


def test_help_shows_how_a_scores_file_looks(capsys):
    with pytest.raises(SystemExit):
        cli.main(["search", "--help"])
    said = capsys.readouterr().out
    assert "id, predicted, confidence[, distance]" in said
    assert "mistrust search --answers" in said
    assert ", ".join(column.name for column in AUTHORS) in said  # of --rows, too


def test_what_was_measured_before_stands_beside_the_authors_own_file_searched_as_they_did():
    pool = Pool(ids=np.arange(4), confidence=np.array([0.7, 0.8, 0.9, 0.95]))
    theirs = Authors(pool, np.array([True, False, False, True]), 5058, Path("theirs.csv"), 0.65)
    found = pd.DataFrame(
        [{"method": "adversarial_distance", "sdr20": 4.2, "sdr50": 4.1, "errors50": 9, "low50": 2.0, "high50": 7.0}]
    )
    said = rows_text(theirs, found)
    assert "(measured before: 2.98)" in said
    assert "4.20 (measured before: 4.22)  4.10 (measured before: 4.05)" in said
    for other, fraction in ((replace(theirs, rows=999), 0.1), (replace(theirs, threshold=0.8), 0.1), (theirs, 0.3)):
        assert "measured before" not in rows_text(other, found, fraction)


def test_a_column_that_is_nearly_the_distance_is_not_passed_over_in_silence(call, scores, tmp_path):
    table = pd.read_csv(scores).rename(columns={"distance": "distanc"})
    table.assign(distanc=table.get("distanc", 0.5)).to_csv(scores, index=False)
    status, said, _ = call("--scores", scores, "--out", tmp_path / "out", "--budget", 3)
    assert status == 0
    assert "The column 'distanc' was not read. If it holds distances, name it: --column distance=distanc\n" in said
    status, said, _ = call(
        "--scores", scores, "--out", tmp_path / "other", "--budget", 3, "--column", "distance=distanc", "--method",
        "lowest_distance",
    )  # fmt: skip
    assert status == 0
    assert "was not read" not in said


def test_images_of_one_name_in_two_folders_are_told_apart(call, tmp_path):
    for name in "ab":
        (tmp_path / "images" / name).mkdir(parents=True)
        Image.new("L", (4, 4)).save(tmp_path / "images" / name / "1.png")
    (tmp_path / "scores.csv").write_text("id,predicted,confidence\na/1.png,cat,0.9\nb/1,cat,0.8\n")
    out = tmp_path / "out"
    found = call("--images", tmp_path / "images", "--scores", tmp_path / "scores.csv", "--out", out, "--budget", 2)
    assert (found[0], found[2]) == (0, "")
    assert pd.read_csv(out / "ranked.csv")["file"].tolist() == ["b/1.png", "a/1.png"]
    page = (out / "label.html").read_text(encoding="utf-8")
    assert '"file": "b/1.png"' in page
    assert '"file": "a/1.png"' in page
    assert str(tmp_path) not in page


def test_few_images_have_wider_windows_and_it_is_said(call, tmp_path):
    rng = np.random.default_rng(0)
    confidence = 0.66 + 0.33 * rng.random(33)
    table = pd.DataFrame({"id": range(33), "predicted": "cat", "confidence": confidence})
    table.assign(distance=np.exp(3 * confidence + 0.3 * rng.standard_normal(33))).to_csv(
        tmp_path / "few.csv", index=False
    )
    status, said, _ = call("--scores", tmp_path / "few.csv", "--out", tmp_path / "out", "--budget", 3)
    assert status == 0
    assert "by adversarial_distance\nThe images are few: the trend of distance on confidence takes 30% of them" in said


def test_one_image_under_two_names_is_refused_and_nothing_is_written(call, images, scores, tmp_path):
    table = pd.read_csv(scores, dtype={"id": str})[:40]
    twice = pd.concat([table, table[:1].assign(id="000.png")])
    twice.to_csv(scores, index=False)
    out = tmp_path / "out"
    status, _, err = call("--images", images, "--scores", scores, "--out", out, "--budget", 41)
    assert status == 2
    assert "are both this image, which would be asked for and counted twice" in err
    assert "'000'" in err
    assert "'000.png'" in err
    assert not out.exists()


@pytest.mark.parametrize(
    ("confidences", "said"),
    [
        # The factor that explains five of five is 15.8 at least: three of the chances have long reached 1 by then, and
        # the others are 0.158, which makes 3.3 errors where 1.04 were to be expected.
        ((0.66, 0.66, 0.66, 0.99, 0.99), r" SDR 4\.81 \(3\.19 to 4\.81\), 5 answers\.$"),
        ((0.9, 0.9), r" SDR 10\.00 \(1\.58 to 10\.00\), 2 answers\.$"),
    ],
)
def test_a_diagram_prints_the_interval_of_sdr_and_not_of_the_factor(tmp_path, confidences, said):
    lines = [f"{i}.png,cat,{c},wrong" for i, c in enumerate(confidences)]
    (tmp_path / "answers.csv").write_text("\n".join(["id,predicted,confidence,answer", *lines]))
    found = report(read_answers(tmp_path / "answers.csv"))
    assert re.search(said, diagram(found, "").alt)
