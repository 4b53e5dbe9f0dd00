"""Formulas and tables as school lessons have them, for every place that has to show them."""

from __future__ import annotations

from typing import Final

FORMULAS: Final = (
    r"\frac{2}{3} \times \frac{5}{7} = \frac{10}{21}",
    r"x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}",
    r"\frac{1}{1 + \frac{1}{1 + \frac{1}{x}}}",
    r"\dfrac{3}{4} + \tfrac12 = \frac54",
    r"\sqrt{2} + \sqrt[3]{27} = \sqrt{2} + 3",
    r"\sqrt{1 + \sqrt{1 + \sqrt{x}}}",
    r"a^{2} + b^{2} = c^{2}",
    r"2^{10} = 1\,024",
    r"x_1^2 + x_2^2 + \dots + x_n^2",
    r"u_{n+1} = q\,u_n",
    r"f'(x) = 3x^2 - 2x, \quad f''(x) = 6x - 2",
    r"{}^{14}_{6}\mathrm{C}",
    r"\sum_{k=1}^{n} k = \frac{n(n+1)}{2}",
    r"\prod_{k=1}^{n} k = n!",
    r"\int_0^1 x^2 \, dx = \left[ \frac{x^3}{3} \right]_0^1 = \frac13",
    r"\iint_D f(x, y)\,\mathrm{d}x\,\mathrm{d}y",
    r"\lim_{x \to +\infty} \frac{\ln x}{x} = 0",
    r"\lim_{\substack{x \to 0 \\ x > 0}} \frac1x = +\infty",
    r"\vec{AB} + \vec{BC} = \vec{AC}",
    r"\overrightarrow{AB} = \begin{pmatrix} x_B - x_A \\ y_B - y_A \end{pmatrix}",
    r"\vec{u} \cdot \vec{v} = \|\vec{u}\| \, \|\vec{v}\| \cos\theta",
    r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}^{-1}",
    r"\begin{vmatrix} a & b \\ c & d \end{vmatrix} = ad - bc",
    r"\left( \begin{array}{cc|c} 1 & 2 & 5 \\ 3 & 4 & 6 \end{array} \right)",
    r"\begin{cases} 2x + y = 5 \\ x - y = 1 \end{cases}",
    r"|x| = \begin{cases} x & \text{si } x \ge 0 \\ -x & \text{sinon} \end{cases}",
    r"\begin{aligned} 2x + 3 &= 7 \\ 2x &= 4 \\ x &= 2 \end{aligned}",
    r"\alpha + \beta + \gamma = 180^\circ",
    r"\Delta = b^2 - 4ac > 0 \implies \text{deux racines}",
    r"\omega = 2\pi f, \quad \lambda = \frac{c}{\nu}, \quad \varepsilon, \varphi, \Omega",
    r"A \cup B,\; A \cap B,\; A \subset B,\; x \in A,\; x \notin \emptyset",
    r"S = \left] -\infty ; 2 \right[ \cup \left[ 5 ; +\infty \right[",
    r"]-\infty ; 2[",
    r"\forall x \in \mathbb{R}, \exists n \in \mathbb{N}, n > x",
    r"\mathbb{N} \subset \mathbb{Z} \subset \mathbb{D} \subset \mathbb{Q} \subset \mathbb{R}",
    r"P(\overline{A}) = 1 - P(A)",
    r"P_B(A) = \frac{P(A \cap B)}{P(B)}",
    r"\binom{n}{k} = \frac{n!}{k!\,(n-k)!}",
    r"\overline{x} = \frac{1}{n} \sum_{i=1}^{n} x_i",
    r"\widehat{ABC} = 90^\circ, \quad (AB) \perp (BC), \quad (AB) \parallel (CD)",
    r"\mathrm{N_2 + 3\,H_2 \rightleftharpoons 2\,NH_3}",
    r"\text{CH}_4 + 2\,\text{O}_2 \xrightarrow{\text{feu}} \text{CO}_2 + 2\,\text{H}_2\text{O}",
    r"\text{Fe}^{2+} + 2e^- \to \text{Fe}",
    r"\text{pH} = -\log_{10}[\text{H}_3\text{O}^+]",
    r"v = \frac{d}{t} = \frac{150~\text{km}}{2~\text{h}} = 75~\text{km/h}",
    r"F = G\,\frac{m_1 m_2}{d^2} \approx 6{,}67 \times 10^{-11}~\text{N}",
    r"E = 3{,}5\ \text{kWh} = 1{,}26 \times 10^{7}\ \text{J}",
    r"\underbrace{a + a + \dots + a}_{n \text{ fois}} = n \times a",
    r"\boxed{x = 2} \quad \text{et} \quad \cancel{y}",
    r"\left( 1 + \frac{1}{n} \right)^{n} \xrightarrow[n \to \infty]{} e",
    r"2^3 \times 5 = 8 \times 5 = 40 \equiv 1 \pmod{3}",
    r"\left\{ x \in \mathbb{R} \;\middle|\; x^2 < 4 \right\}",
    r"\sin^2\theta + \cos^2\theta = 1, \quad \tan\frac{\pi}{4} = 1",
    r"a \neq b,\ a \leqslant b,\ a \not= b,\ a \mapsto a^2",
    r"z = re^{i\theta} = \Re(z) + i\,\Im(z), \quad \bar{z} = re^{-i\theta}",
)
"""LaTeX without dollar signs."""

TABLES: Final = (
    "| Pays | Capitale |\n|---|---|\n| Ghana | Accra |\n| Sénégal | Dakar |",
    "| n | n² | n³ |\n|--:|--:|--:|\n| 1 | 1 | 1 |\n| 2 | 4 | 8 |\n| 12 | 144 | 1 728 |",
    "| f | f’ |\n|:-:|:-:|\n| $x^n$ | $nx^{n-1}$ |\n| $\\frac{1}{x}$ | $-\\frac{1}{x^2}$ |",
    "Article | Prix\n--- | ---:\nRiz | 12 500 F\nHuile | 3 250 F",
    "| Temps | Exemple |\n|---|---|\n| **présent** | *je mange* |\n| imparfait | `je mangeais` |",
    "| Code | Sens |\n|---|---|\n| `a \\| b` | ou |\n| a \\| b | aussi |",
    "| Vide | Court |\n|---|---|\n| | oui |\n| non |",
    "| Étape | Ce qui se passe | Où |\n|---|---|---|\n"
    "| 1 | La lumière est captée par la chlorophylle | feuille |\n"
    "| 2 | L’eau est séparée en dioxygène et en hydrogène<br>(photolyse) | thylakoïde |",
    "| Lien | URL |\n|---|---|\n| [UNESCO](https://unesco.org) | https://www.un.org/fr |",
    "| a | b | c | d | e | f | g | h | i | j |\n|---|---|---|---|---|---|---|---|---|---|"
    "\n| 1000 | 2000 | 3000 | 4000 | 5000 | 6000 | 7000 | 8000 | 9000 | 10000 |",
)
"""Tables of Markdown as models write them: alignment, formulas, escaped bars, missing cells."""
