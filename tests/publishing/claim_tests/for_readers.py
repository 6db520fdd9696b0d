"""What a reader must not meet in the evidence of a claim: names of code, powers of ten, numbers that are none."""

import re

NOT_FOR_READERS = re.compile(r"[a-z]_[a-z]|\de[-+]\d|\binf\b|\bnan\b|ambiguess-|fmnist")
