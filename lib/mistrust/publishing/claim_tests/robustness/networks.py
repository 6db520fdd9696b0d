"""Claims of section 3.2 on the networks, by what torchvision states of them or what is counted there."""

from mistrust.publishing.claim_tests.printed import decided
from mistrust.publishing.claim_tests.robustness.printed import counts, numbers
from mistrust.publishing.claim_tests.robustness.reading import CHAPTER, NETWORKS
from mistrust.publishing.estimates import NotRun, Reader, number
from mistrust.publishing.published import PROFILE
from mistrust.publishing.verdicts import Verdict, claim_test

# "Approximately": within a twentieth.
APPROXIMATELY = 0.05


@claim_test("urem-kernel-sizes", CHAPTER, printed=True)
def kernel_sizes(rows: Reader) -> Verdict:
    """Those that occur in any of its convolutions."""
    said, found = (_sizes(rows, table) for table in ("text", "torchvision"))
    told = "; ".join(f"{NETWORKS[name]} has {', '.join(found[name])}" for name in said)
    return decided(said == {name: found[name] for name in said}, told)


@claim_test("urem-inception-outputs", CHAPTER, printed=True)
def inception_outputs(rows: Reader) -> Verdict:
    """In training mode."""
    return _counted(rows, "inception_v3", "outputs in training", "outputs in training")


@claim_test("urem-alexnet-activations", CHAPTER, printed=True)
def alexnet_activations(rows: Reader) -> Verdict:
    """The last layer gives logits."""
    layers, found = (counts(rows, "torchvision", metric)["alexnet"] for metric in ("layers", "activations"))
    told = f"AlexNet has {number(layers)} layers with weights and {number(found)} ReLUs, none after its last layer"
    return decided(found == layers, told)


@claim_test("urem-alexnet-layers", CHAPTER, printed=True)
def alexnet_layers(rows: Reader) -> Verdict:
    """Layers with weights."""
    return _counted(rows, "alexnet", "layers", "layers with weights")


@claim_test("urem-vgg-convolutions", CHAPTER, printed=True)
def vgg_convolutions(rows: Reader) -> Verdict:
    """Three of its 16 layers are fully connected."""
    return _counted(rows, "vgg16", "convolutions", "convolutional layers")


@claim_test("urem-inception-layers", CHAPTER, printed=True)
def inception_layers(rows: Reader) -> Verdict:
    """On the longest path, as depth is meant elsewhere; nor are there so many in all branches together."""
    return _counted(rows, "inception_v3", "layers", "layers with weights on its longest path")


@claim_test("urem-parameters", CHAPTER, printed=True)
def parameters(rows: Reader) -> Verdict:
    """Both where section 3.2 and where Table 1 has them; of InceptionV3 without the head that is there for training."""
    exact = numbers(rows, "torchvision", "parameters", at="")
    said = [numbers(rows, table, "parameters") for table in ("text", "table1")]
    worst, name = max((abs(float(one[name]) / float(exact[name]) - 1), name) for one in said for name in NETWORKS)
    told = f"farthest off is {NETWORKS[name]}, by {number(100 * worst)} % of {exact[name] / 1e6:.1f} million"
    return decided(worst <= APPROXIMATELY, told)


@claim_test("urem-batch-normalisation", CHAPTER, printed=True)
def batch_normalisation(rows: Reader) -> Verdict:
    """Layers of it in torchvision's networks."""
    found = counts(rows, "torchvision", "batch normalisations")
    told = "; ".join(f"{NETWORKS[name]} has {number(found[name])}" for name in ("resnet152", "alexnet", "vgg16"))
    return decided(found["resnet152"] > found[["alexnet", "vgg16"]].max(), f"layers of batch normalisation: {told}")


@claim_test("urem-resnet101-parameters", CHAPTER, printed=True)
def resnet101_parameters(rows: Reader) -> Verdict:
    """The paper gives one number for both of its residual networks."""
    said, found = (
        numbers(rows, table, "parameters", networks=["resnet101"], at="")["resnet101"]
        for table in ("text", "torchvision")
    )
    told = f"ResNet101 has {found / 1e6:.1f} million parameters, the paper says {said / 1e6:.0f}"
    return decided(abs(said / found - 1) <= APPROXIMATELY, told)


@claim_test("urem-resnet-lighter", CHAPTER, printed=True)
def resnet_lighter(rows: Reader) -> Verdict:
    """By the operations that one image takes."""
    cost = numbers(rows, "torchvision", "gflops")
    own, other = cost["resnet152"], cost["vgg16"]
    return decided(own < other, f"ResNet152 takes {own:.1f} billion operations for an image, VGG16 {other:.1f}")


def _counted(rows: Reader, name: str, metric: str, what: str) -> Verdict:
    said, found = (counts(rows, table, metric)[name] for table in ("text", "torchvision"))
    return decided(said == found, f"{NETWORKS[name]} has {number(found)} {what}, the paper says {number(said)}")


def _sizes(rows: Reader, table: str) -> dict[str, list[str]]:
    """Sizes of kernels by network, the largest first."""
    found = rows.find(profile=PROFILE, table=table, metric="kernel size")
    if found.empty:
        raise NotRun("the printed kernel sizes")
    ordered = found.sort_values("value", ascending=False)
    return {str(name): own["at"].to_list() for name, own in ordered.groupby("network")}
