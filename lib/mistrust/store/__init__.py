"""Things made once and kept: `made(maker, spec, make)` gives what `spec` describes, from the store or newly made.

A *maker* is a kind of thing with a version, an integer that is raised whenever the same spec would give something
else. The key of a thing is a hash of kind, version and the spec's canonical form, which holds the checksums of the
data that the thing is made from. On disk: `<store>/<kind>/<key>/` with `content.safetensors` or `content.parquet`
and `entry.json`; nothing is pickled.
"""

from mistrust.store.content import Content, digest
from mistrust.store.maintenance import Entry, entries, prune, seconds
from mistrust.store.making import made, put
from mistrust.store.reasons import why
from mistrust.store.scratch import Scratch
from mistrust.store.specs import MAKERS, Maker, canonical, key, maker

__all__ = [
    "MAKERS",
    "Content",
    "Entry",
    "Maker",
    "Scratch",
    "canonical",
    "digest",
    "entries",
    "key",
    "made",
    "maker",
    "prune",
    "put",
    "seconds",
    "why",
]
