"""`mistrust assess` from the command line: killed, out of space, called wrongly."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import killing
import pytest
from user_code import network_code

from mistrust import cli, paths
from mistrust.assess import check_folder, write

pytestmark = pytest.mark.whole


@pytest.fixture
def call(capsys):
    def call(*arguments):
        status = cli.main(["assess", *map(str, arguments)])
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


@pytest.fixture
def mine(world, tmp_path):
    (tmp_path / "mine.py").write_text(network_code(world.pickled))
    return ["--model", f"{tmp_path / 'mine.py'}:predict", "--images", world.test, "--minutes", 1e-6, "--budget", 12]


def things():
    return {path: path.stat().st_mtime_ns for path in paths.store().glob("assessment/[!.]*/content.*")}


def report(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_killed_in_the_middle_it_goes_on_and_ends_as_if_nothing_had_happened(call, mine, tmp_path, monkeypatch):
    command = ["assess", *map(str, mine), "--out", str(tmp_path / "broken")]
    with killing.running(killing.command, tmp_path / "said", {"KILLED_AT_CALL": "70"}, *command) as killed:
        killed.join(90)
        assert killed.exitcode == -9, (tmp_path / "said").read_text()
    before = things()
    assert len(before) >= 3
    assert not list((tmp_path / "broken").glob("*.html"))
    status, said, _ = call(*mine, "--out", tmp_path / "broken")
    assert status == 0
    assert "Left out:" in said
    after = things()
    assert {path: after[path] for path in before} == before  # what was made was not made again
    monkeypatch.setenv("MISTRUST_STORE", str(tmp_path / "other"))
    # Nothing depends on how fast the machine is today: the shortest plan is asked for, which is the same everywhere.
    assert call(*mine, "--out", tmp_path / "unbroken")[0] == 0
    assert report(tmp_path / "broken") == report(tmp_path / "unbroken")


def test_a_full_disk_leaves_what_was_made_and_is_no_end(call, mine, tmp_path, monkeypatch):
    resource = pytest.importorskip("resource", reason="a limit on the size of files stands in for a full disk")
    # Python would cut short the bytecode of what is imported meanwhile, and fall over it in the next process.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1200, hard))  # as if no file had more room
    try:
        status, _, err = call(*mine, "--out", tmp_path / "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert status == 2
    assert "No space left for the store" in err
    assert "What was made before is as it was." in err
    before = things()
    assert before
    status, _, err = call(*mine, "--out", tmp_path / "out")
    assert status == 0, err
    assert {path: things()[path] for path in before} == before
    written = report(tmp_path / "out")
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))  # the page is larger
    try:
        status, _, err = call(*mine, "--seed", 0, "--budget", 11, "--out", tmp_path / "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert status == 2
    assert "cannot be written" in err
    assert report(tmp_path / "out") == written


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Where to? Name a folder for the report: --out FOLDER."),
        (["--out", "o"], "Nothing to assess: name a model by --model"),
        (["--out", "o", "--model", "m.pt"], "On which images?"),
        (["--out", "o", "--model", "m.pt", "--outputs", "x.npz"], "not both"),
        (["--out", "o", "--outputs", "x.npz", "--images", "i"], "--outputs needs no images"),
        (
            ["--out", "o", "--model", "m.pt", "--images", "i", "--mean", "1,2"],
            "--mean is '1,2', expected one number, or three",
        ),
        (["--out", "o", "--model", "m.pt", "--images", "i", "--std", "0"], "--std is 0, expected numbers other than 0"),
        (["--out", "o", "--model", "m.pt", "--images", "i", "--size", "8y8"], "--size is '8y8', expected HEIGHTxWIDTH"),
        (["--out", "o", "--model", "m.pt", "--images", "i", "--budget", "0"], "--budget is 0, expected at least 1"),
        (["--out", "o", "--model", "m.pt", "--images", "i", "--channels", "2"], "--channels is 2, expected 1"),
    ],
)
def test_called_wrongly_it_says_what_to_write(call, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = call(*arguments)
    assert (status, out) == (2, "")
    assert message in err


def test_a_folder_with_something_else_is_not_written_into(call, mine, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "diary.txt").write_text("mine")
    status, _, err = call(*mine, "--out", tmp_path / "notes")
    assert status == 2
    assert "holds files that are no report of ours" in err
    assert [path.name for path in Path(tmp_path / "notes").iterdir()] == ["diary.txt"]


def test_a_refused_call_leaves_nothing_behind(call, mine, world, tmp_path):
    (tmp_path / "none.txt").touch()
    status, _, err = call(*mine, "--out", tmp_path / "a" / "report", "--classes", tmp_path / "missing.txt")
    assert (status, "There is no file of class names" in err) == (2, True)
    assert not (tmp_path / "a").exists()


def test_a_report_is_kept_apart_from_images_and_from_those_on_other_models(call, mine, world, tmp_path):
    status, _, err = call(*mine, "--out", world.test / "report")
    assert (status, "lies in the folder of images" in err) == (2, True)
    assert not (world.test / "report").exists()
    out = tmp_path / "out"
    out.mkdir()
    (out / "report.json").write_text('{"model": {"named": "other.onnx"}}')
    status, _, err = call(*mine, "--out", out)
    assert status == 2
    assert "holds a report on other.onnx, and this one is on" in err
    assert [path.name for path in out.iterdir()] == ["report.json"]
    status, _, err = call(*mine, "--train", world.train, "--out", world.train / "report")
    assert (status, "lies in the folder of images" in err) == (2, True)
    # In the parquet layout folders are no classes; and a path may be spelt in many ways.
    (tmp_path / "parquet").mkdir()
    (tmp_path / "parquet" / "test.parquet").touch()
    check_folder(tmp_path / "parquet" / "report", "m.onnx", [tmp_path / "parquet"])
    check_folder(out, "./elsewhere/other.onnx")


def test_a_new_report_takes_a_former_page_to_label_away(whole, tmp_path):
    write(whole.report, tmp_path)
    assert (tmp_path / "label" / "label.html").is_file()
    told = {name: replace(one, files={}) for name, one in whole.report.told.items()}
    write(replace(whole.report, told=told), tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [
        "index.html", "report.json", "rows.csv"
    ]  # fmt: skip


def test_training_images_among_the_others_are_counted_and_all_are_refused(call, mine, world, tmp_path):
    status, _, err = call(*mine, "--train", world.test, "--out", tmp_path / "out")
    assert status == 2
    assert "Every image of" in err
    assert "name images by --images that the model was not trained on" in err
    mixed = shutil.copytree(world.train, tmp_path / "mixed")
    for name in ("high/000.png", "low/001.png"):
        shutil.copy(world.test / name, mixed / name.replace(".png", "b.png"))
    status, said, err = call(*mine, "--train", mixed, "--out", tmp_path / "out")
    assert status == 0, err
    assert "2 of 81 images are among the training images, too" in said
