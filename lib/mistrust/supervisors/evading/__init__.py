"""Passing a supervisor unnoticed: differentiable alarms, and the attack that follows them."""

from mistrust.supervisors.evading.alarms import ALARMS, Alarm, Seen, alarm, seen
from mistrust.supervisors.evading.attack import Evaded, evade

__all__ = ["ALARMS", "Alarm", "Evaded", "Seen", "alarm", "evade", "seen"]
