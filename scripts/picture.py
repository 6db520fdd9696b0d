"""Draw the front page's picture, `book/_static/result.svg`, from the accepted rows of the full runs."""

from pathlib import Path

from mistrust.figures.comparison import front
from mistrust.publishing.ledger import entries, tally
from mistrust.publishing.results import accepted

if __name__ == "__main__":
    made = front(accepted("comparison"), tally(entries()), data="fmnist")
    Path("book/_static/result.svg").write_text(made.svg, encoding="utf-8", newline="\n")
    print(made.alt)  # for the one who writes the alt text of README.md and book/intro.md
