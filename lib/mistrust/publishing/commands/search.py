"""`mistrust search`: a list and a page to label, what the answers say, and the authors' rows."""

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mistrust.errors import MistrustError
from mistrust.exchange import exchange
from mistrust.publishing.commands.console import say, size, table
from mistrust.publishing.commands.parsing import given
from mistrust.publishing.commands.search_parser import add_options

if TYPE_CHECKING:
    from mistrust.search.labelling import Answers

LIST, PAGE = "ranked.csv", "label.html"
_WAY_OUT = "Free some space, or name another folder by --out."
# What each mode reads beside the file that it is named by, as it is typed after --: other options are refused.
MODES: Mapping[str, Sequence[str]] = {
    "rows": ("method", "threshold", "fraction", "seed", "column"),
    "answers": ("scores", "out", "column", "force"),
    "scores": (
        "images", "out", "budget", "method", "threshold", "class", "fraction", "seed", "pixels", "column", "force",
    ),
}  # fmt: skip


def search(options: Namespace) -> int:
    """Do what the given files ask for: rows, answers, or scores."""
    mode = next((one for one in MODES if getattr(options, one)), None)
    if mode is None:
        raise MistrustError(
            f"{'--images needs --scores' if options.images else 'Nothing to search'}: name what the classifier said by "
            f"--scores FILE, answers by --answers FILE, or the authors' rows by --rows FILE (mistrust search --help)."
        )
    if mode != "scores" and options.images:
        raise MistrustError(f"--images makes a page and --{mode} reads results: leave one of them out.")
    if mode == "rows" and (options.scores or options.answers):
        raise MistrustError("--rows reads a file by itself: leave --scores and --answers out.")
    _refuse_useless(options, mode)
    try:
        {"rows": _rows, "answers": _answers, "scores": _list}[mode](options)
    except MistrustError as error:
        raise _typed(error) from error
    return 0


def _typed(error: MistrustError) -> MistrustError:
    """The same with parameters of searches called as they are typed here; an error of another kind as it is."""
    told = str(error)
    for name in ("fraction", "seed"):
        told = re.sub(rf"`{name}`|^{name}(?= is )", f"--{name}", told)
    return error if told == str(error) else MistrustError(told)


def _refuse_useless(options: Namespace, mode: str) -> None:
    """Refuse options that would change nothing: whoever gave them expects something of them."""
    parser = ArgumentParser()
    add_options(parser)
    named, reads = given(options, parser), [f"--{name}" for name in MODES[mode]]
    useless = [flag for flag in named.values() if flag not in (f"--{mode}", *reads)]
    if useless:
        from mistrust.figures.parts import and_so_on

        use, them = ("are of no use", "them") if len(useless) > 1 else ("is of no use", "it")
        raise MistrustError(
            f"{and_so_on(useless)} {use} with --{mode}, which reads {and_so_on(reads)}: leave {them} out."
        )
    if "pixels" in named and not options.images:
        raise MistrustError("--pixels is of no use without images: leave it out, or name their folder by --images.")


def _list(options: Namespace) -> None:
    """Rank, and make the page where there are images; everything is ready before anything is written."""
    from mistrust.search.labelling import exported, find, labelling_page, rank, read_scores, refuse_twice, shown
    from mistrust.search.labelling.columns import as_csv
    from mistrust.search.labelling.ranking import TRENDS

    if not options.out:
        raise MistrustError("Where to? Name a folder for the list and the page: --out FOLDER.")
    methods = _methods(options)
    if len(methods) > 1:
        raise MistrustError(
            f"--method names {len(methods)} searches ({', '.join(methods)}), and a list has the order of one: name "
            f"one, and make another list by another call with another --out."
        )
    scores = read_scores(options.scores, _columns(options))
    method = methods[0] if methods else None
    ranked = rank(scores, options.budget, method, options.threshold, options.critical, _parameters(options))
    names = [query.name for query in ranked.queries]
    files = find(options.images, names) if options.images else None
    if files is not None:
        refuse_twice(names, files)
    listed = as_csv(ranked.frame(files, options.images))
    written = {LIST: listed}
    if files is not None:
        images = shown(files, options.pixels)
        written[PAGE] = labelling_page(ranked, images, files, options.pixels, folder=options.images)
    folder = Path(options.out)
    former = folder / LIST
    if not options.force and former.is_file() and former.read_text(encoding="utf-8", errors="replace") != listed:
        raise MistrustError(
            f"{former} holds another list, or answers that were written into it: name another folder by --out, or "
            "write over it by --force. Of answers that a page keeps in a browser the new one takes those of a list "
            "that it begins with, as where only the budget grew; export others first."
        )
    exchange({folder / name: text for name, text in written.items()}, way_out=_WAY_OUT)
    above = f"with a confidence above {options.threshold:g}" + (f", '{options.critical}'" if options.critical else "")
    say(f"{len(ranked.queries):,} of {ranked.pool:,} images {above}, by {ranked.method}")
    told = zip(scores.predicted, scores.confidence, strict=True)
    classes = sorted({name for name, confidence in told if confidence > options.threshold})
    if ranked.method in TRENDS and not options.critical and len(classes) > 1:
        say(
            f"Distances of {len(classes)} predicted classes are compared. Where those of one class are larger, it "
            f"comes last, whatever its errors: --class '{classes[0]}' ranks one class, as the method was made for."
        )
    if ranked.fraction is not None:
        say(f"The images are few: the trend of distance on confidence takes {ranked.fraction:.0%} of them at a time.")
    say(f"If confidences are right, {ranked.expected:.1f} of them are errors.")
    if scores.overlooked:
        say(
            f"The column '{scores.overlooked}' was not read. If it holds distances, name it: "
            f"--column distance={scores.overlooked}"
        )
    if scores.features is not None:
        count = scores.features.shape[1]
        say(
            f"{'Features (x1, ...) change' if count > 1 else 'The feature changes'} nothing in this order: searches "
            f"that go by features read answers on their way, as `mistrust.search.search` does in Python."
        )
    say(table([(folder / name, size(len(text.encode()))) for name, text in written.items()]))
    if files is not None:
        say(f"Open {folder / PAGE} in a browser; then: mistrust search --answers {exported(ranked)}")


def _answers(options: Namespace) -> None:
    """Say what one person found, or several together, and draw how reliable the confidences were."""
    from mistrust.publishing.commands.search_report import agreement, diagram, text
    from mistrust.search.labelling import read_answers, read_scores, report, together
    from mistrust.search.labelling.columns import as_csv

    columns = _columns(options)
    scores = read_scores(options.scores, columns) if options.scores else None
    several = [read_answers(path, scores, columns if scores is None else None) for path in options.answers]
    all_of = together(several) if len(several) > 1 else None
    answers = all_of.answers if all_of else several[0]
    found = report(answers)
    beside = Path(options.out) if options.out else answers.path.parent
    stem = "+".join(one.path.stem for one in several)
    written = {
        f"{stem}.reliability.svg": diagram(found, answers.method).svg,
        f"{stem}.errors.csv": as_csv(found.found),
        f"{stem}.sdr.csv": as_csv(found.course),
    }
    if all_of:
        written[f"{stem}.conflicts.csv"] = as_csv(all_of.conflicts)
    if not options.force:
        _refuse_others(beside, stem, list(written), answers)
    if all_of:
        say(agreement(all_of) + "\n")
    say(text(found, answers.method))
    exchange({beside / name: content for name, content in written.items()}, way_out=_WAY_OUT)
    say("\n" + table([(beside / name, size(len(content.encode()))) for name, content in written.items()]))


def _refuse_others(folder: Path, stem: str, names: Sequence[str], answers: "Answers") -> None:
    """Refuse to write over reports of another list; those of fewer answers to this one are made anew."""
    import pandas as pd

    from mistrust.search.labelling import continues

    there = [name for name in names if (folder / name).exists()]
    try:
        before = pd.read_csv(folder / f"{stem}.sdr.csv", dtype={"id": str}, keep_default_na=False)
        same = continues(before, answers)
    except (OSError, ValueError, KeyError, TypeError):  # no such file, or none of ours
        same = False
    if there and not same:
        raise MistrustError(
            f"{folder / there[0]} is a report on another list: name another folder by --out, rename the answers file, "
            "or write over it by --force. Nothing was written."
        )


def _rows(options: Namespace) -> None:
    """Print the pool's SDR and that of each search on the authors' rows."""
    from mistrust.publishing.commands.search_report import rows_text
    from mistrust.search.authors import compare, read_rows, searches
    from mistrust.search.residual import FRACTION

    parameters = _parameters(options)
    methods = searches(_methods(options), parameters)  # before a long file is read
    authors = read_rows(options.rows, options.threshold, _columns(options))
    say(rows_text(authors, compare(authors, methods, **parameters), parameters.get("fraction", FRACTION)))


def _methods(options: Namespace) -> list[str]:
    """Each search that --method names, after a comma or again; none where it is not given."""
    return [name.strip() for words in options.method for name in words.split(",")]


def _columns(options: Namespace) -> Mapping[str, str]:
    """`confidence=softmax` for each --column."""
    found = dict[str, str]()
    for words in options.columns:
        name, _, other = words.partition("=")
        if not name or not other:
            raise MistrustError(f"--column is '{words}', expected NAME=OTHER, such as confidence=softmax.")
        found[name.strip()] = other.strip()
    return found


def _parameters(options: Namespace) -> dict[str, Any]:
    named = {"fraction": options.fraction, "seed": options.seed}
    return {name: value for name, value in named.items() if value is not None}
