import math

import pytest

from mistrust.errors import MistrustError, UnknownName
from mistrust.publishing import making, profiles, results, runner
from mistrust.publishing.chapters import CHAPTERS


@pytest.fixture
def tiny(project):
    return CHAPTERS["tiny"]


def write(project, text):
    (project.root / "notebooks" / "profiles.toml").write_text(text)


def test_profiles_hold_what_the_file_says_and_the_defaults_elsewhere(tiny):
    full = profiles.profile(tiny, "full")
    assert (full.networks, full.rate, full.levels, full.data) == (5, 0.25, (3, 4, 5), "digits")
    assert profiles.profile(tiny, "quick") == tiny.parameters()()
    assert profiles.names(tiny) == ["smoke", "quick", "full"]


def test_a_profile_is_known_by_all_its_parameters(tiny):
    kind = tiny.parameters()
    assert profiles.profile_of(tiny, kind(networks=1)) == "smoke"
    assert profiles.profile_of(tiny, kind()) == "quick"
    assert profiles.profile_of(tiny, kind(networks=3)) == "custom"


def test_profiles_that_do_not_exist_are_refused_with_the_nearest(tiny):
    with pytest.raises(UnknownName, match=r"There is no profile 'quik'\. Did you mean 'quick'\?"):
        profiles.profile(tiny, "quik")
    with pytest.raises(MistrustError, match=r"'tiny' has no profile 'paper'\. It has: smoke, quick, full\."):
        profiles.profile(tiny, "paper")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tiney.quick]", r"There is no chapter 'tiney'\. Did you mean 'tiny'\?"),
        ("[tiny.quickk]", r"\[tiny\.quickk\]: There is no profile 'quickk'\. Did you mean 'quick'\?"),
        ("[tiny]\nnetworks = 2", r"\[tiny\] must hold profiles only"),
        ("[tiny.quick", "not valid TOML"),
        ("[tiny.quick]\nnetwork = 1", r"\[tiny\.quick\].*no parameter 'network'\. Did you mean 'networks'\?"),
        ("[tiny.quick]\nnetworks = 1.5", r"\[tiny\.quick\].*'networks' is 1\.5 \(float\), expected int: how many"),
        ("[tiny.quick]\nflag = 1", r"'flag' is 1 \(int\), expected true or false: whether to"),
        ("[tiny.quick]\nnetworks = 9", r"'networks' is 9, expected 1 to 8: how many"),
        ("[tiny.quick]\nrate = nan", r"'rate' is nan, expected a number that is finite"),
        ("[tiny.quick]\nlevels = [1, 2, 10]", r"'levels' is 10, expected 1 to 9"),
    ],
)
def test_a_file_of_profiles_is_read_strictly(project, tiny, text, message):
    write(project, text)
    with pytest.raises(MistrustError, match="(?s)profiles.toml.*" + message):
        profiles.profile(tiny, "quick")


def test_no_file_of_profiles(project, tiny):
    (project.root / "notebooks" / "profiles.toml").unlink()
    with pytest.raises(MistrustError, match=r"profiles cannot be read: .*profiles\.toml: No such file"):
        profiles.profile(tiny, "quick")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("flag=false", False),
        ("flag=False", False),
        ("flag=no", False),
        ("flag=true", True),
        ("networks=3", 3),
        ("networks=003", 3),
        ("rate=1e-3", 0.001),
        ("rate=1", 1),
        ("data=no", "no"),
        ("data=12", "12"),
        ("data='a b'", "a b"),
        ("data=a=b", "a=b"),
        ("levels=[3, 4]", (3, 4)),
        ("levels=3,4", (3, 4)),
        ("levels=3", (3,)),
        ("limit=null", None),
        ("limit=0.5", 0.5),
    ],
)
def test_the_declared_type_decides_how_a_value_is_read(tiny, text, value):
    (found,) = profiles.parse(tiny, [text]).values()
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["networks"], r"'-p networks' is not of the form name=value"),
        (["=2"], r"'-p =2' is not of the form name=value"),
        (["networks=1", "networks=2"], "'networks' is given twice"),
        (["netwroks=2"], r"'tiny' has no parameter 'netwroks'\. Did you mean 'networks'\?"),
        (["networks=two"], r"'networks' is 'two' \(str\), expected int: how many"),
        (["networks=1.5"], r"'networks' is 1\.5 \(float\), expected int"),
        (["networks=true"], r"'networks' is 'true' \(str\), expected int"),
        (["networks="], r"'networks' is '' \(str\), expected int"),
        (["networks=9"], r"'networks' is 9, expected 1 to 8: how many"),
        (["flag=maybe"], r"'flag' is 'maybe' \(str\), expected true or false"),
        (["flag=0"], r"'flag' is '0' \(str\), expected true or false"),
        (["rate=nan"], r"'rate' is nan, expected a number that is finite"),
        (["rate=inf"], r"'rate' is inf, expected a number that is finite"),
        (["levels=[1, [2]]"], r"expected list of int"),
        (["levels=1,x"], r"expected list of int"),
        (["levels=[1"], r"expected list of int"),
        (["data={a: 1}"], None),
    ],
)
def test_wrong_assignments_are_refused_and_it_is_said_what_lists_all(tiny, texts, message):
    if message is None:  # text is text, whatever YAML would make of it
        assert profiles.parse(tiny, texts) == {"data": "{a: 1}"}
        return
    with pytest.raises(MistrustError, match=message) as error:
        profiles.parse(tiny, texts)
    if "form" not in message and "twice" not in message:
        assert str(error.value).endswith("(`mistrust list parameters tiny` lists all)")
        assert "\n" not in str(error.value)  # the sentence is the last thing that a terminal shows


def test_not_a_number_is_refused_in_every_place(tiny):
    with pytest.raises(MistrustError, match="finite"):
        profiles.checked(tiny, {"limit": math.nan})


@pytest.mark.whole
@pytest.mark.parametrize(
    ("chapter", "given"),
    [
        ("search", "mechanisms=biased_training"),  # the defaults name a dose of another mechanism
        ("search", "further=biased/12:3"),
        ("supervisors", "evaded=100"),  # the defaults attack 40
    ],
)
def test_a_value_must_go_with_those_of_its_profile(chapter, given):
    (job,) = making.plan([chapter], "full", [given, *(["further="] if "mech" in given else [])], at_hand=False)
    assert making.pieces(job)
    with pytest.raises(MistrustError):
        profiles.parse(job.chapter, [given])


def test_an_experiment_need_not_say_what_the_store_has(tiny, monkeypatch):
    monkeypatch.delattr(tiny.module(), "missing")
    (job,) = making.plan(["tiny"], "smoke", [])
    assert "the chapter does not say what of it is in the store" in runner.describe(job)
    rows = making.made(job, "inline")
    assert len(rows)
    assert making.made(job, "inline").equals(rows)
    assert results.accept("tiny", "smoke", pieces=["network 0"])
