"""The report as one HTML file that asks for nothing from outside and has no script."""

from html import escape
from importlib import resources
from string import Template

from mistrust import __version__
from mistrust.assess.blocks import Table
from mistrust.assess.parts import PARTS
from mistrust.assess.running import Report, versions


def page(report: Report) -> str:
    """Give the page's HTML."""
    about = report.prepared.about
    sections = []
    for name, told in report.told.items():
        body = "".join(block.html() for block in told.blocks)
        sections.append(f'<section id="{name}"><h2>{escape(PARTS[name].title)}</h2>{body}</section>')
    heads = "".join(
        f'<li><a href="#{name}">{escape(PARTS[name].title)}</a> <span>{escape(told.headline)}</span></li>'
        for name, told in report.told.items()
    )
    notices = "".join(f'<p class="notice">{escape(one)}</p>' for one in report.prepared.notices)
    return Template(_part("page.html")).substitute(
        title=escape(f"{report.prepared.subject.classifier.name}: when not to trust it"),
        style=_part("page.css").strip(),
        model=escape(_model(report)), images=escape(_images(report)), notices=notices, heads=heads,
        sections="".join(sections), left=_left(report), made=_made(report), named=escape(str(about["model"]["named"])),
    )  # fmt: skip


def _model(report: Report) -> str:
    about = report.prepared.about["model"]
    return f"{about['kind']}, {len(report.prepared.about['classes'])} classes, {about['outputs']}"


def _images(report: Report) -> str:
    images, train = report.prepared.about["images"], report.prepared.about["train"]
    size = f" of {images['height']}x{images['width']} pixels" if "height" in images else ""
    of = f" of {images['found']:,}" if images["found"] != images["read"] else ""
    told = f"{images['read']:,}{of} images{size} from '{images['name']}'"
    return told + (f"; {train['read']:,} training images from '{train['name']}'" if train else "; no training images")


def _left(report: Report) -> str:
    if not report.left:
        return ""
    items = "".join(
        f"<li><strong>{escape(', '.join(names))}</strong>: {escape(reason)}.</li>"
        for reason, names in report.reasons.items()
    )
    return f'<section id="left"><h2>What was left out</h2><ul class="left">{items}</ul></section>'


def _made(report: Report) -> str:
    about = report.prepared.about
    read = [f"{PARTS[name].title} {told.read:,}" for name, told in report.told.items() if told.read is not None]
    model = about["model"]
    rows = [
        ("model", f"{model['named']} ({model['kind']})"),
        ("sha256 of its file", f"{model['file_sha256'] or 'none'} (first 20 digits)"),
        ("checksum of the images", about["images"]["checksum"]),
        *([("checksum of the training images", about["train"]["checksum"])] if about["train"] else []),
        *(
            [("the model sees", f"(image - {model['mean']}) / {model['std']}, image in [0, 1]")]
            if "mean" in model else []
        ),
        *([("layer that supervisors read", model["layer"])] if model["layer"] else []),
        ("seed of all draws", str(report.settings["seed"])),
        *([("images that each part read", "; ".join(read))] if read else []),
        ("versions", ", ".join(f"{name} {number}" for name, number in {"mistrust": __version__, **versions()}.items())),
    ]  # fmt: skip
    return Table("How this report was made", ("what", "value"), rows, words=True).html()


def _part(name: str) -> str:
    return resources.files("mistrust.assess").joinpath(name).read_text(encoding="utf-8")
