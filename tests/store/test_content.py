"""Law: what comes out of the store is what went in, and its digest is its own."""

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mistrust import store
from mistrust.errors import MistrustError
from mistrust.store.content import decode, encode

NAN = float("nan")
TYPES = [
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
    torch.uint8, torch.bool, torch.complex64,
]  # fmt: skip


def back(content, form):
    data, types = encode(content, form, "It")
    return decode(data, form, types)


@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3, 4)], ids=str)
def test_tensors_come_back_exactly(kind, shape):
    tensor = (torch.randn(shape, generator=torch.Generator().manual_seed(1)) * 5).to(kind)
    found = back({"b": tensor, "a": tensor + tensor}, "tensors")
    assert list(found) == ["a", "b"]
    assert found["b"].dtype == kind
    assert found["b"].shape == tensor.shape
    assert torch.equal(found["b"], tensor)
    assert store.digest(found) == store.digest({"b": tensor, "a": tensor + tensor})


def test_views_shared_and_transposed_tensors_come_back():
    base = torch.arange(12.0).reshape(3, 4).requires_grad_()
    views = {"all": base, "row": base[1], "turned": base.T, "again": base, "every other": base[:, ::2]}
    found = back(views, "tensors")
    assert all(torch.equal(found[name], views[name]) for name in views)
    assert store.digest(found) == store.digest(views)


def test_equal_tensors_give_equal_bytes_in_any_order():
    one, two = torch.ones(3), torch.arange(4)
    assert encode({"x": one, "y": two}, "tensors", "It") == encode({"y": two, "x": one}, "tensors", "It")


COLUMNS = {
    "text": st.lists(st.text(max_size=3) | st.just(NAN), min_size=4, max_size=4),
    "float64": st.lists(st.floats(), min_size=4, max_size=4),
    "float32": st.lists(st.floats(width=32), min_size=4, max_size=4),
    "int64": st.lists(st.integers(-(2**63), 2**63 - 1), min_size=4, max_size=4),
    "uint8": st.lists(st.integers(0, 255), min_size=4, max_size=4),
    "bool": st.lists(st.booleans(), min_size=4, max_size=4),
}


def frame_of(parts):
    columns = {}
    for name, (kind, as_object, values) in parts.items():
        # Surrogates alone are no text that a file can hold.
        values = [v.encode("utf-8", "ignore").decode() if isinstance(v, str) else v for v in values]
        columns[name] = pd.Series(values, dtype=("object" if as_object else "str") if kind == "text" else kind)
    return pd.DataFrame(columns)


@pytest.mark.whole
@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8"), max_size=4),
        st.sampled_from(list(COLUMNS)).flatmap(lambda k: st.tuples(st.just(k), st.booleans(), COLUMNS[k])),
        max_size=5,
    )
)
def test_tables_come_back_exactly(parts):
    frame = frame_of(parts)
    found = back(frame, "table")
    assert list(found.columns) == list(frame.columns)
    assert [str(kind) for kind in found.dtypes] == [str(kind) for kind in frame.dtypes]
    for name in frame.columns:
        for ours, theirs in zip(frame[name].tolist(), found[name].tolist(), strict=True):
            assert type(ours) is type(theirs)
            assert ours == theirs or (ours != ours and theirs != theirs)
            if isinstance(ours, float) and ours == ours:
                assert np.signbit(ours) == np.signbit(theirs)
    assert store.digest(found) == store.digest(frame)


def test_empty_text_is_not_missing_text():
    frame = pd.DataFrame({"note": ["", NAN, "nan", "NaN", "None"]})
    found = back(frame, "table")["note"].tolist()
    assert found[0] == ""
    assert found[1] != found[1]
    assert found[2:] == ["nan", "NaN", "None"]


def test_a_table_without_rows_keeps_its_columns_and_types():
    frame = pd.DataFrame({"z": pd.Series([], dtype="int64"), "a": pd.Series([], dtype="str")})
    found = back(frame, "table")
    assert [(name, str(kind)) for name, kind in found.dtypes.items()] == [("z", "int64"), ("a", "str")]
    assert len(back(pd.DataFrame(), "table").columns) == 0


def test_rows_that_were_chosen_are_numbered_anew():
    frame = pd.DataFrame({"x": [1, 2, 3]})
    assert list(back(frame[frame.x > 1], "table").index) == [0, 1]


@pytest.mark.parametrize(
    ("content", "form", "words"),
    [
        (torch.ones(2), "tensors", ["Tensor", "dict of named tensors"]),
        ({"x": np.ones(2)}, "tensors", ["'x'", "ndarray", "tensors"]),
        ({1: torch.ones(2)}, "tensors", ["1 (Tensor)", "names that are text"]),
        ({"x": torch.ones(2).to_sparse()}, "tensors", ["'x'", "to_dense"]),
        ({"x": 1}, "table", ["dict", "data frame"]),
        (pd.DataFrame({"x": ["a", None]}, dtype=object), "table", ["'x'", "None", "text or NaN"]),
        (pd.DataFrame({"x": ["a", 3]}, dtype=object), "table", ["'x'", "3 (int)"]),
        (pd.DataFrame({"x": ["a", pd.NaT]}, dtype=object), "table", ["'x'", "NaT", "text or NaN"]),
        (pd.DataFrame({1: [0.5]}), "table", ["[1]", "text, each once"]),
        (pd.DataFrame({"x": pd.to_datetime(["2026-01-01"])}), "table", ["'x'", "datetime64", "expected numbers"]),
        (pd.DataFrame({"x": pd.array([1, None], dtype="Int64")}), "table", ["'x'", "Int64"]),
        (pd.DataFrame({"x": pd.Categorical(["a"])}), "table", ["'x'", "category"]),
        (pd.DataFrame([[1, 2]], columns=["x", "x"]), "table", ["['x', 'x']", "once"]),
        (pd.DataFrame({"x": [1]}, index=pd.Index(["a"], name="who")), "table", ["who", "reset_index"]),
    ],
    ids=range(14),
)
def test_what_cannot_be_kept_exactly_is_refused(content, form, words):
    with pytest.raises(MistrustError) as caught:
        encode(content, form, "What maker 'm' made")
    for word in ("maker 'm'", *words):
        assert word in str(caught.value)


def test_the_digest_sees_names_types_shapes_values_and_order():
    x = torch.arange(6)
    tensors = [
        {"x": x}, {"y": x}, {"x": x.int()}, {"x": x.reshape(2, 3)}, {"x": x + 1}, {"x": x.view(torch.uint8)},
        {"x": x, "y": x}, {},
    ]  # fmt: skip
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", ""]})
    tables = [
        frame, frame[["b", "a"]], frame[::-1], frame.assign(a=[1, 2]), frame.assign(a=[1.0, NAN]),
        frame.assign(b=["x", NAN]), frame.assign(b=["", "x"]), frame.rename(columns={"a": "c"}),
        frame.assign(a=[-0.0, 2.0]), frame.assign(a=[0.0, 2.0]),
    ]  # fmt: skip
    digests = [store.digest(content) for content in (*tensors, *tables)]
    assert len(set(digests)) == len(digests)
    assert all(len(one) == 20 for one in digests)


def test_the_digest_does_not_see_how_pandas_holds_text_nor_the_order_of_tensors():
    frame = pd.DataFrame({"b": ["x", "", NAN]})
    assert store.digest(frame) == store.digest(frame.astype(object))
    one, two = torch.ones(2), torch.zeros(1)
    assert store.digest({"x": one, "y": two}) == store.digest({"y": two, "x": one})


def test_a_digest_by_hand():
    import hashlib

    def part(data):
        return len(data).to_bytes(8, "little") + data

    whole = part(b"x|torch.int16|(2,)") + part(b"\x01\x00\x02\x00")
    assert store.digest({"x": torch.tensor([1, 2], dtype=torch.int16)}) == hashlib.sha256(whole).hexdigest()[:20]
