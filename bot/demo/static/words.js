// What the page says, in French and in English.

const WORDS = {
  fr: {
    welcome: "Que veux-tu apprendre aujourd’hui ?",
    welcomeText: "Pose une question, demande un quiz ou une fiche. Touche une suggestion pour commencer.",
    scripted: "Démonstration : un tuteur aux leçons écrites d’avance répond, sans clé ni compte.",
    answering: "C’est le modèle {model} qui répond, avec ta clé.",
    messageLabel: "Ton message", placeholder: "Écris à Griot…", send: "Envoyer", stop: "Arrêter la réponse",
    chipsLabel: "Suggestions", logLabel: "Conversation",
    chips: ["Explique-moi les fractions", "Fais-moi un quiz", "Fais une fiche de révision", "Retiens que je suis en 4e"],
    credit: "crédit", credits: "crédits", creditsLabel: "{n} crédits restants",
    connected: "connecté", offline: "hors ligne", writing: "écrit…",
    inside: "Ce qui se passe à l’intérieur", insideText: "Les événements du tour, tels que /api/v1/chat les envoie.",
    open: "Ouvrir", download: "Télécharger", close: "Fermer", bytes: "{n} octets", kilobytes: "{n} Ko",
    right: "Bravo, c’est juste !", wrong: "Pas tout à fait. La réponse : {answer}",
    rightMark: "bonne réponse", wrongMark: "ta réponse", another: "Encore une question",
    anotherMessage: "Encore un quiz", retry: "Réessayer", stopped: "Réponse arrêtée.",
    broken: "La connexion s’est interrompue. Ton message n’est pas perdu.",
    failed: "Quelque chose n’a pas marché.",
    busy: "Griot répond encore à ton message précédent. Attends la fin, puis réessaie.",
    poor: "Tes crédits de démonstration sont épuisés. Relance « griot demo » pour en avoir d’autres.",
    fast: "C’est très rapide ! Attends une minute, puis réessaie.",
    characters: "{n} caractères",
    tools: {
      interactive_quiz: "Préparation du quiz…", generate_md: "Rédaction du document…", save_memory: "Je retiens…",
      web_search: "Recherche sur le web…", browse_url: "Lecture d’une page…",
    },
  },
  en: {
    welcome: "What would you like to learn today?",
    welcomeText: "Ask a question, a quiz or a revision sheet. Tap a suggestion to begin.",
    scripted: "Demonstration: a tutor with lessons written beforehand answers, without key or account.",
    answering: "The model {model} answers, with your key.",
    messageLabel: "Your message", placeholder: "Write to Griot…", send: "Send", stop: "Stop the answer",
    chipsLabel: "Suggestions", logLabel: "Conversation",
    chips: ["Explain fractions to me", "Give me a quiz", "Make a revision sheet", "Remember that I am in grade 8"],
    credit: "credit", credits: "credits", creditsLabel: "{n} credits left",
    connected: "connected", offline: "offline", writing: "is writing…",
    inside: "What happens inside", insideText: "The turn’s events, as /api/v1/chat sends them.",
    open: "Open", download: "Download", close: "Close", bytes: "{n} bytes", kilobytes: "{n} KB",
    right: "Well done, that is right!", wrong: "Not quite. The answer: {answer}",
    rightMark: "right answer", wrongMark: "your answer", another: "Another question",
    anotherMessage: "Give me another quiz", retry: "Try again", stopped: "Answer stopped.",
    broken: "The connection broke off. Your message is not lost.",
    failed: "Something did not work.",
    busy: "Griot is still answering your last message. Wait for the end, then try again.",
    poor: "Your demo credits are used up. Start “griot demo” again to have more.",
    fast: "That is very fast! Wait a minute, then try again.",
    characters: "{n} characters",
    tools: {
      interactive_quiz: "Preparing a quiz…", generate_md: "Writing a document…", save_memory: "Remembering…",
      web_search: "Searching the web…", browse_url: "Reading a page…",
    },
  },
};

let language = "fr";

/** The word or sentence `name` in the page's language, its {gaps} filled in. */
export function say(name, gaps = {}) {
  const sentence = WORDS[language][name];
  if (typeof sentence !== "string") return sentence;
  return sentence.replace(/\{(\w+)\}/g, (_, gap) => String(gaps[gap]));
}


export function speak(wanted) {
  language = wanted in WORDS ? wanted : "fr";
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-words]")) {
    element.textContent = say(element.dataset.words);
  }
}
