"""`get`, with real files from a real server on this machine."""

import hashlib
import io
import tarfile
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
import torch

from mistrust.data import SOURCES, get, load
from mistrust.data.download import fetch, fetch_all, unpack
from mistrust.data.parquet import Parquet
from mistrust.data.source import Remote, Source
from mistrust.errors import MistrustError, UnknownName


@pytest.fixture
def server(tmp_path):
    """A server of the files in a folder; `asked` lists what was asked for, `short` cuts answers off."""
    folder = tmp_path / "served"
    folder.mkdir()
    asked, state = [], SimpleNamespace(short=False)

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            path = folder / self.path.lstrip("/")
            if state.short and path.is_file():
                raw = path.read_bytes()
                self.send_response(200)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw[: len(raw) // 2])
            else:
                super().do_GET()

        def log_message(self, *args):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)  # soon sees that it is to end
    thread.start()

    def remote(name, raw, target=None, unpack="", md5=None):
        (folder / name).write_bytes(raw)
        url = f"http://127.0.0.1:{running.server_port}/{name}"
        return Remote((url,), md5 or hashlib.md5(raw).hexdigest(), target or name, unpack)

    yield SimpleNamespace(remote=remote, asked=asked, state=state, folder=folder)
    running.shutdown()
    running.server_close()
    thread.join()


def test_a_file_comes_whole(server, tmp_path):
    raw = bytes(range(256)) * 1000
    assert fetch(server.remote("a.bin", raw, "deep/down/a.bin"), tmp_path).read_bytes() == raw
    assert [path.name for path in (tmp_path / "deep" / "down").iterdir()] == ["a.bin"]


def test_a_good_file_is_not_fetched_again_and_a_damaged_one_is(server, tmp_path):
    remote = server.remote("a.bin", b"good")
    fetch(remote, tmp_path)
    fetch(remote, tmp_path)
    assert server.asked == ["/a.bin"]
    (tmp_path / "a.bin").write_bytes(b"bad!")
    assert fetch(remote, tmp_path).read_bytes() == b"good"
    assert server.asked == ["/a.bin", "/a.bin"]


def test_another_checksum_names_both_and_leaves_nothing(server, tmp_path):
    remote = server.remote("a.bin", b"good", md5="0" * 32)
    found = hashlib.md5(b"good").hexdigest()
    with pytest.raises(MistrustError, match=rf"a\.bin could not be downloaded.*{found}, expected 0{{32}} \(4 bytes\)"):
        fetch(remote, tmp_path)
    assert not (tmp_path / "a.bin").exists()
    assert not list(tmp_path.glob("*.part"))


def test_an_answer_cut_off_is_noticed(server, tmp_path):
    remote = server.remote("a.bin", bytes(1 << 20))
    server.state.short = True
    with pytest.raises(MistrustError, match=r"a\.bin could not be downloaded"):
        fetch(remote, tmp_path)
    assert not (tmp_path / "a.bin").exists()
    server.state.short = False
    assert fetch(remote, tmp_path).stat().st_size == 1 << 20


def test_the_next_address_is_tried(server, tmp_path):
    good = server.remote("a.bin", b"good")
    missing = good.urls[0].replace("a.bin", "missing.bin")
    silent = "http://127.0.0.1:9/a.bin"
    assert fetch(Remote((missing, silent, *good.urls), good.md5, "a.bin"), tmp_path).read_bytes() == b"good"
    with pytest.raises(MistrustError, match=r"missing\.bin: HTTP Error 404.*:9/a\.bin: .*Try again later") as caught:
        fetch(Remote((missing, silent), good.md5, "b.bin"), tmp_path)
    assert str(tmp_path / "b.bin") in str(caught.value)


def test_a_folder_that_cannot_be_written_to_is_named_before_anything_is_asked(server, tmp_path):
    (tmp_path / "shut").touch()  # a file in the folder's place: permission bits do not bind root
    with pytest.raises(MistrustError, match=r"shut/far, where downloads are kept, could not be .*MISTRUST_CACHE"):
        fetch(server.remote("a.bin", b"good", "far/a.bin"), tmp_path / "shut")
    assert server.asked == []


def test_only_http_addresses(tmp_path):
    (tmp_path / "secret").write_text("x")
    with pytest.raises(MistrustError, match="only http and https"):
        fetch(Remote(((tmp_path / "secret").as_uri(),), "0", "a"), tmp_path)


def zipped(files):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return raw.getvalue()


def tarred(files):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return raw.getvalue()


@pytest.mark.parametrize("packed", [zipped, tarred])
def test_archives_are_unpacked_into_what_is_there(server, tmp_path, packed):
    (tmp_path / "set" / "GTSRB").mkdir(parents=True)
    (tmp_path / "set" / "GTSRB" / "old.txt").write_text("old")
    first = server.remote("one", packed({"GTSRB/Training/00000/a.ppm": b"a"}), "downloads/one", "set")
    second = server.remote("two", packed({"GTSRB/Final_Test/b.ppm": b"b", "labels.csv": b"c"}), "downloads/two", "set")
    fetch_all([first, second], tmp_path)
    files = {str(path.relative_to(tmp_path / "set")) for path in (tmp_path / "set").rglob("*") if path.is_file()}
    assert files == {"GTSRB/old.txt", "GTSRB/Training/00000/a.ppm", "GTSRB/Final_Test/b.ppm", "labels.csv"}
    assert list((tmp_path / "downloads").iterdir()) == []


def test_nothing_is_unpacked_before_all_is_here(server, tmp_path):
    first = server.remote("one", zipped({"a": b"a"}), "downloads/one", "set")
    second = server.remote("two", b"", "downloads/two", "set", md5="0" * 32)
    with pytest.raises(MistrustError, match="two could not be downloaded"):
        fetch_all([first, second], tmp_path)
    assert (tmp_path / "downloads" / "one").is_file()  # kept for the next try
    assert not (tmp_path / "set").exists()


def test_an_archive_that_is_none(tmp_path):
    (tmp_path / "one").write_bytes(b"text")
    with pytest.raises(MistrustError, match="one could not be unpacked"):
        unpack(tmp_path / "one", tmp_path / "set")
    assert not (tmp_path / "one.unpacked").exists()


@pytest.fixture
def remote_set(server, alone, encode, write_parquet, noise, tmp_path, monkeypatch):
    """An entry `far` whose files are on the server."""
    pixels = noise(4, 9, 8, 3)
    path = write_parquet(tmp_path / "far" / "train.parquet", [encode(one) for one in pixels], [0, 1, 1, 0])
    remotes = tuple(
        server.remote(file.name, file.read_bytes(), f"far/{file.name}") for file in sorted(path.parent.iterdir())
    )
    entry = Source(
        "far", "far away", ("no", "yes"), 3, (9, 8), {"train": 4}, Parquet(), "", "", "",
        folders=("far",), remotes=lambda: remotes,
    )  # fmt: skip
    monkeypatch.setitem(SOURCES._entries, "far", entry)
    return SimpleNamespace(pixels=torch.from_numpy(pixels.transpose(0, 3, 1, 2).copy()), folder=alone.cache / "far")


def test_get_makes_a_set_loadable(remote_set, server):
    with pytest.raises(MistrustError, match="`mistrust data get far` downloads it"):
        load("far", "train")
    about = get("far")
    assert about.found
    assert about.where == "data/cache/far"
    assert torch.equal(load("far", "train").images, remote_set.pixels)
    asked = len(server.asked)
    assert get("far") == about
    assert len(server.asked) == asked  # it was here


def test_get_mends_what_it_once_downloaded(remote_set, server):
    get("far")
    path = remote_set.folder / "train.parquet"
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(MistrustError, match=r"train\.parquet"):
        load("far", "train")
    get("far")
    assert torch.equal(load("far", "train").images, remote_set.pixels)


def test_get_leaves_files_of_the_users_alone(remote_set, alone, server):
    folder = alone.data / "far"
    folder.mkdir()
    (folder / "train.parquet").write_bytes(b"mine, damaged")
    (folder / "classes.txt").write_text("no\nyes\n")
    with pytest.raises(MistrustError, match=r"data/far/train\.parquet is truncated"):
        get("far")
    assert (folder / "train.parquet").read_bytes() == b"mine, damaged"
    assert server.asked == []


@pytest.mark.parametrize("name", ["mnist5k", "digits", "photos"])
def test_get_of_an_embedded_set_has_nothing_to_do(name, alone):
    assert get(name).where.startswith("inside ")


@pytest.mark.parametrize("name", ["btsc", "btsc-test", "cats_dogs"])
def test_get_without_an_address_says_how(name, alone):
    with pytest.raises(MistrustError, match=f"'{name}'.*is not here.*data/README.md"):
        get(name)


def test_get_of_an_unknown_name():
    with pytest.raises(UnknownName, match="Did you mean 'fmnist'"):
        get("fmnst")


def test_progress_goes_to_stderr_and_can_be_silenced(server, tmp_path, monkeypatch, capfd):
    remote = server.remote("a.bin", bytes(1000))
    fetch(remote, tmp_path / "quiet")
    assert capfd.readouterr().err == ""
    monkeypatch.setenv("MISTRUST_PROGRESS", "1")
    fetch(remote, tmp_path / "loud")
    captured = capfd.readouterr()
    assert "a.bin" in captured.err
    assert captured.out == ""
