"""What a set of rows was made from, and in what that differs from the code, data and profiles of today."""

import dataclasses
import importlib.metadata
import json
import platform
from collections.abc import Mapping
from typing import Any

import mistrust
from mistrust.parameters import Checked
from mistrust.publishing.chapters import Chapter

Manifest = dict[str, Any]

PACKAGES = ("torch", "torchvision", "numpy", "scipy", "pandas", "scikit-learn", "statsmodels")
PROCESSOR = "processor"
WHOLE = "whole run"  # whose versions these are that no piece accepted by itself has
WORDS = {"makers": ("maker", "version "), "inputs": ("input", "checksum ")}


def manifest(chapter: Chapter, parameters: Checked) -> Manifest:
    """Say what rows of these parameters rest on today.

    Returns
    -------
    {"chapter": name, "parameters": {name: value}, "inputs": {what is read: checksum}, "makers": {kind: version},
    "versions": {package: version}}, made of what JSON knows. Versions are for the reader and never compared: results
    depend on code through the makers' versions.

    Examples
    --------
    >>> from mistrust.publishing.chapters import CHAPTERS
    >>> from mistrust.search.experiment import Parameters
    >>> found = manifest(CHAPTERS["search"], Parameters(budget=20))
    >>> sorted(found), found["parameters"]["budget"], list(found["inputs"])
    (['chapter', 'inputs', 'makers', 'parameters', 'versions'], 20, ['mnist5k/train', 'mnist5k/test'])
    """
    module = chapter.module()
    found = {
        "chapter": chapter.name,
        "parameters": values(parameters),
        "inputs": dict(module.inputs(parameters)),
        "makers": {maker.kind: maker.version for maker in module.MAKERS},
        "versions": versions(),
    }
    plain: Manifest = json.loads(json.dumps(found))
    return plain


def values(parameters: Checked) -> dict[str, Any]:
    """The values of parameters as JSON knows them (a tuple is a list)."""
    plain: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(parameters)))
    return plain


def versions() -> dict[str, str]:
    """Versions of this library, of Python and of the packages that numbers can depend on, and the processor's kind.

    With other vector instructions sums round otherwise, and training ends in another network.
    """
    import torch

    found = {"mistrust": mistrust.__version__, "python": platform.python_version()}
    found |= {name: importlib.metadata.version(name) for name in PACKAGES}
    return found | {PROCESSOR: f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()}"}


def parameter_differences(run: Mapping[str, Any], profile: str, parameters: Checked) -> list[str]:
    """One text for each parameter in which a run differs from a profile: "networks: 2, the profile `full` has 5"."""
    old, new = run["parameters"], values(parameters)
    texts = []
    for name in sorted({*old, *new}):
        if name not in new:
            texts.append(f"{name}: {old[name]!r}, no longer a parameter")
        elif name not in old:
            texts.append(f"{name}: not in the run, the profile `{profile}` has {new[name]!r}")
        # 1 and 1.0 and True are equal to Python and different to a reader of parameters
        elif json.dumps(old[name]) != json.dumps(new[name]):
            texts.append(f"{name}: {old[name]!r}, the profile `{profile}` has {new[name]!r}")
    return texts


def changes(old: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """One text for each maker or input in which today differs: "maker mlm-network: version 1, now version 2"."""
    texts = []
    for part, (word, unit) in WORDS.items():
        before, after = old[part], now[part]
        for name in sorted({*before, *after}):
            if name not in after:
                texts.append(f"{word} {name}: no longer used")
            elif name not in before:
                texts.append(f"{word} {name}: new")
            elif before[name] != after[name]:
                texts.append(f"{word} {name}: {unit}{before[name]}, now {unit}{after[name]}")
    return texts


def elsewhere(before: Mapping[str, Mapping[str, str]], now: Mapping[str, str]) -> list[str]:
    """One text for each version, or kind of processor, in which what was made before differs from today.

    Rows made then stand; but a network trained today is another one than that which they were measured on.

    Examples
    --------
    >>> elsewhere({"network 0": {"processor": "x86_64 AVX512"}, "network 1": {}}, {"processor": "x86_64 AVX2"})
    ['processor x86_64 AVX512, now x86_64 AVX2']
    >>> elsewhere({"network 0": {"torch": "2.14.1"}}, {"torch": "2.14.1"})
    []
    """
    texts: list[str] = []
    for name, version in now.items():
        if name == "mistrust":  # on which results depend through the makers' versions
            continue
        others = {made.get(name, version) for made in before.values()} - {version}
        texts += [f"{name} {', '.join(sorted(others))}, now {version}"] if others else []
    return texts


def in_use(about: Manifest) -> dict[str, Mapping[str, str]]:
    """Versions that accepted rows rest on: those of a whole run no more, once each of its pieces was accepted again.

    Examples
    --------
    >>> versions = {"whole run": {"torch": "2.13"}, "network 0": {"torch": "2.14"}}
    >>> list(in_use({"pieces": ["network 0"], "versions": versions}))
    ['network 0']
    >>> list(in_use({"pieces": ["network 0", "network 1"], "versions": versions}))
    ['whole run', 'network 0']
    """
    versions = about["versions"]
    replaced = set(about["pieces"]) <= set(versions)
    return {name: made for name, made in versions.items() if name != WHOLE or not replaced}
