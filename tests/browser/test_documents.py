"""A page that generate_html makes, in a real browser: usable by everyone, on a small phone."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from PIL import Image

from bot.library.image_worker import shrink_image
from bot.library.pages.web import make_html
from tests.browser.conftest import MakePage, no_serious_fault
from tests.library.pages.reading import manuscript

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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_document_is_usable_by_everyone_and_as_wide_as_the_phone(
    scheme: str, make_page: MakePage
) -> None:
    out = io.BytesIO()
    Image.new("RGB", (1_600, 900), "green").save(out, "PNG")
    images = {"file:a": shrink_image(out.getvalue())}
    html = make_html(replace(manuscript(TEXT), images=images))
    checked = make_page(color_scheme=scheme, bypass_csp=True)  # for axe, which is a script
    checked.set_content(html)
    no_serious_fault(checked)
    page = make_page(color_scheme=scheme)
    page.set_content(html)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.evaluate("document.querySelector('img').naturalWidth") == 1_600
