from __future__ import annotations

import json

from tests.cli.terminal import Run


def test_a_dead_turn_is_listed_and_waits_again_after_its_replay(griot: Run) -> None:
    spoken = griot("chat", typed="bonjour\n", DEBUG_MOCK_RESPONSES="[]")
    [dead] = json.loads(griot("turns", "list", "--state", "dead", "--json").stdout)
    replayed = griot("turns", "replay", dead["id"])
    twice = griot("turns", "replay", dead["id"])
    shown = json.loads(griot("turns", "show", dead["id"], "--json").stdout)

    assert spoken.returncode == 1
    assert (dead["lane"], dead["reason"]) == ("console:local", "failed")
    assert dead["deliveries"] == [{"part": -1, "state": "sent"}]
    assert replayed.returncode == 0
    assert (twice.returncode, shown["state"]) == (1, "running")
    assert twice.stderr.startswith(f"griot: Turn {dead['id']} is running")


def test_a_state_that_does_not_exist_is_wrong_use(griot: Run) -> None:
    assert griot("turns", "list", "--state", "lost").returncode == 2
