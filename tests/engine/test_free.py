"""What is free: the machine's memory, or what a container's limit leaves, told by files that stand for a machine."""

from types import SimpleNamespace

import psutil
import pytest

from mistrust.engine import free


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """The files by which a Linux machine tells of memory; 64 GB are free on it."""
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=64_000))

    def told(group, **files):
        (tmp_path / "proc" / "self").mkdir(parents=True, exist_ok=True)
        (tmp_path / "proc" / "self" / "cgroup").write_text(group + "\n")
        for name, content in files.items():
            path = tmp_path / "sys" / "fs" / "cgroup" / name.replace("__", "/")
            path = path.with_name(path.name.replace("memory_", "memory."))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{content}\n")
        return free.memory(tmp_path)

    return told


V1 = "9:name=systemd:/\n4:memory:/docker/a\n3:cpuset:/"
STAT = "anon 4000\ninactive_file 500\ntotal_inactive_file 700"


@pytest.mark.parametrize(
    ("group", "files", "left"),
    [
        # A container that is the top of its own tree, as Docker and Kubernetes make it: 8,000 less 5,000, of which 500
        # are cached files.
        ("0::/", {"memory_max": 8000, "memory_current": 5000, "memory_stat": STAT}, 3500),
        ("0::/", {"memory_max": "max", "memory_current": 5000, "memory_stat": STAT}, 64_000),
        ("0::/", {"memory_max": 1000, "memory_current": 5000, "memory_stat": "anon 1"}, 0),
        ("0::/", {"memory_max": 900_000, "memory_current": 5000, "memory_stat": STAT}, 64_000),
        # A limit of a group above counts, too: the nearest one is the least.
        (
            "0::/user/own",
            {"user__memory_max": 9000, "user__memory_current": 7000, "user__memory_stat": "anon 1",
             "user__own__memory_max": 6000, "user__own__memory_current": 100, "user__own__memory_stat": "anon 1"},
            2000,
        ),
        (V1, {"memory__docker__a__memory_limit_in_bytes": 8000, "memory__docker__a__memory_usage_in_bytes": 5000,
              "memory__docker__a__memory_stat": STAT}, 3700),
        # What is told of its path lies outside of the container; its own files are at the top.
        (V1, {"memory__memory_limit_in_bytes": 8000, "memory__memory_usage_in_bytes": 5000,
              "memory__memory_stat": STAT}, 3700),
        (V1, {"memory__memory_limit_in_bytes": 2**63 - 4096, "memory__memory_usage_in_bytes": 5000,
              "memory__memory_stat": STAT}, 64_000),
        ("0::/../other", {"memory_max": 8000, "memory_current": 5000}, 64_000),  # what cannot be read is no limit
    ],
)  # fmt: skip
def test_a_containers_limit_counts_where_it_is_nearer_than_the_machines(group, files, left, machine):
    assert machine(group, **files) == left


def test_without_control_groups_the_machine_alone_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=64_000))
    assert free.memory(tmp_path) == 64_000
