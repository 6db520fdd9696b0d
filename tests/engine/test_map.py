"""Law: the same results in the same order from every engine; bad input; one piece's failure is its own."""

import ast
import functools
import os
import subprocess
import sys
import threading
from pathlib import Path

import engine_pieces as pieces
import pytest
import torch

from mistrust import engine
from mistrust.engine import scripts, work
from mistrust.engine.memory import OPTIONS
from mistrust.errors import MistrustError, MistrustWarning, UnknownName

# The cluster has a file of its own: it starts once there.
ENGINES = ("inline", "processes")


@pytest.mark.whole
@pytest.mark.parametrize("name", [*ENGINES, "auto"])
def test_results_stand_in_the_order_of_the_pieces(name):
    assert engine.map(pieces.squared, range(20), engine=name, workers=3) == [x * x for x in range(20)]


def test_no_pieces_no_results():
    assert engine.map(pieces.squared, [], engine="processes") == []


@pytest.mark.whole
@pytest.mark.parametrize("threads", [1, 2])
def test_equal_to_the_last_bit_with_the_same_threads(threads):
    before = torch.get_num_threads()
    inline, processes = (engine.map(pieces.summed, [1, 2, 3], engine=e, threads=threads, workers=1) for e in ENGINES)
    assert inline == processes
    assert [used for *_, used in inline] == [threads] * 3
    assert torch.get_num_threads() == before


@pytest.mark.whole
def test_where_pieces_run():
    assert set(engine.map(pieces.where, range(3), engine="inline")) == {os.getpid()}
    assert engine.map(pieces.where, [0]) == [os.getpid()]
    others = set(engine.map(pieces.where, range(6), workers=2))
    assert os.getpid() not in others
    assert 1 <= len(others) <= 2


def test_the_environment_names_the_engine(monkeypatch):
    monkeypatch.setenv("MISTRUST_ENGINE", "inline")
    assert set(engine.map(pieces.where, range(3))) == {os.getpid()}
    assert os.getpid() not in engine.map(pieces.where, range(2), engine="processes")


def of_a_process(expression, begin=pieces.BARE, **environment):
    """What an expression gives in a new process: workers are forked from a server, which that process starts."""
    code = f"{begin}\nimport os\nimport engine_pieces as pieces\nfrom mistrust import engine\nprint({expression})"
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), **environment}
    done = subprocess.run([sys.executable, "-c", code], env=here, capture_output=True, text=True, check=True)
    return ast.literal_eval(done.stdout)


@pytest.mark.whole
@pytest.mark.skipif(sys.platform != "linux", reason="glibc gives memory back, and is Linux's")
@pytest.mark.parametrize("name", ENGINES)
def test_pieces_keep_the_memory_that_they_free_unless_the_user_says_else(monkeypatch, name):
    """A block of 16 MiB has 4,096 pages; numpy asks for huge ones where the system has them, 2 MiB each."""
    for variable in OPTIONS:
        monkeypatch.delenv(variable, raising=False)
    asked = f"engine.map(pieces.faults, [16], engine='{name}')"
    own = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
    assert of_a_process(asked)[0] < 20 <= 20 * 8 <= of_a_process(asked, **own)[0]


@pytest.mark.whole
def test_workers_need_not_load_torch_anew_and_read_the_library_anew():
    names = ["torch", "pandas", "mistrust.networks"]
    forked = sys.platform == "linux"
    assert of_a_process(f"engine.map(pieces.loaded, {names}, engine='processes')", begin="") == [forked, forked, False]


@pytest.mark.whole
def test_where_nothing_can_be_forked_workers_are_spawned():
    """As on Windows, with no server to fork from at hand."""
    begin = "import sys; from mistrust.engine import processes as p; p.START = 'spawn'"
    begin += "; sys.modules['multiprocessing.forkserver'] = None"
    assert of_a_process("engine.map(pieces.squared, [2, 3], engine='processes', workers=2)", begin=begin) == [4, 9]


def test_workers_have_the_settings_of_the_house(house, monkeypatch):
    monkeypatch.setenv("MISTRUST_NOVEL", "x")
    monkeypatch.setenv("MISTRUST_STORE", "relative/store")
    monkeypatch.setenv("MISTRUST_PROGRESS", "1")
    (seen, _), _ = engine.map(pieces.settings, ["a", "b"], engine="processes")
    assert seen["MISTRUST_NOVEL"] == "x"
    assert seen["MISTRUST_STORE"] == str((house.cwd() / "relative" / "store").resolve())
    assert seen["MISTRUST_CACHE"] == os.environ["MISTRUST_CACHE"]
    assert seen["MISTRUST_PROGRESS"] == "0"


def test_settings_of_one_asker_do_not_stay_for_the_next():
    """The worker here is a process that lives on; it was started with a setting of its own."""
    first, second, after = of_a_process("pieces.for_two_askers()", MISTRUST_OWN="kept", MISTRUST_STORE="mine")
    assert (first["MISTRUST_NOVEL"], first["MISTRUST_STORE"], first["MISTRUST_OWN"]) == ("x", "/theirs", "kept")
    assert "MISTRUST_NOVEL" not in second
    assert (second["MISTRUST_STORE"], second["MISTRUST_OWN"], second["MISTRUST_PROGRESS"]) == ("mine", "kept", "0")
    assert after["MISTRUST_STORE"] == "mine"
    assert "MISTRUST_NOVEL" not in after


def test_settings_stay_until_the_last_of_several_pieces_is_done(monkeypatch):
    monkeypatch.setenv("MISTRUST_OWN", "kept")
    with work._set({"MISTRUST_NOVEL": "x"}):
        with work._set({"MISTRUST_NOVEL": "x"}):
            pass
        assert (os.environ["MISTRUST_NOVEL"], os.environ["MISTRUST_OWN"]) == ("x", "kept")
    assert "MISTRUST_NOVEL" not in os.environ
    assert os.environ["MISTRUST_OWN"] == "kept"


@pytest.mark.whole
def test_settings_that_the_asker_has_taken_back_are_not_those_of_its_workers():
    """The server that workers are forked from was started when there was one."""
    once = "os.environ.update(MISTRUST_OLD='x'), engine.warm(), os.environ.pop('MISTRUST_OLD')"
    names = ["MISTRUST_OLD", "MISTRUST_NEW"]
    asked = f"({once}, engine.map(pieces.environment, {names}, engine='processes', workers=2))[-1]"
    assert of_a_process(asked, MISTRUST_NEW="y") == [None, "y"]


@pytest.mark.parametrize("name", ENGINES)
def test_failures_are_named_and_the_others_survive(name):
    with pytest.raises(engine.PiecesFailed) as caught:
        engine.map(pieces.fails_at_three, range(1, 7), names=list("abcdef"), engine=name, label="digits")
    text = str(caught.value)
    assert text.startswith("2 of 6 digits failed; the others are finished:")
    assert "\n  c: There is no digit 'threee'. Did you mean 'three'? Known: four, three." in text
    assert "\n  e: KeyError: 'five'" in text
    assert caught.value.results == [-1, -2, None, -4, None, -6]
    assert [failure.name for failure in caught.value.failures] == ["c", "e"]
    cause = caught.value.__cause__
    assert isinstance(cause, UnknownName)
    assert str(cause) in text
    if name == "processes":
        assert "in fails_at_three" in cause.__notes__[0]


@pytest.mark.parametrize("name", ENGINES)
def test_errors_of_every_kind_keep_type_and_message(name):
    ways = ["stubborn", "exit", "os", "good"]
    with pytest.raises(engine.PiecesFailed) as caught:
        engine.map(pieces.fails_in_every_way, ways, engine=name)
    found = [(failure.name, failure.kind, failure.message) for failure in caught.value.failures]
    assert found == [
        ("stubborn", "Stubborn", "one and two"),
        ("exit", "SystemExit", "3"),
        ("os", "OSError", "[Errno 28] No space left on device: 'somewhere'"),
    ]
    error = caught.value.failures[2].error
    assert isinstance(error, OSError)
    assert error.errno == 28
    assert caught.value.results == [None, None, None, "good"]


@pytest.mark.parametrize("name", ENGINES)
def test_equal_failures_are_told_once(name):
    with pytest.raises(engine.PiecesFailed) as caught:
        engine.map(pieces.fails_at_three, [3, 1, 3], names=list("abc"), engine=name, label="digits")
    text = str(caught.value)
    assert "\n  a, c: There is no digit 'threee'." in text
    assert text.count("threee") == 1
    assert [failure.name for failure in caught.value.failures] == ["a", "c"]


@pytest.mark.whole
def test_what_cannot_travel_is_named():
    with pytest.raises(engine.PiecesFailed, match=r"result: TypeError: .*generator") as caught:
        engine.map(pieces.fails_in_every_way, ["result", "good"], engine="processes")
    assert caught.value.results == [None, "good"]
    with pytest.raises(engine.PiecesFailed, match=r"piece 1: .*cannot be sent.*'inline'") as caught:
        engine.map(pieces.where, [threading.Lock(), 1], engine="processes")
    assert caught.value.results[1] is not None


@pytest.mark.whole
def test_functions_from_anywhere_travel():
    offset = 3
    found = engine.map(lambda x: x + offset, [1, 2, 3], engine="processes")
    assert found == [4, 5, 6]
    assert engine.map(functools.partial(pow, 2), [1, 2, 3], engine="processes") == [2, 4, 8]


@pytest.mark.whole
def test_a_map_within_a_piece_runs_inline():
    for pid, inner, _ in engine.map(pieces.nested, [1, 2], engine="processes"):
        assert pid != os.getpid()
        assert inner == [pid] * 3


def test_a_failure_within_a_map_within_a_piece():
    with pytest.raises(engine.PiecesFailed, match=r"(?s)one, two: 1 of 2 inner failed.*piece 2: There is") as c:
        engine.map(pieces.nested_failing, [1, 2], names=["one", "two"], engine="processes")
    assert isinstance(c.value.__cause__, engine.PiecesFailed)
    assert c.value.__cause__.results == [-1, None]


@pytest.mark.parametrize("name", ENGINES)
def test_warnings_of_the_house_come_home(name):
    with pytest.warns(MistrustWarning) as caught:
        engine.map(pieces.warned, [1, 2], engine=name)
    assert sorted(str(one.message) for one in caught) == ["piece 1 was altered", "piece 2 was altered"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"engine": "procesess"}, ["'procesess'", "Did you mean 'processes'", "inline", "local", "tcp://"]),
        ({"engine": "processes", "workers": 0}, ["workers is 0"]),
        ({"workers": 1.5}, ["workers is 1.5"]),
        ({"threads": 0}, ["threads is 0"]),
        ({"names": ["a"]}, ["2 pieces and 1 names"]),
        ({"names": ["a", "a"]}, ["same name: a"]),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(arguments, words):
    with pytest.raises(MistrustError) as caught:
        engine.map(pieces.squared, [1, 2], **arguments)
    for word in words:
        assert word in str(caught.value)


def test_a_bad_number_of_workers_in_the_environment(monkeypatch):
    monkeypatch.setenv("MISTRUST_WORKERS", "many")
    with pytest.raises(MistrustError, match="workers is 'many'"):
        engine.map(pieces.squared, [1, 2])


@pytest.mark.parametrize(
    ("gigabytes", "given", "wanted", "short"),
    [(64, None, 3, False), (3.1, None, 2, True), (0.2, None, 1, True), (0.2, "3", 3, False)],
)
def test_no_more_workers_than_free_memory_holds_unless_they_are_asked_for(
    gigabytes, given, wanted, short, monkeypatch, capsys
):
    monkeypatch.setattr(engine, "cores", lambda: 3)
    monkeypatch.setattr(engine.free, "memory", lambda: int(gigabytes * 2**30))
    monkeypatch.delenv("MISTRUST_WORKERS", raising=False)
    if given:
        monkeypatch.setenv("MISTRUST_WORKERS", given)
    monkeypatch.setenv("MISTRUST_PROGRESS", "1")
    assert len(set(engine.map(pieces.where, range(9), engine="processes"))) == wanted
    assert (f"at once={wanted}, memory is short" in capsys.readouterr().err) == short


def test_importing_the_engine_loads_nothing_heavy():
    code = (
        "import sys, mistrust.engine.processes\n"
        "print([m for m in ('torch', 'pandas', 'numpy', 'dask', 'distributed') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


SCRIPT = """
import sys
from dataclasses import dataclass
from mistrust import engine

@dataclass
class Found:
    x: int

def find(x):
    return Found(x)

found = engine.map(find, [1, 2, 3], engine=sys.argv[1])
print([one.x for one in found], all(type(one) is Found for one in found), sys.modules["__main__"].__file__ == __file__)
"""


@pytest.mark.whole
def test_a_script_without_a_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(pieces.BARE + SCRIPT)
    done = subprocess.run([sys.executable, script, "processes"], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("[1, 2, 3] True True\n", "")


@pytest.mark.whole
def test_a_notebook(tmp_path):
    import nbformat
    from nbclient import NotebookClient

    cells = [
        f"{pieces.BARE}\nfrom mistrust import engine\ndef cube(x):\n    return x**3",
        "engine.map(cube, [1, 2, 3], engine='processes')",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute(cwd=str(tmp_path))
    (output,) = notebook.cells[1].outputs
    assert output["data"]["text/plain"] == "[1, 8, 27]"


def test_the_main_module_comes_back_when_the_last_has_left():
    main = sys.modules["__main__"]
    first, second = scripts.main_hidden(), scripts.main_hidden()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert sys.modules["__main__"] is not main
    second.__exit__(None, None, None)
    assert sys.modules["__main__"] is main


@pytest.mark.whole
@pytest.mark.parametrize("name", ENGINES)
def test_ready_pieces_are_fetched_here_and_stand_in_their_place(name):
    options = {"engine": name, "workers": 2, "ready": lambda piece: piece in (1, 2)}
    assert engine.map(pieces.squared, [3, 1, 4, 2], **options) == [9, 1, 16, 4]
    here = [process == os.getpid() for process in engine.map(pieces.where, [3, 1, 4, 2], **options)]
    assert here == ([True] * 4 if name == "inline" else [False, True, False, True])


def test_where_all_is_ready_no_process_starts(monkeypatch):
    monkeypatch.setattr("mistrust.engine.processes.run", lambda *_: pytest.fail("a process was asked for"))
    assert engine.map(pieces.squared, [1, 2], engine="processes", ready=lambda _: True) == [1, 4]


def test_a_ready_piece_that_fails_is_named_and_the_others_are_made():
    with pytest.raises(engine.PiecesFailed, match="two") as caught:
        engine.map(pieces.fails_at_two, [1, 2, 3], engine="processes", workers=2, ready=lambda piece: piece == 2)
    assert caught.value.results == [1, None, 3]
