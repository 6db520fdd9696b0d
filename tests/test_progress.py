"""Progress bars: on stderr, switched off by one variable, closed whatever happens."""

import pytest

from mistrust.progress import LOG, bar, shown


@pytest.fixture
def stderr(monkeypatch, capsys):
    def show(value):
        monkeypatch.setenv("MISTRUST_PROGRESS", value)
        return capsys

    return show


def test_a_bar_says_what_goes_on(stderr):
    capsys = stderr("1")
    with bar(3, "training", "epoch") as progress:
        progress.say(loss=0.25)
        progress.update()
        progress.update(2)
        assert progress.done == 3
    out, err = capsys.readouterr()
    assert out == ""
    last = err.replace("\r", "\n").strip().splitlines()[-1]
    assert last.startswith("training: 100%")
    assert "3/3" in last
    assert "loss=0.25" in last


def test_a_bar_that_is_off_writes_nothing(stderr):
    capsys = stderr("0")
    assert not shown()
    with bar(3, "training") as progress:
        progress.say(loss=1)
        progress.update(3)
    assert capsys.readouterr() == ("", "")


def test_a_bar_is_closed_when_work_breaks_off(stderr):
    capsys = stderr("1")

    def work():
        with bar(4, "training") as progress:
            progress.update()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        work()
    assert "1/4" in capsys.readouterr().err


def test_a_bar_whose_steps_take_long_shows_what_is_said_meanwhile(stderr, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("mistrust.progress.time.monotonic", lambda: now[0])
    capsys = stderr("1")
    with bar(2, "targeted", "pair") as progress:
        capsys.readouterr()
        progress.say(step="1/256")
        assert capsys.readouterr().err == ""  # it was drawn a moment ago
        now[0] += LOG
        progress.say(step="90/256")
        assert "0/2" in (shown := capsys.readouterr().err)
        assert "step=90/256" in shown
        progress.say(step="91/256")
        assert capsys.readouterr().err == ""
