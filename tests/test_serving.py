"""What a process needs before it serves, and how it refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.errors import DatabaseInUse, SettingsError
from bot.serving import running
from bot.settings import Settings
from tests.fakes import FakeModel
from tests.ports import free_port

MakeSettings = Callable[..., Settings]


@pytest.mark.parametrize(("web", "worker"), [(True, False), (False, True)])
async def test_web_and_worker_apart_need_a_redis(
    make_settings: MakeSettings,
    web: bool,
    worker: bool,
) -> None:
    with pytest.raises(SettingsError, match="REDIS_URL"):
        async with running(make_settings(), web_part=web, worker_part=worker):
            raise AssertionError("it serves")


async def test_a_second_process_without_a_shared_redis_refuses(make_settings: MakeSettings) -> None:
    first = make_settings(port=free_port())
    async with running(first, model=FakeModel()):
        second = first.model_copy(update={"port": free_port()})
        with pytest.raises(DatabaseInUse):
            async with running(second, model=FakeModel()):
                raise AssertionError("it serves")


async def test_a_port_that_is_taken_is_named(
    make_settings: MakeSettings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    port = free_port()
    elsewhere = f"sqlite:///{tmp_path_factory.mktemp('second')}/griot.db"
    async with running(make_settings(port=port), model=FakeModel()):
        with pytest.raises(SettingsError, match=f"PORT: cannot listen on 127.0.0.1:{port}"):
            async with running(make_settings(port=port, database_url=elsewhere), model=FakeModel()):
                raise AssertionError("it serves")
