// What the page says, in French and in English.

export const WORDS = {
  fr: {
    welcome: "Que veux\u2011tu apprendre aujourd’hui\u202f?",
    welcomeText: "Pose une question avec tes mots, ou touche une suggestion.",
    guestText: "Sans compte, quelques messages par jour. Avec ton numéro, c’est gratuit aussi, et tu as\u00a0:",
    gains: ["plus de messages, et des crédits de bienvenue", "des quiz, des fiches et des documents à garder",
      "tes progrès suivis, les mêmes sur WhatsApp et SMS"],
    loggedInAs: "Connexion avec le numéro {phone}", welcomeBack: "Connexion réussie. Bienvenue\u202f!",
    messageLabel: "Ton message", placeholder: "Écris à Griot…", send: "Envoyer", stop: "Arrêter la réponse",
    chipsLabel: "Suggestions et commandes", logLabel: "Conversation",
    chips: ["Explique-moi les fractions", "Fais-moi un quiz", "Fais une fiche de révision", "Retiens que je suis en 4e"],
    guestChips: ["Explique-moi les fractions", "Comment marche la photosynthèse\u202f?", "Qui était Kwame Nkrumah\u202f?"],
    commands: [["/exercice", "M’exercer"], ["/progres", "Mes progrès"], ["/fichiers", "Mes fichiers"],
      ["/solde", "Mes crédits"], ["/aide", "Aide"]],
    guestCommands: [["/exercice", "M’exercer"], ["/aide", "Aide"]],
    credit: "crédit", credits: "crédits", creditsLabel: "{n}\u00a0crédits restants",
    connected: "en ligne", offline: "hors ligne", writing: "écrit…", reading: "relit la conversation…", step: "écrit… étape {n}",
    menu: "Menu", newConversation: "Nouvelle conversation", logout: "Se déconnecter", language: "English",
    inside: "Ce qui se passe à l’intérieur", insideText: "Les événements du tour, tels que /api/v1/chat les envoie.",
    login: "Se connecter", loginText: "Un code t’est envoyé par WhatsApp, sinon par SMS.",
    country: "Pays", countryNone: "Choisis un pays", phone: "Numéro de téléphone", getCode: "Recevoir le code",
    codeSent: "Code envoyé au {phone}.", code: "Code à 6 chiffres", confirm: "Valider",
    resend: "Renvoyer le code", resendIn: "Renvoyer le code dans {n}\u00a0s", otherNumber: "Changer de numéro",
    phoneMissing: "Écris ton numéro de téléphone.", phoneShort: "Ce numéro est trop court\u00a0: vérifie-le.", codeMissing: "Le code a 6 chiffres.",
    countryMissing: "Choisis ton pays, ou écris le numéro avec + et l’indicatif.",
    unreachable: "Pas de réponse. Vérifie ta connexion, puis réessaie.",
    loggedOut: "Ta session a pris fin. Tu peux continuer sans compte, ou te reconnecter.",
    thinking: "Réflexion", atWork: "Au travail…", colon: "\u00a0: ", seconds: "{n}\u00a0s", characters: "{n}\u00a0caractères",
    open: "Ouvrir", download: "Télécharger", close: "Fermer", bytes: "{n}\u00a0octets", kilobytes: "{n}\u00a0Ko", megabytes: "{n}\u00a0Mo",
    fileGone: "Ce fichier n’est plus là, ou son lien est trop ancien.",
    right: "Bravo, c’est juste\u202f!", wrong: "Pas tout à fait. La réponse\u00a0: {answer}",
    rightMark: "bonne réponse", wrongMark: "ta réponse", another: "Encore une question",
    anotherMessage: "Encore un quiz", expired: "Ce quiz a expiré.",
    exerciseExpired: "Cet exercice a expiré.", exerciseOver: "Cet exercice est terminé.", yourAnswer: "Ta réponse", hint: "Indice", solution: "Solution", noAnswer: "Écris juste ta réponse.",
    exerciseRight: "Bravo, c’est juste\u00a0: {answer}", exerciseWas: "La réponse était\u00a0: {answer}",
    tryAgain: "Pas tout à fait\u00a0: essaie encore.",
    approve: "D’accord", sendLetter: "Envoyer", edit: "Modifier", cancel: "Annuler", editLabel: "Que faut-il changer\u202f?",
    approveDone: "✓ Tu as accepté.", editDone: "Tu as demandé un changement.", cancelDone: "Tu as annulé.",
    queued: "Ton message partira dès que cette réponse est finie.",
    retry: "Réessayer", stopped: "Réponse arrêtée.", failed: "Quelque chose n’a pas marché.",
    broken: "La connexion s’est interrompue. Dès que le réseau est là, je vérifie si ton message est arrivé.",
    unsent: "Ton message n’est pas parti. Il est resté dans le champ\u00a0: envoie-le encore.",
    gone: "Cette conversation n’existe plus. Ton message est resté dans le champ\u00a0: envoie-le dans une nouvelle.",
    busy: "Griot répond encore à ton message précédent. Attends la fin, puis réessaie.",
    poor: "Tu n’as plus de crédits.", buy: "Acheter des crédits", buyCommand: "/acheter",
    usedUp: "Tes messages gratuits d’aujourd’hui sont utilisés. Connecte-toi pour continuer, ou reviens demain.",
    fast: "Tu écris très vite. Attends une minute, puis réessaie.",
    conversations: "Conversations", noConversations: "Aucune conversation pour l’instant.", untitled: "Conversation",
    phoneConversation: "Sur mon téléphone", toEnd: "Aller à la fin", copy: "Copier", copied: "Copié ✓",
    notCopied: "Copie impossible", again: "Redemander", attach: "Joindre une photo ou un fichier",
    attached: "Fichiers joints", remove: "Retirer {name}", photo: "Photo", document: "Document", voiceNote: "Message vocal",
    record: "Enregistrer un message vocal", recording: "Enregistrement", voiceCancel: "Annuler l’enregistrement",
    voiceSend: "Envoyer le message vocal", noMicrophone: "Je n’entends rien\u00a0: autorise le micro dans ton navigateur, puis réessaie.",
    tooMany: "{n}\u00a0fichiers au plus par message. Envoie d’abord ceux-ci.",
    tooLarge: "{name} est trop lourd\u00a0: 16 Mo au plus par message. Envoie un fichier plus petit.",
    emptyFile: "{name} est vide. Choisis un autre fichier.",
  },
  en: {
    welcome: "What would you like to learn today?",
    welcomeText: "Ask a question in your own words, or tap a suggestion.",
    guestText: "Without an account, a few messages a day. With your number, it is free too, and you have:",
    gains: ["more messages, and welcome credits", "quizzes, revision sheets and documents to keep",
      "your progress, the same on WhatsApp and SMS"],
    loggedInAs: "Logged in with the number {phone}", welcomeBack: "You are logged in. Welcome!",
    messageLabel: "Your message", placeholder: "Write to Griot…", send: "Send", stop: "Stop the answer",
    chipsLabel: "Suggestions and commands", logLabel: "Conversation",
    chips: ["Explain fractions to me", "Give me a quiz", "Make a revision sheet", "Remember that I am in grade 8"],
    guestChips: ["Explain fractions to me", "How does photosynthesis work?", "Who was Kwame Nkrumah?"],
    commands: [["/practice", "Practise"], ["/progress", "My progress"], ["/files", "My files"],
      ["/balance", "My credits"], ["/help", "Help"]],
    guestCommands: [["/practice", "Practise"], ["/help", "Help"]],
    credit: "credit", credits: "credits", creditsLabel: "{n} credits left",
    connected: "online", offline: "offline", writing: "is writing…", reading: "is reading…", step: "is writing… step {n}",
    menu: "Menu", newConversation: "New conversation", logout: "Log out", language: "Français",
    inside: "What happens inside", insideText: "The turn’s events, as /api/v1/chat sends them.",
    login: "Log in", loginText: "A code is sent to you by WhatsApp, else by SMS.",
    country: "Country", countryNone: "Choose a country", phone: "Phone number", getCode: "Get the code",
    codeSent: "Code sent to {phone}.", code: "6-digit code", confirm: "Confirm",
    resend: "Send the code again", resendIn: "Send the code again in {n} s", otherNumber: "Change the number",
    phoneMissing: "Write your phone number.", phoneShort: "This number is too short: check it.", codeMissing: "The code has 6 digits.",
    countryMissing: "Choose your country, or write the number with + and the country code.",
    unreachable: "No answer. Check your connection, then try again.",
    loggedOut: "Your session has ended. You can go on as a guest, or log in again.",
    thinking: "Thinking", atWork: "At work…", colon: ": ", seconds: "{n} s", characters: "{n} characters",
    open: "Open", download: "Download", close: "Close", bytes: "{n} bytes", kilobytes: "{n} KB", megabytes: "{n} MB",
    fileGone: "This file is no longer there, or its link is too old.",
    right: "Well done, that is right!", wrong: "Not quite. The answer: {answer}",
    rightMark: "right answer", wrongMark: "your answer", another: "Another question",
    anotherMessage: "Give me another quiz", expired: "This quiz has expired.",
    exerciseExpired: "This exercise has expired.", exerciseOver: "This exercise is over.", yourAnswer: "Your answer", hint: "Hint", solution: "Solution", noAnswer: "Write just your answer.",
    exerciseRight: "Well done, that is right: {answer}", exerciseWas: "The answer was: {answer}",
    tryAgain: "Not quite: try again.",
    approve: "Agreed", sendLetter: "Send", edit: "Edit", cancel: "Cancel", editLabel: "What should change?",
    approveDone: "✓ You agreed.", editDone: "You asked for a change.", cancelDone: "You cancelled.",
    queued: "Your message will be sent as soon as this answer has ended.",
    retry: "Try again", stopped: "Answer stopped.", failed: "Something did not work.",
    broken: "The connection broke off. As soon as the network is there, I will check whether your message arrived.",
    unsent: "Your message was not sent. It has stayed in the box: send it again.",
    gone: "This conversation is gone. Your message has stayed in the box: send it in a new one.",
    busy: "Griot is still answering your last message. Wait for the end, then try again.",
    poor: "You have no credits left.", buy: "Buy credits", buyCommand: "/buy",
    usedUp: "Today’s free messages are used up. Log in to go on, or come back tomorrow.",
    fast: "That is very fast! Wait a minute, then try again.",
    conversations: "Conversations", noConversations: "No conversation yet.", untitled: "Conversation",
    phoneConversation: "On my phone", toEnd: "Go to the end", copy: "Copy", copied: "Copied ✓",
    notCopied: "Cannot copy", again: "Ask again", attach: "Attach a photo or a file",
    attached: "Attached files", remove: "Remove {name}", photo: "Photo", document: "Document", voiceNote: "Voice note",
    record: "Record a voice note", recording: "Recording", voiceCancel: "Cancel the recording",
    voiceSend: "Send the voice note", noMicrophone: "I cannot hear you: allow the microphone in your browser, then try again.",
    tooMany: "At most {n} files a message. Send these first.",
    tooLarge: "{name} is too large: at most 16 MB a message. Send a smaller file.",
    emptyFile: "{name} is empty. Choose another file.",
  },
};

let language = "fr";

/** The word or sentence `name` in the page's language, its {gaps} filled in. */
export function say(name, gaps = {}) {
  const sentence = WORDS[language][name];
  if (typeof sentence !== "string") return sentence;
  return sentence.replace(/\{(\w+)\}/g, (_, gap) => String(gaps[gap]));
}

/** Turn the page's own words to a language. */
export function speak(wanted) {
  language = wanted in WORDS ? wanted : "fr";
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-words]")) {
    element.textContent = say(element.dataset.words);
  }
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", say(element.dataset.label));
  }
}
