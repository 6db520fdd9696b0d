"""The reference: every exported name stands on a page, once, and docstrings become what they say."""

import importlib
import pkgutil
import re

import pytest
import yaml

import mistrust
from mistrust import evaluation, paths, search
from mistrust.errors import MistrustError
from mistrust.publishing import reference, reference_calls, reference_page

ROOT = paths.PACKAGE.parents[1]
TOLD = re.compile(r"^\.\. py:(?:class|function|data):: (\w+)$", re.MULTILINE)
NEXT = "\n   "
SECTION = re.compile(r"^\.\. py:module:: ([\w.]+)$", re.MULTILINE)


def literal(text):
    return f'<code class="docutils literal notranslate"><span class="pre">{text}</span></code>'


def item(name, *lines):
    return f"<dt>{literal(name)}</dt><dd><p>{NEXT.join(lines)}</p></dd>"


def field(title, held):
    head = f'<dt>{title}<span class="colon">:</span></dt>'
    return f'Do.\n\n.. raw:: html\n\n   <dl class="field-list simple">{head}<dd>{held}</dd></dl>'


@pytest.fixture(scope="module")
def pages():
    return {name: reference_page.page(name) for name in reference.pages()}


@pytest.fixture(scope="module")
def told(pages):
    """By package: its part of a page."""
    found = {}
    for text in pages.values():
        _, *parts = SECTION.split(text)
        found.update(zip(parts[::2], parts[1::2], strict=True))
    return found


def exported():
    for module in pkgutil.walk_packages(mistrust.__path__, "mistrust."):
        if module.name.count(".") > 1 or module.ispkg:
            for name in getattr(importlib.import_module(module.name), "__all__", ()):
                yield module.name, name


@pytest.mark.whole
def test_the_table_of_contents_lists_every_page_and_each_has_its_file():
    text = (ROOT / "_toc.yml").read_text()
    listed = re.findall(r"file: book/reference/(\w+)", text)
    assert sorted(listed) == sorted(reference.pages())
    assert yaml.safe_load(text)["root"]
    for name in listed:
        title = (ROOT / "book" / "reference" / f"{name}.rst").read_text().splitlines()[0]
        assert reference_page.page(name).startswith(f"{title}\n===")


@pytest.mark.whole
def test_every_exported_name_stands_in_its_packages_part(told):
    assert len(list(exported())) > 600
    for package, name in exported():
        assert re.search(rf"(?:^\.\. py:\w+:: |`|``){name}(?:$|`| <)", told[package], re.MULTILINE), (package, name)


def test_each_thing_is_told_once(pages):
    homes = set(reference.told().values())
    assert sum(len(TOLD.findall(text)) for text in pages.values()) == sum(
        one.kind != "module" and reference.told()[one.path] == one.path
        for packages in reference.pages().values()
        for package in packages
        for one in reference.names(package)
    )
    assert reference.told()["mistrust.search.methods.SEARCHES"] == "mistrust.search.SEARCHES"
    assert "Told elsewhere: :py:obj:`SEARCHES <mistrust.search.SEARCHES>`" in pages["search"]
    assert homes <= set(reference.told())


def test_links_lead_to_what_is_told(pages):
    known = {home for path, home in reference.told().items() if path == home}
    for name, text in pages.items():
        targets = re.findall(r":py:obj:`(?:~|[^`<]*<)([\w.]+)>?`", text)
        assert set(targets) <= known, name
        for page, home in re.findall(r'href="(\w+)\.html#([\w.]+)"', text):
            assert home in known
            package, _, last = home.rpartition(".")
            assert package in reference.pages()[page]
            assert f":: {last}\n" in pages[page]


def test_a_method_and_a_default_are_shown():
    text = reference_page.page("supervisors")
    assert "   .. py:method:: score\n" in text
    assert "score(record: Record) -> Float64[Tensor, ' n']" in text
    assert ":: _score" not in text  # what a subclass writes is no part of the reference
    assert ".. py:data:: NEEDS\n\n   What a record may have to hold" in text  # the comment above it in the source


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Gives |p - q| of `x`: `mistrust list data`.", r"Gives \|p - q\| of ``x``: ``mistrust list data``."),
        ("(n, *shape) and name_ of a `Record`", r"(n, \*shape) and name\_ of a :py:obj:`~mistrust.networks.Record`"),
        ("a file_name, another `part`", "a file_name, another ``part``"),  # an argument, not ledger.part
        (
            "Do.\n\nParameters\n----------\nlow, high : the < ends,\n    both.\n**more : further `a`.",
            field(
                "Parameters",
                f"<dl class=\"simple\">{item('low, high', 'the &lt; ends,', 'both.')}"
                f"{item('**more', 'further ' + literal('a') + '.')}</dl>",
            ),
        ),
        (
            "Do.\n\nRaises\n------\nMistrustError\n    A bad value.",
            field(
                "Raises",
                '<dl class="simple"><dt><a class="reference internal" href="ground.html#mistrust.errors.MistrustError">'
                f"{literal('MistrustError')}</a></dt><dd><p>A bad value.</p></dd></dl>",
            ),
        ),
        (
            "Do.\n\nReturns\n-------\n(n,) in [0, 1];\nNaN else.",
            field("Returns", "<p>(n,) in [0, 1];\n   NaN else.</p>"),
        ),
        (
            "Do.\n\nExamples\n--------\n>>> f('*')\n`x`\n\nand *so*",
            "Do.\n\n.. rubric:: Examples\n\n>>> f('*')\n`x`\n\nand \\*so\\*",
        ),
        ("Write:\n\n::\n\n    f(*x)\n\nor not.", "Write:\n\n.. code-block:: python\n\n    f(*x)\n\nor not."),
        (
            "| a | b |\n|---|---|\n| 1 | `c` |",
            ".. list-table::\n   :header-rows: 1\n\n   * - a\n     - b\n   * - 1\n     - ``c``",
        ),
    ],
)  # fmt: skip
def test_a_docstring_becomes_what_it_says(said, expected):
    assert reference_page.prose(said).strip() == expected


def test_long_calls_stand_on_several_lines_with_types_as_the_source_has_them():
    def short(a, /, b=3, *, c="x", **more): ...

    assert "   short(a, /, b=3, *, c='x', **more)\n" in reference_calls.code("short", short)
    assert reference_calls.code("share", evaluation.auroc).splitlines()[2:] == [
        "   share(scores: ArrayLike, positive: ArrayLike) -> float",
        "",
    ]
    assert reference_calls.code("Pool", search.Pool).splitlines()[2:6] == [
        "   Pool(",
        "       ids: Int64[np.ndarray, ' n'],",
        "       confidence: Float64[np.ndarray, ' n'],",
        "       features: Float64[np.ndarray, 'n p'] | None = None,",
    ]


def test_a_page_that_does_not_exist_is_an_error():
    with pytest.raises(MistrustError, match=r"The reference has no page 'supervisor'\. It has: ambiguity, "):
        reference_page.page("supervisor")
