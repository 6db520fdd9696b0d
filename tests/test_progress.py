"""Progress bars: on stderr, switched off by one variable, closed whatever happens."""

import pytest

from mistrust.progress import bar, shown


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
