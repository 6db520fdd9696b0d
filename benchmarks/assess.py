"""What a report on a classifier of one's own takes, for models that nobody trained for this book.

    python benchmarks/assess.py                      # all; half an hour of two idle cores
    python benchmarks/assess.py forest               # these only; their rows replace the former ones
    python benchmarks/assess.py forest --no-rows     # print only

Models: scikit-learn's random forest behind a function, and torchvision's `resnet18` with random weights whose last
layer is fitted to the images, as TorchScript and as `torch.export` gives it. Images: digits of `mnist5k`, 1,000 to test
and 1,000 to train, a folder a class; for `resnet18` in colour at 64 x 64. Each is `mistrust assess` with its defaults
(a plan of five minutes), from an empty store.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
from PIL import Image
from sklearn.linear_model import LogisticRegression
from timing import taken_on
from torch import nn
from torch.nn import functional

from mistrust import paths, rows
from mistrust.data import load

COUNT, SIZE = 1000, 64
FOREST = """
import joblib
import numpy as np

fitted = joblib.load({file!r})


def predict(images):
    return fitted.predict_proba(np.asarray(images).reshape(len(images), -1))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help=f"of {', '.join(MODELS)}", metavar="MODEL")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    for name in options.models or MODELS:
        with tempfile.TemporaryDirectory() as folder:
            save, more = MODELS[name]
            sets = {part: images(Path(folder) / part, part) for part in ("train", "test")}
            model = save(Path(folder), *sets["train"])
            seconds = assessed(Path(folder), model, more)
        print(f"{name}: {seconds:.0f} seconds", flush=True)
        if not options.no_rows:
            new = [{"condition": name, "metric": "seconds", "value": round(seconds), "n": COUNT}]
            rows.update(
                rows.table(new, chapter="benchmarks", table="assess", note=taken_on()),
                paths.results() / "benchmarks" / "assess.csv",
            )


def images(folder: Path, part: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Write the first digits, a folder a class, and give them."""
    some = load("mnist5k", part)
    some = some.take(torch.arange(min(COUNT, len(some))))
    for number, (image, label) in enumerate(zip(some.images.numpy(), some.labels.tolist(), strict=True)):
        file = folder / some.classes[label] / f"{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image.squeeze()).save(file)
    return some.floats(), some.labels


def forest(folder: Path, x: torch.Tensor, labels: torch.Tensor) -> str:
    import joblib
    from sklearn.ensemble import RandomForestClassifier

    joblib.dump(RandomForestClassifier(100, random_state=0).fit(x.flatten(1).numpy(), labels), folder / "forest.joblib")
    (folder / "own.py").write_text(FOREST.format(file=str(folder / "forest.joblib")))
    return f"{folder / 'own.py'}:predict"


def resnet18(x: torch.Tensor, labels: torch.Tensor) -> nn.Module:
    """Random weights; the last layer is a logistic regression on what the layer before gives."""
    from torchvision.models import resnet18 as build

    torch.manual_seed(0)
    network = build().eval()
    with torch.no_grad():
        network.fc = nn.Identity()
        big = functional.interpolate(x.expand(-1, 3, -1, -1), (SIZE, SIZE), mode="bilinear", antialias=True)
        features = torch.cat([network(some) for some in big.split(100)])
        # Scaled for the fit, and the scale taken back into the weights.
        mean, spread = features.mean(0), features.std(0) + 1e-6
        fitted = LogisticRegression(max_iter=1000).fit(((features - mean) / spread).numpy(), labels)
        last = nn.Linear(features.shape[1], len(fitted.classes_))
        last.weight.copy_(torch.from_numpy(fitted.coef_).float() / spread)
        last.bias.copy_(torch.from_numpy(fitted.intercept_).float() - last.weight @ mean)
    network.fc = last
    return network.requires_grad_(False).eval()


def script(folder: Path, x: torch.Tensor, labels: torch.Tensor) -> str:
    torch.jit.script(resnet18(x, labels)).save(folder / "model.pt")
    return str(folder / "model.pt")


def exported(folder: Path, x: torch.Tensor, labels: torch.Tensor) -> str:
    any_batch = {0: torch.export.Dim("batch")}
    one = torch.zeros(2, 3, SIZE, SIZE)
    program = torch.export.export(resnet18(x, labels), (one,), dynamic_shapes=(any_batch,))
    torch.export.save(program, folder / "model.pt2")
    return str(folder / "model.pt2")


LIKE_RESNET = ("--size", str(SIZE), "--channels", "3")
MODELS = {
    "forest": (forest, ()),
    "resnet18 TorchScript": (script, LIKE_RESNET),
    "resnet18 torch.export": (exported, (*LIKE_RESNET, "--trust")),
}


def assessed(folder: Path, model: str, more: tuple[str, ...]) -> float:
    command = ["assess", "--model", model, "--images", f"{folder}/test", "--train", f"{folder}/train", *more]
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "mistrust.cli", *command, "--out", f"{folder}/report"],
        check=True, cwd=paths.root(), stdout=subprocess.DEVNULL,
        env={**os.environ, "MISTRUST_STORE": f"{folder}/store"},
    )  # fmt: skip
    page = Path(folder, "report", "index.html").read_text(encoding="utf-8")
    if "http://" in page.replace("http://www.w3.org", "") or len(page) < 10_000:
        raise SystemExit("The report is no self-contained page.")
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
