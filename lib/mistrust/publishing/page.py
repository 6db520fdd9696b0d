"""What a chapter's notebook calls: one object that runs the experiment, knows its rows, and puts things on the page.

Everything shown comes from rows: this run's, our accepted full run's, or the paper's printed numbers.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from html import escape
from typing import Any, TypeVar

import pandas as pd
from IPython.display import HTML, display

from mistrust import paths
from mistrust import rows as tidy
from mistrust.errors import MistrustError, NoRows
from mistrust.figures.called import called
from mistrust.figures.interactive import Interactive
from mistrust.figures.style import Picture
from mistrust.inputs import PERTURBATIONS
from mistrust.parameters import Checked
from mistrust.publishing import claims, compare, profiles, tables
from mistrust.publishing.chapters import CHAPTERS, Chapter
from mistrust.publishing.in_words import in_words, of_a_parameter
from mistrust.publishing.links import below
from mistrust.publishing.published import published
from mistrust.publishing.results import accepted, accepted_pieces, evidence, manifest, save_run

Made = TypeVar("Made")
NOT_RUN, NOT_PRINTED = compare.NOT_RUN, compare.NOT_PRINTED


@dataclass(frozen=True)
class Page:
    """One chapter's page.

    Attributes
    ----------
    chapter, parameters : what was run.
    profile : the profile that the parameters are, or "custom".
    run : rows of this run.
    """

    chapter: Chapter
    parameters: Checked
    profile: str
    run: pd.DataFrame

    @cached_property
    def full(self) -> pd.DataFrame:
        """Our accepted rows of the profile `full`; none where it was never run."""
        return accepted(self.chapter)

    @cached_property
    def paper(self) -> pd.DataFrame:
        """The paper's printed numbers."""
        return published(self.chapter)

    def benchmark(self, name: str) -> pd.DataFrame:
        """Give the committed rows of a benchmark, such as "supervisors"; none where it was never run."""
        place = paths.results() / "benchmarks" / f"{name}.csv"
        return tidy.read(place) if place.exists() else tidy.empty()

    def asked(self, name: str) -> str:
        """Give a parameter of our full run as text, for the prose; "not run" where no rows of it are accepted."""
        return NOT_RUN if self.full.empty else of_a_parameter(getattr(profiles.profile(self.chapter, "full"), name))

    def accepted_pieces(self) -> str:
        """Say how many pieces of our full run are accepted; "not run" where none is."""
        count = accepted_pieces(self.chapter.name)
        return f"{count:,}" if count else NOT_RUN

    def left_out(self) -> str:
        """Say what this run leaves out of what it was asked for, since it is not on this machine; else "nothing"."""
        return "; ".join(self.chapter.left_out(self.parameters)) or "nothing"

    def drawn(self, table: str, **select: Any) -> tuple[pd.DataFrame, str]:
        """Give the rows that a figure of this table shows, and what a caption calls them.

        They are the full run's. A run with parameters of its own shows itself, so that one sees what they do; so does
        any run where the environment's MISTRUST_FIGURES is "run". Where the one has no such rows, the other's are
        shown. `select` leaves only rows with these values ("data").
        """
        nothing = tidy.select(self.run, **select) if select else self.run
        return next(self._sources(table, select), (nothing, "Not run."))

    def _sources(self, table: str, select: Mapping[str, Any]) -> Iterator[tuple[pd.DataFrame, str]]:
        """Give the rows of each run that has some of this table, in the order in which figures want them."""
        order = [(self.run, "This run"), (self.full, "Our full run")]
        own = self.profile == "custom" or os.environ.get("MISTRUST_FIGURES") == "run"
        for whole, name in order if own else reversed(order):
            rows = tidy.select(whole, **select) if select else whole
            found = rows[rows["table"] == table]
            if len(found):
                yield rows, called(name, found)

    def draw(
        self,
        figure: Callable[..., Picture | Interactive],
        *tables: str,
        caption: str,
        where: Mapping[str, Any] | None = None,
        name: str = "",
        **options: Any,
    ) -> None:
        """Put a figure on the page, drawn from rows.

        They are those of `drawn`; where these lack what the figure shows, the other run's are tried, and where both do,
        the page says "Not run" in its place and goes on: parameters of one's own need not fill every figure.

        Parameters
        ----------
        figure : takes rows and a caption; `options` go to it as well.
        tables : whose rows are linked to. The first is the figure's own.
        caption : its first words; whose rows they are follows.
        where : only rows with these values ({"data": "mnist"}).
        name : tells two figures of one function apart.
        """
        try:
            made, run = self._filled(
                lambda rows, run: figure(rows, caption=f"{caption} {run}", **options), tables[0], where
            )
        except NoRows as none:
            told = f"{escape(caption)} <strong>Not run.</strong> {escape(str(none))}"
            display(HTML(f'<p class="mistrust-not-run">{told}</p>'))
            return
        if made.shown:  # of many image sets or networks it may show one
            made = replace(made, caption=made.caption.replace(run, f"{run.partition(':')[0]}: {made.shown}."))
        self.show(made, *tables, code=figure, name=name)

    def _filled(
        self, make: Callable[[pd.DataFrame, str], Made], table: str, where: Mapping[str, Any] | None
    ) -> tuple[Made, str]:
        """Give what is made of the first run's rows that fill it, and what captions call these; else why none does."""
        missing = NoRows(f"There are no rows of the table '{table}'.")
        for rows, run in self._sources(table, where or {}):
            try:
                made = make(rows, run)
            except NoRows as none:
                missing = none
                continue
            if not (isinstance(made, pd.DataFrame) and made.empty):
                return made, run
        raise missing

    def show(
        self, made: Picture | Interactive, *rows: str, code: Callable[..., object] | None = None, name: str = ""
    ) -> None:
        """Put a figure on the page, with links to the rows (by table) and to the code that made it.

        Its label in the book is the chapter's name and the picture's; `name` tells two of one function apart.
        """
        links = self._links(rows, code)
        if isinstance(made, Interactive):
            display(HTML(made.html() + _paragraph(links)))
            return
        label = made.name.replace("fig-", f"fig-{self.chapter.name}-", 1) + (f"-{name}" if name else "")
        about = {"alt": made.alt, "caption": f"{made.caption} {links}".strip(), "name": label}
        display({"image/svg+xml": made.svg}, metadata={"mistrust": about}, raw=True)

    def compare(
        self,
        caption: str,
        *,
        names: Mapping[str, str] | None = None,
        words: Callable[[str], str] = str,
        fold: bool = False,
        **select: Any,
    ) -> None:
        """Put "the paper | our full run | this run" on the page for the rows whose columns equal `select`.

        `paper` (which of its printed rows) and `by` (what tells the lines apart) go to `publishing.compare.compare`.
        `words` gives what a reader calls a name in the rows, where it is the head of a line. With `fold` the last
        column is left out where this run has none of the lines, and the page says so instead.
        """
        options = {name: select.pop(name) for name in ("paper", "by") if name in select}
        frame = compare.compare(self.paper, self.full, self.run, select, names=names, **options)
        frame = frame.replace({f"perturbed/{name}": one.title for name, one in PERTURBATIONS.items()})
        heads = frame.columns[:-3]  # the paper's, our full run's and this run's numbers stand behind them
        frame[heads] = frame[heads].map(words)
        links = _paragraph(self._links((str(select["table"]),), None))
        if fold and len(frame) and (frame.iloc[:, -1] == NOT_RUN).all():
            left = tables.html(frame.iloc[:, :-1], caption, heads=max(1, len(heads)), kind="mistrust-compare")
            display(HTML(f'{left}<p class="mistrust-not-run">This run has none of these lines.</p>{links}'))
            return
        display(HTML(compare.html(frame, caption) + links))

    def table(self, frame: pd.DataFrame, caption: str, *, heads: int = 1, benchmark: str = "") -> None:
        """Put a plain table on the page; one without lines reads "Not run", and no caption stands over nothing.

        Parameters
        ----------
        benchmark : which one makes the rows that it lacks ("epochs"); the page then says how to run it.
        """
        if len(frame) == 0:
            way = f" <code>python benchmarks/{escape(benchmark)}.py</code> fills it." if benchmark else ""
            display(HTML(f'<p class="mistrust-not-run">{escape(caption)}. <strong>Not run.</strong>{way}</p>'))
            return
        display(HTML(tables.html(frame, caption, heads=heads)))

    def tabulate(
        self,
        frame: Callable[..., pd.DataFrame],
        table: str,
        *arguments: Any,
        caption: str,
        where: Mapping[str, Any] | None = None,
        heads: int = 1,
    ) -> None:
        """Put a table on the page, made from rows of this table of theirs: those that `draw` would take.

        Parameters
        ----------
        frame : takes rows and `arguments`.
        caption : its first words, with a full stop; whose rows they are follows.
        where : only rows with these values.
        """
        try:
            made, run = self._filled(lambda rows, _: frame(rows, *arguments), table, where)
        except NoRows:
            self.table(pd.DataFrame(), caption.removesuffix("."))
            return
        self.table(made, f"{caption} {run}", heads=heads)

    @cached_property
    def ledger(self) -> pd.DataFrame:
        """The paper's claims and their verdicts; the full rows decide, and benchmarks what is said of time."""
        return claims.verdicts(evidence(self.chapter), self.chapter.name)

    def claims(self, caption: str) -> None:
        """Put the chapter's part of the ledger on the page, and a link to the whole."""
        paper = self.ledger["paper"].iloc[0]
        whole = f'<a href="../book/claims.html#ledger-{paper}">the ledger of all claims, with what each test does</a>'
        display(HTML(claims.html(self.ledger, caption) + _paragraph(whole)))

    def count_claims(self) -> str:
        """Say how many claims have each verdict: "12 hold, 3 do not hold, 26 are undecided, 1 is not run"."""
        words = {"holds": ("holds", "hold"), "does not hold": ("does not hold", "do not hold")}
        counted = []
        for verdict, count in claims.counts(self.ledger).items():
            one, many = words.get(verdict, (f"is {verdict}", f"are {verdict}"))
            if count:
                counted.append(f"{count} {one if count == 1 else many}")
        return ", ".join(counted)

    def say(self, name: str, form: str = "{value:.4g}", *, of: str | pd.DataFrame = "full", **select: Any) -> None:
        """Glue one row's number under a name for the prose; "not run" where there is no such row.

        Parameters
        ----------
        form : how it is written: a format of value, low, high and n ("{value:.1%}").
        of : "full", "run" or "paper", or rows themselves, such as those of a `benchmark`.
        """
        self.glue(name, in_words(self._rows(of), form, select))

    def spread(
        self, name: str, form: str = "{low:.4g} to {high:.4g}", *, of: str | pd.DataFrame = "full", **select: Any
    ) -> None:
        """Glue the least and the greatest value under a name for the prose: over single networks, or over given rows.

        Parameters
        ----------
        form : how it is written: a format of low, high and n, how many values there are.
        of : as in `say`.
        """
        found = tidy.select(self._rows(of), **select)
        values = (found[found["seed"].notna()] if isinstance(of, str) else found)["value"]
        self.glue(name, form.format(low=values.min(), high=values.max(), n=len(values)) if len(values) else NOT_RUN)

    def _rows(self, of: str | pd.DataFrame) -> pd.DataFrame:
        return {"full": self.full, "run": self.run, "paper": self.paper}[of] if isinstance(of, str) else of

    def glue(self, name: str, text: str) -> None:
        """Glue a text under a name for the prose."""
        from myst_nb import glue  # comes with the book's tools, not with the library

        glue(name, text, display=False)

    def made(self) -> None:
        """Say how this page was made: profile, parameters, data, versions."""
        about = manifest(self.chapter, self.parameters)
        lines = [("profile", self.profile)]
        lines += [(f"parameter {name}", value) for name, value in about["parameters"].items()]
        lines += [(f"data {name}", f"checksum {value}") for name, value in about["inputs"].items()]
        lines += [(f"version of {name}", value) for name, value in about["versions"].items()]
        shown = [(name, ", ".join(map(str, v)) if isinstance(v, (list, tuple)) else str(v)) for name, v in lines]
        self.table(pd.DataFrame(shown, columns=["what", "value"]), "How this page was made")

    def _links(self, rows: Sequence[str], code: Callable[..., object] | None) -> str:
        return below(self.chapter.name, {"full run": self.full, "this run": self.run}, rows, code)


def page(name: str, values: Mapping[str, Any]) -> Page:
    """Run a chapter's experiment with the parameters found among `values`, and keep its rows.

    Examples
    --------
    In a notebook, after the cell that sets the parameters:

    >>> chapter = page("misclassification", globals())  # doctest: +SKIP
    """
    chapter = CHAPTERS[name]
    kind = chapter.parameters()
    wanted = [one.name for one in fields(kind)]
    missing = [one for one in wanted if one not in values]
    if missing:
        raise MistrustError(
            f"The parameters {', '.join(missing)} of chapter '{name}' are not set: run the parameter cell first."
        )
    parameters = kind.of({one: values[one] for one in wanted})
    found = chapter.module().rows(parameters)
    profile = save_run(chapter, parameters, found)
    return Page(chapter, parameters, profile, found.assign(profile=profile))


def _paragraph(links: str) -> str:
    return f'<p class="mistrust-links">{links}</p>' if links else ""
