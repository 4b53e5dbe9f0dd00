"""Processes that must not run beside each other say so and end."""

from __future__ import annotations

import pytest

from tests.support.cluster import Cluster

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.parametrize("database_url", ["sqlite"], indirect=True),
]


async def test_a_second_process_on_one_sqlite_file_refuses_to_start(cluster: Cluster) -> None:
    await cluster.start("serve")
    code, said = cluster.run("serve")
    assert code == 1
    assert said.startswith("griot: DATABASE_URL: another griot process already runs on ")
    assert said.count("\n") == 1


def test_a_web_process_without_redis_refuses_to_start(cluster: Cluster) -> None:
    code, said = cluster.run("web")
    assert code == 1
    assert said.startswith("griot: REDIS_URL: it is not set")
    assert said.count("\n") == 1


async def test_the_file_is_free_again_as_soon_as_its_process_is_killed(cluster: Cluster) -> None:
    (await cluster.start("serve")).kill()
    await cluster.start("serve")
