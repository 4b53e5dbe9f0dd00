// Shows times in the time zone of who looks, and keeps the numbers at the top fresh while somebody
// looks at them. The page does without it.
// English as in all texts: day, then month.
const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
const now = document.getElementById("now");
const EVERY = 10_000;

function write(instant, isExact) {
  const then = new Date(instant);
  const year = then.getFullYear() === new Date().getFullYear() ? undefined : "numeric";
  const day = then.toLocaleDateString(language, { day: "numeric", month: "short", year });
  const second = isExact ? "2-digit" : undefined;
  const clock = { hour: "2-digit", minute: "2-digit", second, hourCycle: "h23" };
  return `${day} ${then.toLocaleTimeString(language, clock)}`;
}

function localise(part) {
  for (const time of part.querySelectorAll("time[datetime]")) {
    time.textContent = write(time.dateTime, "seconds" in time.dataset);
  }
  for (const title of part.querySelectorAll("title[data-at]")) {
    title.textContent = write(title.dataset.at, false) + title.dataset.rest;
  }
}

async function refresh() {
  // Nothing is taken from under a keyboard's focus.
  if (!document.hidden && !now.contains(document.activeElement)) {
    const answer = await fetch("/operator/now", { cache: "no-store" }).catch(() => null);
    if (answer?.status === 401) return;
    if (answer?.ok) {
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("now");
      if (fresh) {
        localise(fresh);
        now.replaceChildren(...fresh.childNodes);
      }
    }
  }
  setTimeout(refresh, EVERY);
}

const zone = document.getElementById("zone");
if (zone && timeZone) {
  localise(document);
  zone.textContent = zone.dataset.here.replace("{zone}", timeZone);
}
if (now) setTimeout(refresh, EVERY);
