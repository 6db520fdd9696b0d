"""The options of `mistrust ambiguous make`; nothing heavy is imported here, so that help comes at once."""

import argparse

ACTION, HELP = "ambiguous.make", "make a labelled set of ambiguous images and write it for others"
MORE = (
    "Trains autoencoders of two classes each (AmbiGuess), keeps those that pass its gates, draws images between "
    "the classes with the probability of either, and writes a train and a test part as npz, as idx files like "
    "MNIST's, and as parquet with a data card for Hugging Face. The folder is written whole or not at all."
)
EXAMPLES = """examples:
  mistrust ambiguous make mnist --train 20000 --test 10000 --leave-out --out ambiguous-mnist     hours, all pairs
  mistrust ambiguous make digits --pairs 3/8,4/9 --train 200 --test 100 --out tiny     a minute, nothing to download
  mistrust ambiguous make fmnist --pairs "Dress/Coat,T-shirt/top/Bag" --out clothes --dry-run
  mistrust ambiguous make flowers --licence "CC BY 4.0" --out ambiguous-flowers        images of your own

A folder of your own images is loaded by its name: data/README.md says how. What is trained is kept: stopped, the same
command goes on. FOLDER/README.md, the data card, says how to read the files.
"""


def add_options(make: argparse.ArgumentParser) -> None:
    """Give the parser of `mistrust ambiguous make` its options."""
    make.add_argument(
        "set",
        metavar="SET",
        help="an image set, or the name of a folder of your own images in MISTRUST_DATA (mistrust data list)",
    )
    make.add_argument("--out", required=True, metavar="FOLDER", help="where to write; must not exist yet")
    make.add_argument("--train", type=int, metavar="N", help="images to learn from (default 20000)")
    make.add_argument("--test", type=int, metavar="N", help="images to test with (default 10000)")
    make.add_argument("--pairs", metavar="A/B,C/D", help="pairs of classes, by name or position (default: all)")
    make.add_argument(
        "--delta-max", metavar="X[,Y]",
        help="largest difference of the two probabilities, in (0, 1]: of train and test images, or one number for "
        "both (default 0.4,0.25, the paper's)",
    )  # fmt: skip
    make.add_argument(
        "--z-bound", type=float, metavar="S",
        help="how far from the middle points are drawn where the classes do not differ, in standard deviations (the "
        "paper's: 5; further means more diverse and odder)",
    )  # fmt: skip
    make.add_argument("--models", type=int, metavar="N", help="good autoencoders a pair, at least 2 (default 2)")
    make.add_argument(
        "--tries", type=int, metavar="N", help="autoencoders of a pair trained at most (default 5 x models)"
    )
    make.add_argument(
        "--epochs",
        type=int,
        metavar="N",
        help="passes over a pair's images (default: 80 for MNIST, more for fewer images)",
    )
    make.add_argument(
        "--batch", type=int, metavar="N", help="images a step (default: 1000 for MNIST, less for fewer images)"
    )
    make.add_argument("--label", metavar="RULE", help="normalised (default), softmax or prior")
    make.add_argument("--weight", metavar="RULE", help="jacobian (default), differences, energy or uniform")
    make.add_argument("--pooled", action="store_true", help="do not balance pairs of classes, as published")
    make.add_argument("--shared", action="store_true", help="train and test from the same autoencoders, as published")
    make.add_argument(
        "--leave-out", action="store_true",
        help="leave out pairs without enough good autoencoders (of all 45 of MNIST some will lack them) in place of an "
        "error; the data card names them",
    )  # fmt: skip
    make.add_argument("--gates-as-coded", action="store_true", help="gates with the values that the code takes")
    make.add_argument("--cells", type=int, metavar="N", help="grid cells an axis of the latent space (default 50)")
    make.add_argument("--latent", type=int, metavar="N", help="dimensions of the latent space (default 2)")
    make.add_argument("--seed", type=int, metavar="N", help="of all draws (default 0)")
    make.add_argument("--licence", metavar="TEXT", help="of images of your own, for which it is needed: 'CC BY 4.0'")
    make.add_argument("--formats", metavar="F,G", help="of npz, idx and parquet (default: all)")
    make.add_argument("--dry-run", action="store_true", help="say what would be made; make nothing")
    make.add_argument(
        "--device",
        metavar="D",
        help="where networks compute: cpu, cuda, mps (untried); default: auto, cuda or else cpu",
    )
