"""The script in data/README.md does what it says."""

import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from PIL import Image

from mistrust.data import load
from mistrust.paths import PACKAGE

README = PACKAGE.parents[1] / "data" / "README.md"


def script():
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    (found,) = [block for block in blocks if "sys.argv" in block]
    return found


@pytest.mark.whole
def test_the_readmes_script_makes_a_set(alone, tmp_path, noise):
    pictures = tmp_path / "pictures"
    for split, names in (("train", "ab"), ("test", "b")):
        for label, kind in enumerate(("daisy", "tulip")):
            for k, name in enumerate(names):
                path = pictures / split / kind / f"{name}.png"
                path.parent.mkdir(parents=True, exist_ok=True)
                Image.fromarray(noise(32, 32, 3, seed=100 * (split == "test") + 10 * label + k)).save(path)
    (tmp_path / "script.py").write_text(script(), encoding="utf-8")
    subprocess.run(
        [sys.executable, str(tmp_path / "script.py"), str(pictures), str(alone.data / "flowers")],
        check=True,
        cwd=tmp_path,
    )
    train, test = load("flowers", "train"), load("flowers", "test")
    assert train.classes == ("daisy", "tulip")
    assert train.labels.tolist() == [0, 0, 1, 1]
    assert test.labels.tolist() == [0, 1]
    expected = np.stack([noise(32, 32, 3, seed=seed) for seed in (0, 1, 10, 11)]).transpose(0, 3, 1, 2)
    assert torch.equal(train.images, torch.from_numpy(expected.copy()))


def test_the_script_is_short():
    assert len([line for line in script().splitlines() if line.strip()]) <= 14
