"""Rows, parameters, registries, paths: what everything else stands on."""

from dataclasses import dataclass

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mistrust import paths
from mistrust import rows as tidy
from mistrust.errors import MistrustError, UnknownName, nearest
from mistrust.parameters import Checked, parameter
from mistrust.registry import Registry

ROW = {"table": "accuracy", "metric": "accuracy", "value": 0.5}


class TestRows:
    def test_a_round_trip_keeps_every_cell(self, tmp_path):
        made = tidy.table(
            [ROW | {"level": 3, "note": 'a "quoted", text'}, ROW | {"at": "4>9", "low": 1 / 3, "seed": 0}], chapter="c"
        )
        tidy.write(made, tmp_path / "rows.csv")
        again = tidy.read(tmp_path / "rows.csv")
        assert tidy.text(again) == tidy.text(made)
        assert list(again.columns) == list(tidy.COLUMNS)
        assert again.loc[again["at"] == "4>9", "low"].item() == pytest.approx(1 / 3, abs=1e-10)
        assert again.loc[again["at"] == "4>9", "note"].item() == ""

    @pytest.mark.whole
    @pytest.mark.parametrize("word", ["NA", "nan", "None", "null", "n/a"])
    def test_a_word_that_pandas_takes_for_missing_stays_a_word(self, tmp_path, word):
        made = tidy.table([ROW | {"note": word}])
        tidy.write(made, tmp_path / "rows.csv")
        for again in (tidy.read(tmp_path / "rows.csv"), tidy.as_written(made)):
            assert again["note"].tolist() == [word]

    def test_equal_rows_give_equal_text_in_any_order(self):
        found = [ROW | {"level": i % 3, "at": str(i)} for i in range(6)]
        made = tidy.text(tidy.table(found))

        @given(st.permutations(found))
        def in_any_order(same):
            assert tidy.text(tidy.table(same)) == made

        in_any_order()

    def test_an_unknown_column_is_refused_and_the_file_named(self, tmp_path):
        with pytest.raises(MistrustError, match=r"no column 'metrik'. Did you mean 'metric'\?"):
            tidy.table([ROW | {"metrik": 1}])
        (tmp_path / "bad.csv").write_text("table,metric,value,colour\na,b,1,red\n")
        with pytest.raises(MistrustError, match=r"bad.csv: Rows have no column 'colour'"):
            tidy.read(tmp_path / "bad.csv")

    @pytest.mark.parametrize("wrong", [{"value": float("nan")}, {"table": ""}, {"metric": None}])
    def test_a_row_needs_table_metric_and_value(self, wrong):
        with pytest.raises(MistrustError, match="Every row needs a table, a metric and a value"):
            tidy.table([ROW | wrong])

    @pytest.mark.parametrize("name", ["../t", "two words", "Upper"])
    def test_a_table_is_named_as_a_file_can_be(self, name):
        with pytest.raises(MistrustError, match=f"table '{name}' cannot be a file name"):
            tidy.table([ROW | {"table": name}])

    def test_two_rows_for_one_thing_are_refused(self):
        with pytest.raises(MistrustError, match="Two rows for the same thing"):
            tidy.table([ROW, ROW | {"value": 0.6}])

    def test_what_is_no_number_is_refused(self, tmp_path):
        (tmp_path / "bad.csv").write_text("table,metric,value\na,b,many\n")
        with pytest.raises(MistrustError, match=r"bad.csv: .*many"):
            tidy.read(tmp_path / "bad.csv")

    def test_select_names_the_nearest_column(self):
        made = tidy.table([ROW | {"level": 1}, ROW | {"level": 2}])
        assert tidy.select(made, level=[2.0])["level"].tolist() == [2]
        with pytest.raises(MistrustError, match="Did you mean 'level'"):
            tidy.select(made, levels=1)

    def test_a_write_that_fails_leaves_the_old_file(self, tmp_path):
        path = tmp_path / "rows.csv"
        tidy.write(tidy.table([ROW]), path)
        before = path.read_text()
        with pytest.raises(KeyError):
            tidy.write(pd.DataFrame([{"no": "rows"}]), path)
        assert path.read_text() == before

    def test_what_is_measured_anew_takes_the_place_of_the_old(self, tmp_path):
        path = tmp_path / "kept.csv"
        one = {"table": "speed", "metric": "ratio", "condition": "loop"}
        tidy.update(tidy.table([one | {"at": "a", "value": 1}, one | {"at": "b", "value": 2}]), path)
        tidy.update(tidy.table([one | {"at": "b", "value": 3}, one | {"at": "c", "value": 4}]), path)
        assert tidy.read(path).set_index("at")["value"].to_dict() == {"a": 1, "b": 3, "c": 4}

    @pytest.mark.parametrize("kind", ["object", "str", "category"])
    def test_what_is_missing_is_empty_whatever_a_column_is_kept_as(self, kind):
        """A column that is text or numbers already is taken as it is, all others are made so."""
        given = tidy.table([ROW | {"at": "4>9", "seed": 1}, ROW | {"note": "n", "level": 2}])
        gaps = given.astype({"at": kind, "note": kind})
        gaps.loc[1, "at"], gaps.loc[0, "note"] = None, float("nan")
        gaps = gaps.assign(seed=["1", ""], level=pd.Series(["", 2], dtype="object"), n=pd.array([3, 4], dtype="int64"))
        full = tidy.check(gaps[gaps.columns[::-1]].set_axis([7, 7]))
        assert (full["at"].tolist(), full["note"].tolist()) == (["4>9", ""], ["", "n"])
        pd.testing.assert_frame_equal(full, given.assign(n=[3.0, 4.0]))
        full.loc[0, ["value", "at"]] = (9.0, "changed")
        assert (gaps["value"][0], gaps["at"][0]) == (0.5, "4>9")

    def test_no_rows_have_all_columns(self):
        assert list(tidy.empty().columns) == list(tidy.COLUMNS)
        assert len(tidy.select(tidy.empty(), table="x")) == 0


@dataclass(frozen=True)
class Example(Checked):
    """Every kind of parameter."""

    count: int = parameter(3, "how many", low=1, high=9)
    rate: float = parameter(0.5, "how fast", low=0.0)
    name: str = parameter("a", "which", choices=("a", "b"))
    levels: tuple[int, ...] = parameter((1, 2), "levels", low=1, high=10)
    on: bool = parameter(True, "whether")
    limit: int | None = parameter(None, "at most")


class TestParameters:
    def test_whole_numbers_may_stand_for_numbers_and_lists_for_tuples(self):
        made = Example.of({"rate": 2, "levels": [3, 4], "limit": 7})
        assert (made.rate, made.levels, made.limit) == (2.0, (3, 4), 7)
        assert isinstance(made.rate, float)

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"count": 0}, "Parameter 'count' is 0, expected 1 to 9: how many"),
            ({"count": "3"}, r"Parameter 'count' is '3' \(str\), expected int: how many"),
            ({"count": True}, "Parameter 'count' is True"),
            ({"count": 2.0}, "expected int"),
            ({"rate": -1}, "expected at least 0.0"),
            ({"rate": float("nan")}, "nan"),
            ({"name": "c"}, "expected one of a, b"),
            ({"levels": [1, 11]}, "'levels' is 11, expected 1 to 10"),
            ({"levels": [1, 2, 1]}, "'levels' names 1 twice"),
            ({"levels": "12"}, "expected list of int"),
            ({"on": "false"}, "expected true or false"),
            ({"limit": "x"}, "expected int or null"),
            ({"cuont": 1}, "no parameter 'cuont'. Did you mean 'count'"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, values, message):
        with pytest.raises(MistrustError, match=message):
            Example.of(values)

    def test_it_describes_itself(self):
        about = {one["name"]: one for one in Example.describe()}
        assert about["count"] == {
            "name": "count", "type": "int", "default": "3", "range": "1 to 9", "help": "how many", "source": "",
        }  # fmt: skip
        assert about["name"]["range"] == "one of a, b"
        assert about["levels"]["type"] == "list of int"


class TestRegistry:
    def test_names_are_found_or_the_nearest_is_said(self):
        table = Registry[int]("fruit", "mistrust list fruits")
        table.add("apple", 1)
        table.entry("pear")(2)
        assert (table["apple"], len(table), list(table)) == (1, 2, ["apple", "pear"])
        assert "aple" not in table
        assert all(one not in table for one in (["apple"], {}, None, 3))  # nor does what no dict looks up raise
        for one in (["apple"], {}, None, 3):
            with pytest.raises(UnknownName, match=r"There is no fruit '.* Known: apple, pear\."):
                table[one]
        message = r"no fruit 'aple'. Did you mean 'apple'\? Known: apple, pear. `mistrust list fruits` says more."
        with pytest.raises(UnknownName, match=message):
            table["aple"]

    def test_a_name_can_be_taken_once(self):
        table = Registry[int]("fruit")
        table.add("apple", 1)
        with pytest.raises(MistrustError, match="a fruit 'apple' already"):
            table.add("apple", 2)

    def test_a_class_whose_definition_is_run_again_takes_its_own_place(self):
        # What Jupyter does with a cell that is run twice: one namespace, another class of the same name.
        table, cell = Registry[type]("fruit"), "@table.entry('apple')\nclass Apple:\n    pass"
        notebook = {"table": table, "__name__": "__main__"}
        exec(cell, notebook)
        first = notebook["Apple"]
        exec(cell, notebook)
        assert table["apple"] is notebook["Apple"] is not first
        assert list(table) == ["apple"]

    @pytest.mark.parametrize(
        ("module", "name"), [("elsewhere", "Apple"), ("__main__", "Pear")], ids=["another module", "another name"]
    )
    def test_another_class_does_not_take_a_name(self, module, name):
        table = Registry[type]("fruit")
        first = table.add("apple", type("Apple", (), {"__module__": "__main__"}))
        with pytest.raises(MistrustError, match="a fruit 'apple' already"):
            table.add("apple", type(name, (), {"__module__": module}))
        assert table["apple"] is first

    def test_nothing_near_is_not_guessed(self):
        assert nearest("zzz", ["apple", "pear"]) is None

    def test_of_hundreds_of_names_the_nearest_and_the_first_are_told(self):
        told = str(UnknownName("layer of the model", "feature.200", [f"features.{i:03}" for i in range(240)]))
        assert told.startswith("There is no layer of the model 'feature.200'. Did you mean 'features.200'? Known: ")
        assert told.endswith("features.079 and 160 more.")
        assert str(UnknownName("layer", "a", map(str, range(10, 90)))).endswith("88, 89.")
        assert "Did you mean" not in str(UnknownName("fruit", "zzz", ["apple"]))
        assert "Known: none" in str(UnknownName("fruit", "x", []))


def test_folders_follow_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("MISTRUST_ROOT", str(tmp_path))
    for name in ("STORE", "CACHE", "BUILD"):
        monkeypatch.delenv(f"MISTRUST_{name}")
    assert paths.store() == tmp_path / "data" / "made"
    assert paths.cache() == tmp_path / "data" / "cache"
    assert paths.run_rows() == tmp_path / "_build" / "rows"
    monkeypatch.setenv("MISTRUST_STORE", str(tmp_path / "elsewhere"))
    assert paths.store() == tmp_path / "elsewhere"
    monkeypatch.setenv("MISTRUST_STORE", "~nobody-of-that-name/store")
    with pytest.raises(MistrustError, match=r"MISTRUST_STORE is '~nobody.*', and there is no such home here: name a"):
        paths.store()
