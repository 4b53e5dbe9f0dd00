// Keeps the numbers at the top fresh while somebody looks at them. The page does without it.
const shown = document.getElementById("now");
const EVERY = 10_000;

async function refresh() {
  // Nothing is taken from under a keyboard's focus.
  if (!document.hidden && !shown.contains(document.activeElement)) {
    const answer = await fetch("/operator/now", { cache: "no-store" }).catch(() => null);
    if (answer?.status === 401) return;
    if (answer?.ok) {
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("now");
      if (fresh) shown.replaceChildren(...fresh.childNodes);
    }
  }
  setTimeout(refresh, EVERY);
}

if (shown) setTimeout(refresh, EVERY);
