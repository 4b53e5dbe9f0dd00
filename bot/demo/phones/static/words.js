// The page's words, in French and in English.

const WORDS = {
  fr: {
    credits: "crédits", lab: "Essayer de le casser", kill: "Tuer le processus",
    twice: "En double", late: "En retard",
    killTitle: "SIGKILL, en pleine réponse : rien n’est perdu, rien n’est dit deux fois.",
    twiceTitle: "L’opérateur livre ton prochain message deux fois, au même instant.",
    lateTitle: "L’opérateur livre ton prochain message avec quatre secondes de retard.",
    sent: "Envoyés", answered: "Répondus", doubled: "Doublés", lost: "Perdus",
    inside: "À l’intérieur", web: "Chat web",
    insideText: "Ce qui passe entre Griot, les opérateurs et le modèle, au moment où cela passe.",
    webText: "La même personne, le même compte, dans un navigateur.",
    webOpen: "Ouvrir le chat", close: "Fermer", download: "Télécharger",
    phones: "Téléphones", message: "Ton message, {phone}", placeholder: "Message", send: "Envoyer",
    photo: "Envoyer une photo", logLabel: "Conversation {phone}", chipsLabel: "Suggestions",
    starting: "démarre…", up: "en marche · pid {pid}",
    killed: "tué · redémarrage…", back: "tué, revenu en {ms} ms · pid {pid}", offline: "démo arrêtée",
    bot: "bot", typing: "écrit…", online: "en ligne", sms: "SMS",
    tick_: "en route", tick_sent: "envoyé", tick_delivered: "distribué", tick_read: "lu", tick_failed: "échec",
    segment: "segment", segments: "segments", spentOne: "{n} segment · {usd}", spent: "{n} segments · {usd}",
    choose: "Choisis", open: "Ouvrir {name}",
    gone: "Ce bouton n’est plus là.", tooLarge: "Photo trop lourde : 5 Mo au plus.", failed: "Cela n’est pas parti. Réessaie.",
    share: "Partager mon numéro",
    chips: ["Explique-moi les fractions", "Fais-moi un quiz", "Fais une fiche de révision"],
    empty: "Écris comme sur ton téléphone. Le numéro {number} est le même sur WhatsApp et par SMS.",
    emptyTelegram: "Écris comme sur ton téléphone. Partage ton numéro : c’est ainsi que l’on se connecte.",
    in: "vers Griot", out: "de Griot", here: "ici",
  },
  en: {
    credits: "credits", lab: "Try to break it", kill: "Kill the process",
    twice: "Twice", late: "Late",
    killTitle: "SIGKILL, in mid-answer: nothing is lost, nothing is said twice.",
    twiceTitle: "The provider delivers your next message twice, at the same moment.",
    lateTitle: "The provider delivers your next message four seconds late.",
    sent: "Sent", answered: "Answered", doubled: "Doubled", lost: "Lost",
    inside: "Inside", web: "Web chat",
    insideText: "What passes between Griot, the providers and the model, as it passes.",
    webText: "The same person, the same account, in a browser.",
    webOpen: "Open the chat", close: "Close", download: "Download",
    phones: "Phones", message: "Your message, {phone}", placeholder: "Message", send: "Send",
    photo: "Send a photo", logLabel: "{phone} conversation", chipsLabel: "Suggestions",
    starting: "starting…", up: "running · pid {pid}",
    killed: "killed · restarting…", back: "killed, back in {ms} ms · pid {pid}", offline: "demo stopped",
    bot: "bot", typing: "typing…", online: "online", sms: "SMS",
    tick_: "on its way", tick_sent: "sent", tick_delivered: "delivered", tick_read: "read", tick_failed: "failed",
    segment: "segment", segments: "segments", spentOne: "{n} segment · {usd}", spent: "{n} segments · {usd}",
    choose: "Choose", open: "Open {name}",
    gone: "That button is no longer there.", tooLarge: "That photo is too large: 5 MB at most.", failed: "That did not go out. Try again.",
    share: "Share my number",
    chips: ["Explain fractions to me", "Give me a quiz", "Make a revision sheet"],
    empty: "Write as on your phone. The number {number} is the same on WhatsApp and by SMS.",
    emptyTelegram: "Write as on your phone. Share your number: that is how one logs in.",
    in: "to Griot", out: "from Griot", here: "here",
  },
};

let words = WORDS.fr;

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

export function money(usd) {
  const style = { style: "currency", currency: "USD", maximumFractionDigits: 2 };
  return new Intl.NumberFormat(document.documentElement.lang, style).format(usd);
}

export function clock(seconds) {
  const style = { hour: "2-digit", minute: "2-digit" };
  return new Intl.DateTimeFormat(document.documentElement.lang, style).format(seconds * 1000);
}
