"""The options of `mistrust assess`; nothing heavy is imported here, so that help comes at once."""

import argparse

ACTION, HELP = "assess.assess", "report when not to trust a classifier of your own"
MORE = (
    "Reads a model and labelled images of yours, and writes a page that opens anywhere: accuracy on spoilt images, "
    "which classes are mistaken for which, which supervisor would have noticed bad inputs, how much noise or "
    "deliberate change alters a prediction, and which images to label next."
)
EXAMPLES = """examples:
  mistrust assess --model model.onnx --images photos/test --train photos/train --out report
  mistrust assess --model model.pt --images photos/test --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225 --out report
  mistrust assess --model my_code.py:predict --images photos/test --out report      a function of images
  mistrust assess --outputs said.npz --out report                                   logits in place of a model

A model is a TorchScript or ONNX file, a torch.export file or a pickled torch module (these two only with --trust:
reading one runs what is in it), or a torch module or function in Python. A function takes float32 images (n, channels,
height, width) in [0, 1], scaled by --mean and --std, and gives logits or probabilities (n, classes).
Images lie in one folder per class (test/cat/1.png), or in test.parquet with classes.txt (data/README.md). Classes are
in the order of their names unless --classes gives another.
Parts that need gradients, layers or training images are left out, and named, where there are none. A run that was
stopped continues where it left off.
"""


def add_options(assess: argparse.ArgumentParser) -> None:
    """Give the parser of `mistrust assess` its options."""
    assess.add_argument("--model", metavar="M", help="a file, MODULE:NAME, or FILE.py:NAME")
    assess.add_argument("--images", metavar="FOLDER", help="labelled images that the model was not trained on")
    assess.add_argument("--train", metavar="FOLDER", help="training images, for the parts that learn from them")
    assess.add_argument("--out", metavar="FOLDER", help="where the report goes")
    assess.add_argument("--outputs", metavar="FILE", help="a model's outputs (npz, csv or parquet), in its place")
    assess.add_argument("--train-outputs", metavar="FILE", help="the same for the training images")
    assess.add_argument("--classes", metavar="FILE", help="class names in the order of the outputs, one per line")
    assess.add_argument("--mean", metavar="X[,Y,Z]", help="the model sees (image - mean) / std (default 0)")
    assess.add_argument("--std", metavar="X[,Y,Z]", help="the same, image in [0, 1] (default 1)")
    assess.add_argument("--size", metavar="HxW", help="resize the images, 224x224 or 224 (default: as they are)")
    assess.add_argument(
        "--channels", type=int, default=0, metavar="N", help="1 for grey, 3 for colour (default: as they are)"
    )
    assess.add_argument(
        "--layer", metavar="NAME", help="layer that supervisors read (default: what the last layer gets)"
    )
    assess.add_argument(
        "--limit", type=int, default=2000, metavar="N", help="read at most so many images (default 2000)"
    )
    assess.add_argument("--budget", type=int, default=50, metavar="N", help="images on the list to label (default 50)")
    assess.add_argument(
        "--minutes", type=float, default=5.0, metavar="N", help="about how long it may take here (default 5)"
    )
    assess.add_argument("--seed", type=int, default=0, metavar="N", help="of all draws (default 0)")
    assess.add_argument(
        "--trust", action="store_true", help="read a torch.export file or a pickled module, which runs the code in it"
    )
    assess.add_argument("--force", action="store_true", help="go on even if the input range looks wrong")
