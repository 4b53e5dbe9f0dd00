"""The private page of progress, and the same as JSON."""

from __future__ import annotations

import time
from typing import Any

import pytest

from bot.files.links import Links
from bot.learning.progress import DAYS
from bot.learning.results import Results
from bot.learning.skills.skill_map import installed_skills
from bot.web.learning import MOST_SKILLS, MOST_SUBJECTS
from tests.support.fakes import FakeModel, tool_context
from tests.support.purchases import read_public_token
from tests.support.queries import add_rows, change_rows, delete_rows, read_row
from tests.support.site import MakeSite, Site

PHONE = "+2250701020304"
HOSTILE = "<script>alert(1)</script>"
TURNED = "\u202e\u0627\u0644\u0639\u0631\u0628\u064a\u0629"


async def learner(site: Site) -> int:
    await site.log_in(PHONE)
    row = await read_row(site.app.database, "account")
    return row["id"]


async def report(site: Site, account: int, *subjects: str) -> None:
    for number, subject in enumerate(subjects):
        context = tool_context(account=account, key=f"{account}/{number}")
        book = Results(site.app.database)
        await book.report(subject, correct=number % 2 == 0, topic="", context=context)


async def link_to(site: Site, account: int, age: float = 0) -> str:
    """The path of the page's link, made `age` seconds ago."""
    links = Links(site.app.settings, lambda: time.time() - age, place="progress")
    link = links.make(await read_public_token(site.app.database, account))
    return link.removeprefix(site.app.settings.base_url)


async def open_page(site: Site, path: str, **headers: str) -> tuple[int, str, Any]:
    async with site.session.get(site.url + path, headers=headers) as answer:
        return answer.status, await answer.text(), answer.headers


async def test_the_page_shows_what_was_learnt_in_the_persons_language(site: MakeSite) -> None:
    one = await site()
    account = await learner(one)
    await change_rows(one.app.database, "account", {"name": "Awa Koné", "grade": "3e"})
    await report(one, account, "maths", "maths", "physics")
    status, page, headers = await open_page(one, await link_to(one, account))
    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert '<html lang="fr">' in page
    assert "Awa, tes progrès" in page
    assert "3e" in page
    assert "Physique" in page
    assert "1 sur 2" in page
    await change_rows(one.app.database, "account", {"language": "en"})
    _, english, _ = await open_page(one, await link_to(one, account))
    assert '<html lang="en">' in english
    assert "Your progress, Awa" in english


async def test_the_page_holds_no_more_of_the_person_than_a_first_name(site: MakeSite) -> None:
    one = await site()
    account = await learner(one)
    await change_rows(one.app.database, "account", {"name": "Awa Koné", "email": "awa@example.org"})
    await report(one, account, "maths")
    _, page, _ = await open_page(one, await link_to(one, account))
    assert "Awa" not in page.partition("</head>")[0]
    for secret in ("Koné", PHONE, PHONE[1:], "example.org"):
        assert secret not in page


async def test_the_page_is_private_and_runs_nothing(site: MakeSite) -> None:
    one = await site()
    account = await learner(one)
    good = await link_to(one, account)
    for path in (good, "/progress/wrong"):
        _, page, headers = await open_page(one, path)
        assert headers["Cache-Control"] == "private, no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "noindex" in headers["X-Robots-Tag"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert "unsafe" not in policy
        assert "script" not in policy
        assert "<script" not in page
        assert " style=" not in page
        assert "http" not in page
        assert 'name="robots" content="noindex, nofollow"' in page


async def test_skills_and_what_comes_next_lead_to_practice(site: MakeSite) -> None:
    one = await site()
    account = await learner(one)
    await change_rows(one.app.database, "account", {"grade": "CM2"})
    known = [skill for skill in installed_skills().by_id if skill.startswith("maths.")][:60]
    rows = [
        {"account": account, "skill": skill, "p": 0.97 if n % 2 else 0.4, "answers": 3}
        for n, skill in enumerate(known)
    ]
    await add_rows(one.app.database, "mastery", rows)
    _, page, _ = await open_page(one, await link_to(one, account))
    assert "30 acquis, 30 en cours" in page
    assert f"Et {60 - MOST_SKILLS} de plus." in page
    _, numbers = await one.request("GET", "/api/v1/progress")
    assert len(numbers["skills"]) == 60
    assert {skill["state"] for skill in numbers["skills"]} == {"learning", "mastered"}
    for following in numbers["next"]:
        assert f'href="/chat?text=/exercice%20{following["id"]}"' in page
    assert ">S’exercer sur le chat web</a>" in page
    assert len(page.encode()) < 30_000


async def test_names_of_subjects_are_text(site: MakeSite) -> None:
    one = await site()
    account = await learner(one)
    await report(one, account, HOSTILE, '" onload="x', TURNED, "x" * 200, "&amp;")
    _, page, _ = await open_page(one, await link_to(one, account))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script" not in page
    assert '" onload' not in page
    assert "\u202e" not in page
    assert "<bdi>&amp;amp;</bdi>" in page
    assert "x" * 41 not in page


async def test_the_page_stays_small_whatever_is_on_it(site: MakeSite) -> None:
    one = await site()
    account = await learner(one)
    await report(one, account, *(f"{n:03d}{'&' * 37}" for n in range(MOST_SUBJECTS + 20)))
    await _fill(one, account, 10_000)
    _, page, _ = await open_page(one, await link_to(one, account))
    assert "10000" in page
    assert "Autres matières" in page
    assert len(page.encode()) < 30_000


async def _fill(site: Site, account: int, results: int) -> None:
    now = time.time()
    rows = [
        {"key": f"bulk/{n}", "account": account, "correct": n % 3 != 0, "at": now - n * 259.2}
        for n in range(results)
    ]
    same = {"subject": "maths", "source": "exercise"}
    exercises = [same | row | {"correct": int(row["correct"])} for row in rows]
    await add_rows(site.app.database, "result", exercises)


async def test_a_link_that_was_changed_is_403(site: MakeSite) -> None:
    one = await site()
    account = await learner(one)
    path = await link_to(one, account)
    for wrong in (path[:-1] + ("A" if path[-1] != "A" else "B"), "/progress/x", "/progress/%ff%00"):
        status, page, _ = await open_page(one, wrong, **{"Accept-Language": "en-GB,fr;q=0.8"})
        assert status == 403
        assert "This link is not valid" in page


async def test_a_link_that_is_late_is_410(site: MakeSite) -> None:
    one = await site(link_seconds=600)
    account = await learner(one)
    assert (await open_page(one, await link_to(one, account, age=590)))[0] == 200
    status, page, _ = await open_page(one, await link_to(one, account, age=700))
    assert status == 410
    assert "a expiré" in page


async def test_once_the_account_is_gone_it_is_404(site: MakeSite) -> None:
    one = await site()
    account = await learner(one)
    path = await link_to(one, account)
    await delete_rows(one.app.database, "account")
    status, page, _ = await open_page(one, path)
    assert status == 404
    assert "n’existe plus" in page


async def test_links_to_files_and_to_progress_open_only_what_they_are_for(site: MakeSite) -> None:
    one = await site()
    account = await learner(one)
    file = await one.app.files.save(
        account, "a.txt", b"text", mime_type="text/plain", source="generated", key="k"
    )
    to_file = one.app.links.make(file.file_id).rpartition("/")[2]
    to_progress = (await link_to(one, account)).rpartition("/")[2]
    assert (await open_page(one, f"/files/{to_file}"))[0] == 200
    assert (await open_page(one, f"/progress/{to_file}"))[0] == 403
    assert (await open_page(one, f"/files/{to_progress}"))[0] == 403


async def test_the_web_chat_tells_it_in_words_with_the_link(site: MakeSite) -> None:
    one = await site(FakeModel())
    account = await learner(one)
    await report(one, account, "maths")
    events = await one.chat("/progress")
    words = "".join(fields["text"] for name, fields in events if name == "content")
    assert "Maths\u00a0: 1 sur 1 (100\u00a0%)" in words
    path = words.rpartition(one.app.settings.base_url)[2].rstrip(")")
    assert (await open_page(one, path))[0] == 200
    assert [name for name, _ in events][-1] == "end"


# As JSON


async def test_ones_own_numbers_by_bearer(site: MakeSite) -> None:
    one = await site()
    account = await learner(one)
    await report(one, account, "maths", "maths", "history", HOSTILE)
    await report(one, account + 1, "french")
    status, numbers = await one.request("GET", "/api/v1/progress")
    assert status == 200
    assert list(numbers) == ["streak", "days", "subjects", "skills", "next"]
    assert numbers["streak"] == 1
    assert len(numbers["days"]) == DAYS
    assert {"answered": 4, "correct": 2}.items() <= numbers["days"][-1].items()
    assert numbers["days"][0] == {"date": numbers["days"][0]["date"], "answered": 0, "correct": 0}
    assert numbers["days"][0]["date"] < numbers["days"][-1]["date"]
    assert numbers["subjects"] == [
        {"subject": "Maths", "answered": 2, "correct": 1},
        {"subject": HOSTILE, "answered": 1, "correct": 0},
        {"subject": "Histoire", "answered": 1, "correct": 1},
    ]


@pytest.mark.parametrize("header", [None, "Bearer wrong", "Basic x"])
async def test_without_a_bearer_it_is_401(site: MakeSite, header: str | None) -> None:
    one = await site()
    headers = {"Authorization": header} if header else {}
    status, answer = await one.request("GET", "/api/v1/progress", headers=headers)
    assert status == 401
    assert answer["error"]["code"] == "unauthorized"
