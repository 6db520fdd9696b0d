import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from mistrust.errors import MistrustError
from mistrust.publishing import normalise


def ran(source="1", *outputs, count=1, **metadata):
    return new_code_cell(source, execution_count=count, outputs=list(outputs), metadata=metadata)


def stream(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def figure(name="fig-a", alt="a curve that falls", caption="A *curve*.", kind="image/png"):
    about = {"alt": alt, "caption": caption, "name": name}
    return new_output("display_data", {kind: "iVBOR", "text/plain": "<Figure>"}, metadata={"mistrust": about})


def error(name="ValueError", value="no"):
    return new_output("error", ename=name, evalue=value, traceback=[])


def book(*cells):
    return new_notebook(cells=list(cells))


def test_a_notebook_that_ran_whole_has_no_failure():
    assert normalise.failure(book(new_markdown_cell("x"), ran(), ran(count=2), new_code_cell("  \n"))) is None


def test_a_failing_cell_is_named_by_its_place_in_the_source():
    mark = new_markdown_cell("red", metadata={"tags": ["papermill-error-cell-tag"]})
    cells = [mark, new_markdown_cell("text"), ran(), ran("# why\n\nx = f(1)\ny", error(value="no\nway"))]
    found = normalise.failure(book(*cells, new_code_cell("never")))
    assert str(found) == "cell 3 failed\n  x = f(1)\n  ValueError: no\n  way"


def test_the_line_that_failed_is_shown_not_the_cells_first():
    def told(source, *trace, count=2):
        output = new_output("error", ename="ValueError", evalue="no", traceback=list(trace))
        return normalise.failure(book(ran(source, output, count=count))).line

    deep = "\x1b[0;36mCell In[2]\x1b[0m\x1b[0;36m, line {}\x1b[0m\nwhatever"
    source = "import os\ndef f():\n    raise ValueError('no')\n\nf()"
    assert told(source, "-----", deep.format(5), deep.format(3), "File lib.py:7, in g") == "raise ValueError('no')"
    assert told(source, deep.format(5), "Cell In[1], line 3") == "f()"  # a function of another cell
    assert told(source, deep.format(50)) == told(source) == "import os"


def test_a_message_of_ours_is_whole_and_without_the_name_of_its_class():
    long = "\n".join(f"{i} " + 400 * "x" for i in range(20)) + " the way out"
    for name in ("MistrustError", "UnknownName"):
        text = str(normalise.failure(book(ran("f()", error(name, long)))))
        assert text.startswith("cell 1 failed\n  f()\n  0 xxx")
        assert text.endswith("the way out")
        assert 400 * "x" in text
    text = str(normalise.failure(book(ran("f()", error("KeyError", long)))))
    assert "the way out" not in text
    assert 301 * "x" not in text


def test_an_error_output_is_believed_even_where_the_cell_allows_it():
    assert normalise.failure(book(ran("f()", error(), tags=["raises-exception"]))).error == "ValueError"


def test_a_dead_kernel_is_found_by_what_never_ran():
    done = {"papermill": {"status": "completed", "exception": None}}
    cells = [ran("a = 1"), ran("os.kill(os.getpid(), 9)", count=2, **done), new_code_cell("b = 2", metadata=done)]
    found = normalise.failure(book(*cells), "DeadKernelError: Kernel died", 1)
    assert str(found) == (
        "cell 2 failed\n  os.kill(os.getpid(), 9)\n"
        "  DeadKernelError: the kernel died in this cell (killed, or out of memory?)"
    )
    # In the last cell it leaves no trace in the notebook: what stopped the run is believed, too.
    assert normalise.failure(book(*cells[:2]), "DeadKernelError: Kernel died", 1) == found
    assert normalise.failure(book(*cells[:2])) is None
    assert normalise.failure(book(*cells)).cell == 3
    assert normalise.failure(book(new_code_cell("a"), new_code_cell("b"))).error == "NotRun"


def test_warnings_and_errors_on_stderr_are_found_and_chatter_is_not():
    bar = "\rtraining:  10%|#  | 1/10\rtraining: 100%|###| 10/10\n"
    text = "/tmp/x.py:3: RuntimeWarning: divide by zero\n  a / b\n" * 2 + bar + "INFO:root:fine\nWARNING:root:hot\n"
    found = normalise.alarms(book(new_markdown_cell("x"), ran("1", stream(text, "stderr"), stream("Error: printed"))))
    assert found == ["cell 2: /tmp/x.py:3: RuntimeWarning: divide by zero", "cell 2: WARNING:root:hot"]


def test_two_runs_become_equal():
    def run(time, address, chunks, order):
        cells = [
            ran(
                "print(1)",
                *[stream(part) for part in chunks],
                stream(f"{time} it/s", "stderr"),
                new_output("execute_result", {"text/plain": f"<f at 0x{address}>", "text/html": f"<b at 0x{address}>"}),
                papermill={"duration": time, "status": "completed"},
                execution={"iopub.execute_input": time},
                tags=[],
            )
        ]
        cells[0]["id"] = "own"
        made = new_notebook(cells=cells)
        made.metadata = nbformat.from_dict(
            {
                "papermill": {"start_time": time},
                "widgets": {"state": time},
                "kernelspec": {"name": order},
                "language_info": {"version": order},
                "title": "kept",
            }
        )
        normalise.clean(made)
        return nbformat.writes(made)

    first = run("1", "7f00aa", ["a\n", "b\n"], "conda-x")
    assert first == run("2", "7fffbb", ["a", "\nb\n"], "python3")
    assert '"title": "kept"' in first
    assert "it/s" not in first
    assert '"id": "own"' in first


def test_addresses_are_only_changed_in_text():
    pixels = new_output("display_data", {"image/svg+xml": "<g id='at 0x7f00aa'/>"})
    made = book(ran("1", pixels))
    normalise.clean(made)
    assert made.cells[0].outputs[0].data["image/svg+xml"] == "<g id='at 0x7f00aa'/>"


def test_a_figure_gets_alt_text_caption_and_name_where_sphinx_looks():
    made = book(ran("draw()", stream("x"), figure(), mystnb={"image": {"width": "50%"}}))
    normalise.place_figures(made)
    cell = made.cells[0]
    assert cell.metadata["mystnb"] == {
        "image": {"width": "50%", "alt": "a curve that falls"},
        "figure": {"caption": "A *curve*.", "name": "fig-a"},
    }
    assert "mistrust" not in cell.outputs[1].metadata


def test_an_interactive_figure_carries_its_own_alt_text():
    made = book(ran("draw()", figure(kind="text/html", alt="")))
    normalise.place_figures(made)
    assert made.cells[0].metadata["mystnb"] == {"figure": {"caption": "A *curve*.", "name": "fig-a"}}


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([ran("d()", figure(), figure("fig-b"))], "Cell 1 shows a figure and 1 more: a figure needs a cell of its own"),
        ([ran("d()", figure(alt=" "))], "figure in cell 1 has no alt"),
        ([ran("d()", figure(caption="", name=""))], "has no caption and no name"),
        ([ran("d()", figure()), ran("d()", figure())], "Cells 1 and 2 both show a figure named 'fig-a'"),
    ],
)
def test_figures_that_cannot_be_placed(cells, message):
    with pytest.raises(MistrustError, match=message):
        normalise.place_figures(book(*cells))
