"""Where torchvision keeps the weights of ImageNet's networks: told without importing it, which takes seconds."""

from pathlib import Path

import torch

from mistrust.errors import check_known

# Network of `mistrust.networks.imagenet` -> what torchvision calls the file, by which it knows one version of weights.
WEIGHTS_FILES = {
    "alexnet": "alexnet-owt-7be5be79.pth",
    "vgg16": "vgg16-397923af.pth",
    "resnet152": "resnet152-394f9c45.pth",
    "inception_v3": "inception_v3_google-0cc3c7bd.pth",
}


def weights_file(name: str) -> Path:
    """Where torchvision keeps a network's weights once it has downloaded them; TORCH_HOME moves it.

    Raises
    ------
    UnknownName
        No such network.
    """
    check_known("network for ImageNet", name, WEIGHTS_FILES)
    return Path(torch.hub.get_dir()) / "checkpoints" / WEIGHTS_FILES[name]
