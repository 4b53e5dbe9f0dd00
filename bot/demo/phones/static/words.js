// The page's words, in French and in English.

const WORDS = {
  fr: {
    pitch: "Griot explique, interroge et fait des fiches, là où tu écris déjà : WhatsApp, Telegram, SMS ou le web, avec un seul compte.",
    credits: "crédits", refill: "Recharger", lab: "Essayer de le casser", kill: "Tuer le processus",
    twice: "En double", late: "En retard",
    killTitle: "SIGKILL, en pleine réponse : rien n’est perdu, rien n’est dit deux fois.",
    twiceTitle: "L’opérateur livre ton prochain message deux fois, au même instant.",
    lateTitle: "L’opérateur livre ton prochain message avec quatre secondes de retard.",
    sent: "Envoyés", answered: "Répondus", doubled: "Doublés", lost: "Perdus",
    inside: "À l’intérieur", web: "Chat web",
    insideText: "Ce qui passe entre Griot, les opérateurs et le modèle, au moment où cela passe.",
    webText: "même compte, dans un navigateur",
    close: "Fermer", download: "Télécharger",
    phones: "Téléphones", message: "Ton message, {phone}", placeholder: "Message", send: "Envoyer",
    photo: "Envoyer une photo", logLabel: "Conversation {phone}", chipsLabel: "Suggestions",
    starting: "démarre…", up: "en marche · pid {pid}",
    killed: "tué · redémarrage…", back: "tué, revenu en {ms} ms · pid {pid}", offline: "démo arrêtée",
    bot: "bot", typing: "écrit…", online: "en ligne",
    tick_: "en route", tick_sent: "envoyé", tick_delivered: "distribué", tick_read: "lu", tick_failed: "échec",
    mark_killed: "processus tué ici", mark_back: "de retour en {ms} ms, rien n’est perdu",
    mark_twice: "livré deux fois : une seule réponse", mark_late: "livré avec 4 s de retard",
    segment: "segment", segments: "segments", spentOne: "{n} segment · {usd}", spent: "{n} segments · {usd}",
    choose: "Choisis", open: "Ouvrir {name}", page: "Page {n} de {name}", voice: "Note vocale",
    gone: "Ce bouton n’est plus là.", tooLarge: "Photo trop lourde : 5 Mo au plus.", failed: "Cela n’est pas parti. Réessaie.",
    share: "Connexion",
    chips: [
      ["Leçon", { text: "Explique-moi les fractions" }],
      ["Quiz", { text: "Fais-moi un quiz" }],
      ["Fiche PDF", { text: "Fais une fiche de révision" }],
      ["Photo", { sample: "photo" }],
      ["Vocal", { sample: "voice" }],
      ["Rappel", { text: "Rappelle-moi dans une minute de réviser les fractions" }],
      ["Crédits", { text: "/acheter" }],
    ],
    tries: ["Explique-moi les fractions", "Fais-moi un quiz", "Fais une fiche de révision"],
    empty: "Touche « Leçon » pour commencer, ou écris comme sur ton téléphone. Le numéro {number} est le même sur WhatsApp et par SMS.",
    emptyTelegram: "Touche « Leçon » : la réponse s’écrit sous tes yeux. Puis essaie le quiz, la fiche, la photo…",
    in: "vers Griot", out: "de Griot", here: "ici",
  },
  en: {
    pitch: "Griot explains, quizzes and makes revision sheets where you already write: WhatsApp, Telegram, SMS or the web, with one account.",
    credits: "credits", refill: "Top up", lab: "Try to break it", kill: "Kill the process",
    twice: "Twice", late: "Late",
    killTitle: "SIGKILL, in mid-answer: nothing is lost, nothing is said twice.",
    twiceTitle: "The provider delivers your next message twice, at the same moment.",
    lateTitle: "The provider delivers your next message four seconds late.",
    sent: "Sent", answered: "Answered", doubled: "Doubled", lost: "Lost",
    inside: "Inside", web: "Web chat",
    insideText: "What passes between Griot, the providers and the model, as it passes.",
    webText: "same account, in a browser",
    close: "Close", download: "Download",
    phones: "Phones", message: "Your message, {phone}", placeholder: "Message", send: "Send",
    photo: "Send a photo", logLabel: "{phone} conversation", chipsLabel: "Suggestions",
    starting: "starting…", up: "running · pid {pid}",
    killed: "killed · restarting…", back: "killed, back in {ms} ms · pid {pid}", offline: "demo stopped",
    bot: "bot", typing: "typing…", online: "online",
    tick_: "on its way", tick_sent: "sent", tick_delivered: "delivered", tick_read: "read", tick_failed: "failed",
    mark_killed: "process killed here", mark_back: "back in {ms} ms, nothing lost",
    mark_twice: "delivered twice: one answer", mark_late: "delivered 4 s late",
    segment: "segment", segments: "segments", spentOne: "{n} segment · {usd}", spent: "{n} segments · {usd}",
    choose: "Choose", open: "Open {name}", page: "Page {n} of {name}", voice: "Voice note",
    gone: "That button is no longer there.", tooLarge: "That photo is too large: 5 MB at most.", failed: "That did not go out. Try again.",
    share: "Log in",
    chips: [
      ["Lesson", { text: "Explain fractions to me" }],
      ["Quiz", { text: "Give me a quiz" }],
      ["PDF sheet", { text: "Make a revision sheet" }],
      ["Photo", { sample: "photo" }],
      ["Voice", { sample: "voice" }],
      ["Reminder", { text: "Remind me in a minute to revise fractions" }],
      ["Credits", { text: "/buy" }],
    ],
    tries: ["Explain fractions to me", "Give me a quiz", "Make a revision sheet"],
    empty: "Tap “Lesson” to begin, or write as on your phone. The number {number} is the same on WhatsApp and by SMS.",
    emptyTelegram: "Tap “Lesson”: the answer grows as you watch. Then try the quiz, the sheet, the photo…",
    in: "to Griot", out: "from Griot", here: "here",
  },
};

let words = WORDS.fr;

/** The language that was chosen here before, else the first that the browser wants and we speak. */
export function findLanguage() {
  const wanted = [localStorage.getItem("griot.language") ?? "", ...navigator.languages];
  return wanted.map((tag) => tag.slice(0, 2)).find((tag) => tag in WORDS) ?? "fr";
}

export function speak(language) {
  words = WORDS[language];
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-words]")) {
    element.textContent = words[element.dataset.words];
  }
}

export function say(key, values = {}) {
  const text = words[key];
  if (typeof text !== "string") return text;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** What can be asked, in both languages, where a message suggests it. */
export function tries() {
  return Object.values(WORDS).flatMap((one) => one.tries);
}

export function money(usd) {
  const style = { style: "currency", currency: "USD", maximumFractionDigits: 2 };
  return new Intl.NumberFormat(document.documentElement.lang, style).format(usd);
}

export function clock(seconds) {
  const style = { hour: "2-digit", minute: "2-digit" };
  return new Intl.DateTimeFormat(document.documentElement.lang, style).format(seconds * 1000);
}
