// What LaTeX is made of: tokens, and the names of commands. They are those that documents know
// (bot/formulas/symbols.py).

export class Unreadable extends Error {}

/** The tokens of a formula from left to right: a command, white space, or one character. */
export class Tokens {
  #tokens;
  #at = 0;

  constructor(latex) {
    const found = latex.match(/\\(?:operatorname\*|[A-Za-z]+|[^])?|\s+|[^]/gu) ?? [];
    this.#tokens = found.map((token) => (token === "\\cr" ? "\\\\" : token));
  }

  /** The token that comes next, or `ahead` places later; "" at the end. */
  peek(ahead = 0) {
    return this.#tokens[this.#at + ahead] ?? "";
  }

  take() {
    return this.#tokens[this.#at++] ?? "";
  }

  peekVisible() {
    let ahead = 0;
    while (isBlank(this.peek(ahead))) ahead += 1;
    return this.peek(ahead);
  }

  takeVisible() {
    while (isBlank(this.peek())) this.#at += 1;
    return this.take();
  }

  expect(wanted) {
    if (this.takeVisible() !== wanted) throw new Unreadable();
  }

  /** What the next braces hold, as it is written. */
  raw() {
    this.expect("{");
    const start = this.#at;
    for (let depth = 1; depth; ) {
      const token = this.take();
      if (!token) throw new Unreadable();
      depth += (token === "{") - (token === "}");
    }
    return this.#tokens.slice(start, this.#at - 1).join("");
  }

  /** Read past the `[2pt]` that may follow the end of a row. */
  skipGap() {
    const ahead = this.#tokens.slice(this.#at, this.#at + 20).join("");
    const found = /^\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm)\s*\]/.exec(ahead);
    for (let left = found?.[0].length ?? 0; left > 0; ) left -= this.take().length;
  }
}

export const isBlank = (token) => token !== "" && !token.trim();

function pairs(text) {
  const parts = text.trim().split(/\s+/);
  return parts.flatMap((name, at) => (at % 2 ? [] : [[name, parts[at + 1]]]));
}

/** A table of names, and nothing else: `\\constructor` is no command. */
const table = (entries) => Object.assign(Object.create(null), entries);
const map = (text) => table(Object.fromEntries(pairs(text)));
export const words = (text) => new Set(text.trim().split(/\s+/));

export const SYMBOLS = new Map();
for (const [kind, text] of Object.entries({
  ord: `alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι
    kappa κ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ
    upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ
    Upsilon Υ Phi Φ Psi Ψ Omega Ω neg ¬ lnot ¬ partial ∂ nabla ∇ infty ∞ emptyset ∅ varnothing ∅
    forall ∀ exists ∃ nexists ∄ complement ∁ AA Å hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ wp ℘ prime ′ degree ° ldots … dots …
    dotsc … dotsb ⋯ cdots ⋯ vdots ⋮ ddots ⋱ angle ∠ measuredangle ∡ triangle △ square □
    blacksquare ■ top ⊤ bot ⊥ checkmark ✓ vert | Vert ‖ | ‖ backslash \\ euro € pounds £ imath ı
    jmath ȷ flat ♭ sharp ♯ % % $ $ & & # # _ _ R ℝ N ℕ Z ℤ Q ℚ C ℂ dagger † ddagger ‡`,
  bin: `times × cdot ⋅ cdotp · div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗
    odot ⊙ wedge ∧ land ∧ vee ∨ lor ∨ setminus ∖ cap ∩ cup ∪ sqcup ⊔ uplus ⊎ diamond ⋄`,
  sum: `sum ∑ prod ∏ coprod ∐ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀`,
  int: `int ∫ iint ∬ iiint ∭ oint ∮`,
  rel: `leq ≤ le ≤ leqslant ⩽ geq ≥ ge ≥ geqslant ⩾ neq ≠ ne ≠ equiv ≡ approx ≈ thickapprox ≈ simeq ≃ sim ∼ cong ≅
    propto ∝ ll ≪ gg ≫ lt < gt > mid ∣ nmid ∤ parallel ∥ perp ⟂ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆
    subsetneq ⊊ supset ⊃ supseteq ⊇ nsubseteq ⊈ prec ≺ succ ≻ preceq ⪯ succeq ⪰ models ⊨ vdash ⊢
    asymp ≍ frown ⌢ smile ⌣ doteq ≐ triangleq ≜ therefore ∴ because ∵ colon : coloneqq ≔
    to → rightarrow → leftarrow ← gets ← mapsto ↦ longmapsto ⟼ longrightarrow ⟶ longleftarrow ⟵
    leftrightarrow ↔ longleftrightarrow ⟷ uparrow ↑ downarrow ↓ updownarrow ↕ nearrow ↗ searrow ↘
    nwarrow ↖ swarrow ↙ Rightarrow ⇒ implies ⟹ Longrightarrow ⟹ Leftarrow ⇐ impliedby ⟸
    Longleftarrow ⟸ Leftrightarrow ⇔ iff ⟺ Longleftrightarrow ⟺ hookrightarrow ↪
    rightleftharpoons ⇌ leftrightharpoons ⇋ rightharpoonup ⇀`,
  open: "langle ⟨ lfloor ⌊ lceil ⌈ lbrace { lbrack [ lbracket [ lparen ( lvert | lVert ‖ { {",
  close: "rangle ⟩ rfloor ⌋ rceil ⌉ rbrace } rbrack ] rbracket ] rparen ) rvert | rVert ‖ } }",
})) {
  for (const [name, sign] of pairs(text)) SYMBOLS.set(name, [sign, kind]);
}
export const LETTERS = /^[\p{L}∂∇∞∅ℏℓℜℑℵ℘]$/u;
export const CHARACTERS = table({
  "-": ["−", "bin"], "+": ["+", "bin"], "*": ["∗", "bin"], "/": ["/", "ord"], "`": ["‘", "ord"],
  "=": ["=", "rel"], "<": ["<", "rel"], ">": [">", "rel"], ":": [":", "rel"],
  ",": [",", "punct"], ";": [";", "punct"], "!": ["!", "close"], "?": ["?", "close"],
  "(": ["(", "open"], ")": [")", "close"],
});
const signsOf = (kind) => new Set([...SYMBOLS.values()].filter((each) => each[1] === kind).map(([sign]) => sign));
export const RELATIONS = signsOf("rel");
export const OPERATIONS = signsOf("bin");

/** In ems. */
export const SPACES = table({
  ",": 0.1667, ":": 0.2222, ">": 0.2222, ";": 0.2778, "!": -0.1667, " ": 0.25, "~": 0.25,
  space: 0.25, enspace: 0.5, quad: 1, qquad: 2, hfill: 1,
});
export const IGNORED = words("nonumber notag hline limits nolimits allowbreak relax mathstrut");
export const FUNCTIONS = words(`sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth ln log lg
  exp ker deg dim hom arg pgcd ppcm sgn card mod Vect`);
export const LIMITS = words("lim max min sup inf det gcd lcm Pr argmax argmin limsup liminf");
/** The alphabet of an argument; `normal-` is upright. */
export const VARIANTS = map(`mathrm normal mathup normal rm normal mathbf normal-bold bf normal-bold
  boldsymbol bold bm bold pmb bold mathit italic mathnormal italic it italic mathsf normal-sans
  sf normal-sans mathtt normal-mono tt normal-mono mathbb double mathds double mathcal script
  mathscr script cal script mathfrak fraktur`);
export const SWITCHES = words("rm bf it sf tt cal");
/** Of Unicode's mathematical letters: the first, and those that stand elsewhere. */
export const ALPHABETS = table({
  double: [0x1d538, "CℂHℍNℕPℙQℚRℝZℤ"],
  script: [0x1d49c, "BℬEℰFℱHℋIℐLℒMℳRℛeℯgℊoℴ"],
  fraktur: [0x1d504, "CℭHℌIℑRℜZℨ"],
});
/** `[displaystyle, scriptlevel]` */
export const STYLES = table({
  displaystyle: [true, 0], textstyle: [false, 0], scriptstyle: [false, 1], scriptscriptstyle: [false, 2],
});
export const ACCENTS = map(`vec → overrightarrow → overleftarrow ← hat ^ widehat ^ check ˇ tilde ~
  widetilde ~ bar ¯ breve ˘ acute ´ grave \` dot ˙ ddot ¨ dddot ⃛ mathring ˚ overarc ⏜ wideparen ⏜
  overparen ⏜`);
export const WIDE = words("overrightarrow overleftarrow widehat widetilde overarc wideparen overparen");
/** What a style draws, by the name of its class. */
export const DRAWN = map(`overline overlined underline underlined cancel cancelled boxed boxed fbox boxed
  phantom unseen hphantom unseen vphantom unseen`);
export const TRANSPARENT = map(`mathord ord mathbin bin mathrel rel mathopen open mathclose close
  mathinner ord mathpunct punct`);
export const TEXTS = map(`text upright textrm upright textnormal upright mbox upright hbox upright
  textbf bold textit slanted emph slanted textsf sans texttt mono`);
export const STRETCHED = map(`xrightarrow → xleftarrow ← xleftrightarrow ↔ xRightarrow ⇒ xLeftarrow ⇐
  xLeftrightarrow ⇔ xmapsto ↦ xrightleftharpoons ⇌`);
export const SIZES = table({ big: 1.2, Big: 1.8, bigg: 2.4, Bigg: 3 });
export const NEGATED = map("= ≠ ∈ ∉ ⊂ ⊄ ⊆ ⊈ ≡ ≢ ∼ ≁ ≈ ≉ ∥ ∦ ∣ ∤ < ≮ > ≯ ≤ ≰ ≥ ≱ ∃ ∄ ⇒ ⇏ ⇔ ⇎ → ↛");
/** Environments of cells, and what stands around them. */
export const MATRICES = map("matrix .. smallmatrix .. array .. pmatrix () bmatrix [] Bmatrix {} vmatrix || Vmatrix ‖‖");
export const LINES = words(`aligned align alignedat split eqnarray multline flalign gather gathered equation
  displaymath math`);
export const BRACKETS = "()[]{}|‖/\\⟨⟩⌊⌋⌈⌉↑↓↕";
export const RULES = words("\\hline \\toprule \\midrule \\bottomrule");
