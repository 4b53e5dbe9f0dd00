"""A page that generate_html makes, in a real browser: usable by everyone, on a small phone."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from PIL import Image

from bot.documents.html_worker import make_html
from bot.documents.image_worker import shrink_image
from tests.support.browser_pages import MakePage, no_serious_fault
from tests.support.documents import page_request

TEXT = """
## Une partie[^1]

![Une carte](file:a)

![Un plan](file:absent)

> [!NOTE]
> Un mot

> [!TIP]
> Un mot

> [!IMPORTANT]
> Un mot

> [!WARNING]
> Un mot

> **Remarque :** un mot

> **Exemple :** un mot

```python
une_ligne_de_code = "beaucoup trop longue pour un petit téléphone" + " et encore plus longue"
```

| Région | Forces | Faiblesses | Recommandations pour la prochaine campagne |
|---|---|---|---|
| Gbêkê | Proximité de Bouaké et routes | Coût de l'énergie | Contractualiser avant la campagne |

[^1]: La note.
"""


EQUATIONS = r"""
$$\begin{aligned} 2x + 3 &= 7 \\ x &= 7 - 3 \end{aligned}$$

$$\begin{cases} x^2 + 1 & \text{si } x > 0 \\ -x & \text{sinon} \end{cases}$$
"""
_EDGES = """rows => rows.map(row => [...row.children].map(cell => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  const { left, right } = range.getBoundingClientRect();
  return [Math.round(left), Math.round(right)];
}))"""
"""Where the content of each cell begins and ends."""


def test_equations_are_aligned_at_their_signs(make_page: MakePage) -> None:
    page = make_page()
    page.set_content(make_html(page_request(EQUATIONS)))
    (_, first), (_, second) = [row[0] for row in page.locator(".aligned mtr").evaluate_all(_EDGES)]
    assert first == pytest.approx(second, abs=2)
    (first, _), (second, _) = [row[1] for row in page.locator(".aligned mtr").evaluate_all(_EDGES)]
    assert first == pytest.approx(second, abs=2)
    (first, _), (second, _) = [row[0] for row in page.locator(".cases mtr").evaluate_all(_EDGES)]
    assert first == pytest.approx(second, abs=2)


def test_words_in_a_formula_that_is_wider_than_the_phone_stay_whole(make_page: MakePage) -> None:
    formula = r"$$x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a} \quad\text{avec}\quad \Delta = b^2 - 4ac$$"
    page = make_page(bypass_csp=True)
    page.set_content(make_html(page_request(f"{formula}\n\n{'Un texte. ' * 900}")))
    block = page.locator(".block")
    at_first = block.screenshot()
    page.screenshot(full_page=True)  # the page is laid out again, on a higher screen
    assert block.screenshot() == at_first
    no_serious_fault(page)


def test_what_is_cancelled_is_struck_from_below(make_page: MakePage) -> None:
    """As in LaTeX: from the lower left to the upper right."""
    page = make_page()
    page.set_content(make_html(page_request(r"$$\cancel{\phantom{MMM}}$$")))
    picture = Image.open(io.BytesIO(page.locator(".cancelled").screenshot())).convert("L")
    high = picture.height
    corners = picture.crop((0, high - 5, 5, high)), picture.crop((0, 0, 5, 5))
    below, above = (min(corner.tobytes()) for corner in corners)
    assert below < 128 < above


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_document_is_usable_by_everyone_and_as_wide_as_the_phone(
    scheme: str, make_page: MakePage
) -> None:
    out = io.BytesIO()
    Image.new("RGB", (1_600, 900), "green").save(out, "PNG")
    images = {"file:a": shrink_image(out.getvalue())}
    html = make_html(replace(page_request(TEXT), images=images))
    checked = make_page(color_scheme=scheme, bypass_csp=True)  # for axe, which is a script
    checked.set_content(html)
    no_serious_fault(checked)
    page = make_page(color_scheme=scheme)
    page.set_content(html)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.evaluate("document.querySelector('img').naturalWidth") == 1_600
