"""Law and bad input: specs, their canonical form, keys."""

import copy
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mistrust import store
from mistrust.errors import MistrustError
from mistrust.store.specs import KIND, leaves, plain

KEYED = store.maker("test-keyed", 1, "tensors")

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
SPECS = st.dictionaries(
    st.text(max_size=4),
    st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner)),
    max_size=4,
)


def turned(value):
    """The same with every mapping in the opposite order and every list a tuple."""
    if isinstance(value, dict):
        return {name: turned(value[name]) for name in reversed(value)}
    return tuple(map(turned, value)) if isinstance(value, list) else value


def scalar_paths(value, path=()):
    if isinstance(value, (dict, list)):
        for name in value if isinstance(value, dict) else range(len(value)):
            yield from scalar_paths(value[name], (*path, name))
    else:
        yield path


@pytest.mark.whole
@given(SPECS)
def test_the_order_of_names_does_not_matter(spec):
    assert store.canonical(turned(spec)) == store.canonical(spec)
    assert json.loads(store.canonical(spec)) == plain(spec)


@pytest.mark.whole
@given(SPECS, st.data(), SCALARS)
def test_any_changed_leaf_changes_the_key(spec, data, other):
    paths = list(scalar_paths(spec))
    if not paths:
        assert store.key(KEYED, {**spec, "one more": other}) != store.key(KEYED, spec)
        return
    *way, last = data.draw(st.sampled_from(paths))
    changed = inner = copy.deepcopy(spec)
    for step in way:
        inner = inner[step]
    # Python calls 1, 1.0 and True equal; a spec does not.
    if repr(inner[last]) == repr(other):
        other = "something else entirely"
    inner[last] = other
    assert store.key(KEYED, changed) != store.key(KEYED, spec)


def test_equal_to_python_but_not_to_a_spec():
    assert len({store.canonical({"x": x}) for x in (1, 1.0, True, "1", None, 0, 0.0, -0.0, False, "", [], {})}) == 12


def test_kind_and_version_are_in_the_key():
    keys = {store.key(store.Maker(kind, version, "table"), {"a": 1}) for kind in ("a", "b") for version in (1, 2)}
    assert len(keys) == 4


def test_a_key_by_hand():
    import hashlib

    whole = '{"kind":"test-keyed","spec":{"a":[1,2.5,true,null,"x"]},"version":1}'
    expected = hashlib.sha256(whole.encode()).hexdigest()[:20]
    assert store.key(KEYED, {"a": (1, 2.5, True, None, "x")}) == expected


@dataclass
class Recipe:
    epochs: int = 8
    rate: float = 0.1


def test_a_dataclass_stands_for_its_fields():
    assert store.canonical({"recipe": Recipe()}) == '{"recipe":{"epochs":8,"rate":0.1}}'
    assert store.canonical({"x": np.float64(0.1)}) == '{"x":0.1}'


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"a": {"b": [1, float("nan")]}}, ["NaN", "'a.b[1]'", "None"]),
        ({"a": np.int64(3)}, ["numpy.int64", "'a'", ".item()"]),
        ({"a": torch.tensor(3)}, ["torch.Tensor", ".item()"]),
        ({"images": np.zeros(3)}, ["numpy.ndarray", "'images'", "checksum"]),
        ({"a": [{"where": Path("x")}]}, ["'a[0].where'", "expected text"]),
        ({"a": {1: 2}}, ["name 1 (int)", "'a'", "expected text"]),
        ({"a": {1, 2}}, ["builtins.set", "'a'"]),
        ({"a": Recipe}, ["builtins.type"]),
    ],
)
def test_what_a_spec_cannot_hold_is_named_with_its_path(spec, words):
    with pytest.raises(MistrustError) as caught:
        store.canonical(spec)
    for word in words:
        assert word in str(caught.value)


def test_leaves_have_paths():
    assert leaves({"a": {"b": 1, "c": [1, 2]}, "d": [{"e": "x"}], "f": {}}) == {
        "a.b": "1",
        "a.c": "[1, 2]",
        "d[0].e": '"x"',
        "f": "{}",
    }


def test_a_maker_again_is_the_same_and_another_is_refused():
    assert store.maker("test-keyed", 1, "tensors") is KEYED
    with pytest.raises(MistrustError, match="'test-keyed' already"):
        store.maker("test-keyed", 2, "tensors")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [(("A/b", 1, "table"), "A/b"), (("a", 0, "table"), "0"), (("a", True, "table"), "True"), (("a", 1, "csv"), "csv")],
)
def test_a_bad_maker_is_refused(arguments, word):
    with pytest.raises(MistrustError, match=word):
        store.Maker(*arguments)


def test_kinds_of_all_makers_are_folder_names():
    assert all(KIND.fullmatch(kind) for kind in store.MAKERS)
