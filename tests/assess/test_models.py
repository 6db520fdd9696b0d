"""Models of every kind are read alike; what is wrong with one is said before anything is computed."""

import io
import os
import re
import sys
import zipfile
from dataclasses import replace
from threading import Lock

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from sklearn.tree import DecisionTreeClassifier
from torch import nn
from user_code import network_code

from mistrust.assess.abilities import abilities
from mistrust.assess.models import examine, read_model
from mistrust.assess.models.scaling import SCALINGS, Scaling, better_order
from mistrust.assess.models.training_mode import evaluated
from mistrust.assess.preparing import prepare
from mistrust.errors import MistrustError
from mistrust.networks import wrap

PLAIN = SCALINGS[0]


@pytest.fixture(scope="module")
def bars(world):
    from mistrust.assess.images import Wanted, read_images

    return read_images(world.test, Wanted()).images


@pytest.fixture(scope="module")
def exact(world, bars):
    """What the network itself gives."""
    with torch.no_grad():
        return torch.load(world.pickled, weights_only=False)(bars.floats())


def exported(world, folder, batch):
    network = torch.load(world.pickled, weights_only=False)
    shapes = ({0: torch.export.Dim.DYNAMIC},) if batch == "any" else None
    program = torch.export.export(network, (torch.rand(4, 1, 8, 8),), dynamic_shapes=shapes)
    torch.export.save(program, folder / "exported.pt2")
    return folder / "exported.pt2"


def onnx_file(world, folder, batch):
    """The same network written with onnx's own tools: reshape, matrix, ReLU, matrix."""
    network = torch.load(world.pickled, weights_only=False)
    weights = {
        f"{name}{i}": numpy_helper.from_array(value.detach().numpy(), f"{name}{i}")
        for i in (1, 4) for name, value in network[i].named_parameters()
    }  # fmt: skip
    shape = numpy_helper.from_array(np.array([0, 64], dtype=np.int64), "shape")
    nodes = [
        helper.make_node("Reshape", ["images", "shape"], ["flat"]),
        helper.make_node("Gemm", ["flat", "weight1", "bias1"], ["a"], transB=1),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Gemm", ["b", "weight4", "bias4"], ["logits"], transB=1),
    ]
    count = "n" if batch == "any" else batch
    graph = helper.make_graph(
        nodes, "bars", [helper.make_tensor_value_info("images", TensorProto.FLOAT, [count, 1, 8, 8])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [count, 3])], [shape, *weights.values()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, folder / "bars.onnx")
    return folder / "bars.onnx"


def python_file(world, folder, batch):
    (folder / "mine.py").write_text(network_code(world.pickled))
    return f"{folder / 'mine.py'}:predict"


KINDS = {
    "TorchScript": lambda world, folder, batch: world.script,
    "pickled torch module": lambda world, folder, batch: world.pickled,
    "torch.export": exported,
    "ONNX": onnx_file,
    "Python callable": python_file,
}


@pytest.mark.whole
@pytest.mark.parametrize(("kind", "batch"), [*((kind, "any") for kind in KINDS), ("torch.export", 4), ("ONNX", 4)])
def test_every_kind_gives_the_same_logits(kind, batch, world, bars, exact, tmp_path):
    loaded = read_model(str(KINDS[kind](world, tmp_path, batch)), trust=True)
    found = examine(loaded, bars, PLAIN, given=False)
    assert loaded.kind == kind
    assert found.outputs == "logits"
    assert found.notices == ()
    torch.testing.assert_close(found.classifier(bars.images), exact, rtol=1e-5, atol=1e-5)


def test_onnx_that_writes_labels_first_or_takes_channels_last(world, bars, exact, tmp_path):
    path = onnx_file(world, tmp_path, "any")
    model = onnx.load(path)
    model.graph.node.append(helper.make_node("ArgMax", ["logits"], ["label"], axis=1, keepdims=0))
    model.graph.output.insert(0, helper.make_tensor_value_info("label", TensorProto.INT64, ["n"]))
    shape = model.graph.input[0].type.tensor_type.shape
    for place, size in ((1, 8), (2, 8), (3, 1)):
        shape.dim[place].dim_value = size
    onnx.save(model, path)
    found = examine(read_model(str(path)), bars, PLAIN, given=False)
    assert found.notices == (
        "The file takes the channels of images last: they are given so.",
        "Of the file's outputs (label, logits) 'logits' is read.",
    )
    torch.testing.assert_close(found.classifier(bars.images), exact, rtol=1e-5, atol=1e-5)


def test_onnx_that_wants_other_images_says_what_it_got(world, bars, tmp_path):
    path = onnx_file(world, tmp_path, "any")
    model = onnx.load(path)
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_value = 3
    onnx.save(model, path)
    with pytest.raises(MistrustError, match=r"Got: 1 Expected: 3.*--channels 1 or 3"):
        examine(read_model(str(path)), bars, PLAIN, given=False)


def test_a_function_without_parameters_makes_the_model(world, bars, exact, tmp_path, monkeypatch):
    (tmp_path / "factory_of_bars.py").write_text(network_code(world.pickled))
    monkeypatch.chdir(tmp_path)
    loaded = read_model("factory_of_bars:make")
    assert loaded.kind == "torch module"
    torch.testing.assert_close(examine(loaded, bars, PLAIN, given=False).classifier(bars.images), exact)


def test_a_module_in_training_mode_is_put_right_and_said(world, bars, exact, tmp_path):
    network = torch.load(world.pickled, weights_only=False).train()
    torch.save(network, tmp_path / "training.pt")
    found = examine(read_model(str(tmp_path / "training.pt"), trust=True), bars, PLAIN, given=False)
    assert "was in training mode" in found.notices[0]
    torch.testing.assert_close(found.classifier(bars.images), exact)


class Noisy(nn.Module):
    """Modules of a user's own, each of which asks for its flag in another way."""

    def __init__(self):
        super().__init__()
        self.dropout = 0

    def forward(self, x):
        return nn.functional.dropout(x, 0.5, self.training)


class Decorated(Noisy):
    @torch.no_grad()
    def forward(self, x):
        return super().forward(x)


class Nested(Noisy):
    def forward(self, x):
        def noised():
            return x + 0.2 * torch.rand_like(x) if self.training else x

        return noised()


class ByProperty(Noisy):
    noisy = property(lambda self: self.training)

    def forward(self, x):
        return x + 0.2 * torch.rand_like(x) if self.noisy else x


class Sets(Noisy):
    """It names its flag and does nothing with it."""

    def train(self, mode=True):
        self.training = mode
        return self

    def forward(self, x):
        return x


class Locked(Sets):
    def __init__(self):
        super().__init__()
        self.lock = Lock()


class Auxiliary(nn.Module):
    """As GoogLeNet: while it is trained it gives a second output."""

    def forward(self, x):
        return (x, x) if self.training else x


class Fails(Noisy):
    def forward(self, x):
        if self.training:
            raise ValueError("training needs labels")
        return x


@pytest.mark.filterwarnings("ignore:.torch.jit.(script|freeze|load). is deprecated")  # files of it are still about
class TestTrainingMode:
    @pytest.fixture
    def told(self, world, bars):
        """What is said of a part before a network in evaluation mode, which is asked afterwards."""

        def notices(part, images=bars, script=False):
            network = nn.Sequential(part, torch.load(world.pickled, weights_only=False))
            network = torch.jit.script(network) if script else network
            loaded = replace(loaded_of(network), training=evaluated(network))
            assert not any(module.training for module in network.modules())
            return examine(loaded, images, PLAIN, given=True).notices

        return notices

    @pytest.mark.parametrize("kind", ["pickled", "script", "frozen"])
    def test_a_wrapper_around_an_evaluated_network_is_put_right_and_nothing_is_said(self, kind, world, bars, tmp_path):
        network = nn.Sequential(torch.load(world.pickled, weights_only=False), nn.Softmax(1))
        assert network.training
        if kind == "pickled":
            torch.save(network, tmp_path / "mine.pt")
        else:
            script = torch.jit.script(network)
            script = torch.jit.freeze(script.eval()) if kind == "frozen" else script
            script.save(str(tmp_path / "mine.pt"))
        loaded = read_model(str(tmp_path / "mine.pt"), trust=True)
        assert loaded.training == (() if kind == "frozen" else ("", "1"))
        assert not any(getattr(part, "training", False) for part in loaded.network.modules())
        assert not any("training" in notice for notice in examine(loaded, bars, PLAIN, given=False).notices)

    @pytest.mark.parametrize(
        ("part", "said"),
        [
            (nn.Dropout(0.0), False), (nn.AlphaDropout(0.1), True), (nn.InstanceNorm2d(1), False),
            (nn.BatchNorm2d(1), True), (nn.InstanceNorm2d(1, track_running_stats=True), True),
            (nn.Sequential(nn.Threshold(0.3, -1), nn.RReLU()), True), (nn.LayerNorm((8, 8)), False), (Noisy(), True),
            (Decorated(), True), (Nested(), True), (ByProperty(), True), (Sets(), False),
        ],
    )  # fmt: skip
    def test_it_is_said_where_it_changes_answers(self, part, said, told):
        notices = told(part)
        assert len(notices) == said
        assert all("differ by up to" in notice for notice in notices)

    def test_the_parts_are_named_and_how_far_answers_differ(self, told):
        [notice] = told(nn.Sequential(nn.Identity(), nn.BatchNorm2d(1), nn.Dropout(0.2)))
        assert re.match(
            r"The model was in training mode \(the whole model\), where its answers to 81 images "
            r"differ by up to [\d.]+, where the largest is [\d.]+, as dropout "
            r".*do the same where you use it \(model.eval\(\)\)\.$",
            notice,
        )

    def test_only_the_parts_that_came_so_are_asked_so(self, world, told):
        """Dropout in the network is in evaluation mode, and stays so in a wrapper that is not."""
        [by_script] = told(nn.BatchNorm2d(1), script=True)
        assert "(the whole model), where" in by_script
        assert told(nn.Identity()) == told(nn.Identity(), script=True) == ()

    def test_answers_of_another_form_in_training_are_no_fault(self, world, bars):
        network = nn.Sequential(torch.load(world.pickled, weights_only=False), Auxiliary())
        loaded = replace(loaded_of(network), training=evaluated(network))
        [notice] = examine(loaded, bars, PLAIN, given=True).notices
        assert "(the whole model), where its answers have another form." in notice
        assert "--model" not in notice

    def test_asking_leaves_model_and_chance_as_they_were(self, told):
        norm, state = nn.BatchNorm2d(1), torch.get_rng_state()
        assert told(nn.Sequential(norm, nn.Dropout(0.5)))
        assert torch.equal(norm.running_mean, torch.zeros(1))
        assert torch.equal(torch.get_rng_state(), state)

    def test_a_module_that_cannot_be_asked_is_told_of(self, bars, told):
        assert "where it could not be looked at (ValueError: training needs labels)." in told(Fails())[0]
        assert "where it could not be looked at (TypeError: cannot pickle '_thread.lock' object)." in told(Locked())[0]

    def test_a_batch_norm_is_asked_about_more_than_one_image_where_there_are_more(self, bars, told):
        of_pixels = lambda: nn.Sequential(nn.Flatten(), nn.BatchNorm1d(64), nn.Unflatten(1, (1, 8, 8)))  # noqa: E731
        one = "where it could not be looked at (ValueError: Expected more than 1 value per channel"
        assert one in told(of_pixels(), bars.take(slice(1)))[0]
        assert "differ by up to" in told(of_pixels(), bars.take(slice(65)))[0]  # blocks hold 64


@pytest.mark.parametrize("batch", ["any", 4])
def test_what_an_onnx_file_lacks_is_said_of_an_onnx_file(batch, world, tmp_path):
    lacks = prepare(world.asked(model=str(onnx_file(world, tmp_path, batch)))).subject.abilities.lacks
    assert lacks["gradients"] == "an ONNX file has none"
    assert lacks["layer"] == lacks["dropout"] == lacks["head"]
    assert lacks["layer"].startswith("an ONNX file does not let its layers be read")
    plain = prepare(world.asked(model=python_file(world, tmp_path, batch))).subject.abilities.lacks
    assert (plain["gradients"], plain["layer"]) == ("a plain callable has none", "a plain callable has no layers")


class Functional(nn.Module):
    """Its dropout layer is declared, and a function is called in its place."""

    def __init__(self, network):
        super().__init__()
        self.flat, self.first, self.relu, self.drop, self.last = network

    def forward(self, x):
        hidden = self.relu(self.first(self.flat(x)))
        return self.last(nn.functional.dropout(hidden, self.drop.p, self.training))


def test_dropout_that_is_never_called_is_said_to_be_lacking(world, bars):
    network = torch.load(world.pickled, weights_only=False)
    asked = {"outputs": "logits", "train": True}
    assert "dropout" not in abilities(wrap(network, bars.classes), bars, **asked).lacks
    lacks = abilities(wrap(Functional(network).eval(), bars.classes), bars, **asked).lacks
    assert lacks["dropout"] == "the model does not call its own, or not with one row per image"
    assert (
        "dropout" not in prepare(world.asked(model=str(world.pickled), trust=True)).subject.abilities.lacks
    )  # as a report finds it


class Code:
    """What pickles as a call: whoever unpickles it makes a folder."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


class TestFilesThatAreRefused:
    def refused(self, named, message, **more):
        with pytest.raises(MistrustError, match=message):
            read_model(str(named), **more)

    def test_a_pickle_without_trust(self, world):
        self.refused(world.pickled, "is pickled: reading it runs whatever code it holds.* add --trust")

    @pytest.mark.whole
    def test_an_exported_file_whose_example_inputs_hold_code_without_trust(self, world, tmp_path):
        code = io.BytesIO()
        torch.save({"inputs": Code(tmp_path / "ran")}, code)
        with zipfile.ZipFile(exported(world, tmp_path, 4)) as whole, zipfile.ZipFile(tmp_path / "c.pt2", "w") as held:
            for name in whole.namelist():
                held.writestr(name, code.getvalue() if "sample_inputs" in name else whole.read(name))
        self.refused(tmp_path / "c.pt2", "torch.export file: torch reads .* by running whatever code.* add --trust")
        assert not (tmp_path / "ran").exists()

    def test_weights_alone(self, world, tmp_path):
        torch.save(torch.load(world.pickled, weights_only=False).state_dict(), tmp_path / "w.pt")
        self.refused(tmp_path / "w.pt", r"holds 4 entries \(such as '1.weight'\) and no network: weights alone")

    def test_no_such_file_name_or_module(self, world, tmp_path):
        self.refused("nowhere.pt", "--model is 'nowhere.pt', expected a TorchScript file.* There is no file nowhere.pt")
        (tmp_path / "mine.py").write_text("def predict(images):\n    return images\n")
        self.refused(
            f"{tmp_path / 'mine.py'}:predcit", "There is no name in .*mine.py 'predcit'. Did you mean 'predict'"
        )
        self.refused("no_such_module_of_mine:net", "no_such_module_of_mine cannot be imported")
        (tmp_path / "broken.py").write_text("1 / 0\n")
        self.refused(f"{tmp_path / 'broken.py'}:net", "failed when it was imported: ZeroDivisionError")

    def test_broken_and_unknown_files(self, world, tmp_path):
        (tmp_path / "short.onnx").write_bytes(b"\x08\x07half")
        self.refused(tmp_path / "short.onnx", "short.onnx cannot be read as ONNX")
        (tmp_path / "model.h5").write_bytes(b"\x89HDF\r\n")
        self.refused(tmp_path / "model.h5", r"model.h5 \(sha256 [0-9a-f]{20}\) is of no kind that is known, expected a")

    def test_code_that_ends_python(self, tmp_path):
        (tmp_path / "script.py").write_text("import sys\nsys.exit(1)\n")
        self.refused(f"{tmp_path / 'script.py'}:net", r"script.py ended Python \(sys.exit\).*behind `if __name__ == ")
        (tmp_path / "maker.py").write_text("import sys\ndef net():\n    sys.exit('no weights')\n")
        self.refused(f"{tmp_path / 'maker.py'}:net", r"maker.py:net\(\) ended Python")

    def test_a_model_of_features(self, tmp_path):
        (tmp_path / "both.py").write_text(
            "import torch\nclass Both:\n    def __call__(self, x): return x.flatten(1)[:, :3]\n"
            "    def predict_proba(self, x): return x\nboth = Both()\n"
        )
        assert read_model(f"{tmp_path / 'both.py'}:both").kind == "Python callable"  # it says how it reads images
        (tmp_path / "forest.py").write_text(
            "from sklearn.tree import DecisionTreeClassifier\nforest = DecisionTreeClassifier()\n"
        )
        self.refused(
            f"{tmp_path / 'forest.py'}:forest",
            r"is a DecisionTreeClassifier. A model with predict_proba reads rows of features: write a function .*"
            r"forest.predict_proba\(images.flatten\(1\).numpy\(\)\)`, and name it",
        )
        torch.save(DecisionTreeClassifier(), tmp_path / "tree.pt")
        self.refused(
            tmp_path / "tree.pt", "holds a DecisionTreeClassifier, expected a torch module. A model with", trust=True
        )

    def test_onnx_without_numbers(self, world, tmp_path):
        path = onnx_file(world, tmp_path, "any")
        model = onnx.load(path)
        model.graph.node.append(helper.make_node("ArgMax", ["logits"], ["label"], axis=1, keepdims=0))
        del model.graph.output[:]
        model.graph.output.append(helper.make_tensor_value_info("label", TensorProto.INT64, ["n"]))
        onnx.save(model, path)
        self.refused(
            path, r"gives label \(tensor\(int64\)\), expected one tensor of one number per class.*'zipmap': False"
        )

    def test_onnx_without_its_package(self, tmp_path, monkeypatch):
        (tmp_path / "any.onnx").write_bytes(b"")
        monkeypatch.setitem(sys.modules, "onnxruntime", None)
        self.refused(
            tmp_path / "any.onnx", r"the package onnxruntime.* is not installed: pip install 'onnxruntime>=1\.20'\."
        )


def loaded_of(function):
    from mistrust.assess.models import Loaded
    from mistrust.assess.models.loaded import callable_of

    network = function if isinstance(function, nn.Module) else callable_of(function)
    return Loaded(network, "Python callable", "theirs", "0")


class TestAnswersThatAreRefused:
    def refused(self, function, images, message, scaling=PLAIN, **more):
        with pytest.raises(MistrustError, match=message):
            examine(loaded_of(function), images, scaling, **{"given": False, **more})

    def test_another_number_of_classes(self, bars):
        self.refused(
            lambda x: torch.rand(len(x), 7),
            bars,
            r"knows 7 classes, and the images have 3 \(by --classes, or else by their folders\): high, low, middle",
        )

    def test_labels_in_place_of_logits(self, bars):
        self.refused(
            lambda x: torch.zeros(len(x)), bars, r"gives one number per image .*labels, it seems.*predict_proba"
        )

    @pytest.mark.parametrize("squeezed", [False, True])
    def test_one_number_of_a_model_of_two_classes(self, squeezed, bars):
        two = replace(bars.take(bars.labels < 2), classes=bars.classes[:2])
        one = lambda x: x.mean((1, 2, 3)) if squeezed else x.mean((1, 2, 3))[:, None]  # noqa: E731
        shape = r"\(16,\)" if squeezed else r"\(16, 1\)"
        told = rf"gives one number per image \(shape {shape}\), as a two-class model's, expected \(16, "
        way = r"gives two columns, \(0, z\) of a logit z or \(1 - p, p\) of a probability p"
        name = "and name that: --model FILE.py:NAME"
        self.refused(one, two, rf"{told}2\).*classes high, low\..*{way}, if it speaks for 'low', {name}")
        self.refused(one, bars, rf"{told}3\).*classes high, low, middle\..*{way}, {name}")

    def test_another_size_of_images(self, bars):
        self.refused(nn.Sequential(nn.Flatten(), nn.Linear(100, 3)).eval(), bars,
                     "fails on these images .*They are 8x8 pixels of 1 channel: .*--size HEIGHTxWIDTH")  # fmt: skip

    def test_training_mode_behind_a_function(self, bars, world):
        network = torch.load(world.pickled, weights_only=False).train()
        self.refused(lambda x: network(x), bars, "change from pass to pass, as dropout does.*training mode")

    def test_batch_statistics_behind_a_function(self, bars, exact):
        norm = nn.BatchNorm2d(1, track_running_stats=False)
        linear = nn.Linear(64, 3)
        self.refused(lambda x: linear(norm(x).flatten(1)).detach(), bars, "change with the other images of the batch")

    def test_nan_and_one_answer_for_all(self, bars):
        self.refused(
            lambda x: torch.full((len(x), 3), torch.nan), bars, "NaN or infinite outputs. It sees numbers from 0 to"
        )
        self.refused(
            lambda x: torch.tensor([[1.0, 2, 3]]).repeat(len(x), 1), bars, "the same answer to all of 81 images"
        )

    def test_a_wrong_input_range_is_recognised(self, bars, world):
        network = torch.load(world.pickled, weights_only=False)
        bytes_wanted = lambda x: network(((x - 128) / 128).clamp(0, 1)).detach() + x.mean((1, 2, 3))[:, None] * 1e-4  # noqa: E731
        self.refused(
            bytes_wanted, bars, r"Wrong input range\? The model is right for \d+% of 81 images.*grey levels 0 to 255"
        )
        told = examine(loaded_of(bytes_wanted), bars, Scaling("as told", (0.0,), (1.0,)), given=True)
        assert any("Is the scaling right?" in notice for notice in told.notices)
        good = examine(loaded_of(bytes_wanted), bars, SCALINGS[2], given=False)
        assert good.notices == ()

    def test_a_wrong_range_is_recognised_where_the_order_is_wrong_too(self, bars, world):
        network = torch.load(world.pickled, weights_only=False)

        def both(x):
            right = network(((x - 128) / 128).clamp(0, 1)).detach() + x.mean((1, 2, 3))[:, None] * 1e-4
            return right[:, [2, 0, 1]]

        order = r"outputs in the order middle, high, low \(--classes\)"
        self.refused(both, bars, rf"Wrong input range\? The model is right .* with grey levels 0 to 255 .*{order}")

    def test_three_numbers_for_one_channel(self, bars, world):
        network = torch.load(world.pickled, weights_only=False)
        colour = Scaling("as told", (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
        self.refused(network, bars, "--mean has 3 numbers, and the images have 1 channel. .*--channels 3", colour)

    def test_a_model_that_raises_of_other_scalings_is_examined(self, bars, exact, world):
        network = torch.load(world.pickled, weights_only=False)

        def strict(x):
            assert 0 <= float(x.min()) <= float(x.max()) <= 1
            return network(x).detach()

        assert examine(loaded_of(strict), bars, PLAIN, given=False).notices == ()

    def test_answers_that_are_no_better_than_guessing_are_told_of(self, bars):
        found = examine(loaded_of(lambda x: x[:, 0, :3, 0]), bars, PLAIN, given=True)
        assert "not clearly more than naming the most frequent class each time" in found.notices[0]


def test_probabilities_are_recognised_and_said(bars, exact, world):
    network = torch.load(world.pickled, weights_only=False)
    found = examine(loaded_of(lambda x: network(x).softmax(1).detach().numpy()), bars, PLAIN, given=False)
    assert found.outputs == "probabilities"
    assert "gives probabilities where logits are wanted" in found.notices[0]
    torch.testing.assert_close(found.classifier(bars.images).softmax(1), exact.softmax(1))
    logs = examine(loaded_of(lambda x: network(x).log_softmax(1).detach()), bars, PLAIN, given=False)
    assert logs.outputs == "log-probabilities"


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_probabilities_in_short_numbers_or_few_digits_are_recognised(dtype, bars, exact, world):
    network = torch.load(world.pickled, weights_only=False)
    for rounded in (lambda p: p.to(dtype), lambda p: (p * 1000).round() / 1000):
        found = examine(loaded_of(lambda x, to=rounded: to(network(x).softmax(1).detach())), bars, PLAIN, given=False)
        assert found.outputs == "probabilities"
        for one in bars.images[:30].split(1):  # a row that happens to sum to 1 ends nothing
            assert found.classifier(one).shape == (1, 3)


def test_what_fails_later_is_named_not_traced(bars):
    def fails(images):
        if len(images) == 1 and float(images.mean()) > 0.9:
            raise IndexError("list index out of range")
        return torch.stack([images.mean((1, 2, 3)), images[:, 0, 1].mean(1), images[:, 0, 3].mean(1)], 1) * 9

    network = examine(loaded_of(fails), bars, PLAIN, given=True).classifier
    with pytest.raises(
        MistrustError, match=r"Classifier 'theirs' failed on images of shape \(1, 1, 8, 8\).*list index"
    ):
        network(torch.ones(1, 1, 8, 8))


def test_outputs_in_another_order_are_recognised(bars, exact, world):
    network = torch.load(world.pickled, weights_only=False)
    found = examine(loaded_of(lambda x: network(x)[:, [2, 0, 1]].detach()), bars, PLAIN, given=False)
    assert "in the order middle, high, low. Is the order of its outputs another?" in found.notices[0]


def test_two_classes_of_many_in_each_others_place_are_recognised():
    labels = torch.arange(1000) % 10
    predicted = torch.where(torch.rand(1000, generator=torch.Generator().manual_seed(1)) < 0.9, labels, 3)
    swapped = predicted.clone()
    swapped[predicted == 4], swapped[predicted == 9] = 9, 4
    assert better_order(labels, predicted, tuple("abcdefghij")) is None
    found = better_order(labels, swapped, tuple("abcdefghij"))
    assert found is not None
    assert "".join(found[0]) == "abcdjfghie"
    # Each taken for the other by one in three: confused, not exchanged.
    confused = torch.where((labels == 4) & (torch.arange(1000) % 3 == 0), 9, predicted)
    assert better_order(labels, confused, tuple("abcdefghij")) is None


def test_no_order_is_made_of_chance():
    draw = torch.Generator().manual_seed(0)
    labels, predicted = (torch.randint(0, 5, (100,), generator=draw) for _ in range(2))
    assert better_order(labels, predicted, tuple("abcde")) is None


def test_the_key_tells_models_and_scalings_apart(bars, world):
    network = torch.load(world.pickled, weights_only=False)

    def key(loaded, scaling=PLAIN):
        return examine(loaded, bars, scaling, given=True).classifier.key

    def times(factor):
        return loaded_of(lambda x: network(x).detach() * factor)

    script = read_model(str(world.script))
    assert len({key(script), key(script, Scaling("", (0.1,), (1.0,))), key(times(1)), key(times(-1))}) == 4
    assert key(times(1)) == key(times(1))  # as it must be, to find its pieces again
