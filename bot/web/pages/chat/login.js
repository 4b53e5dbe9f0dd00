// Logging in: a number, then the code that was sent to it. What goes wrong is said in its place.

import { ApiError, postJson } from "./api.js";
import { countryOf, likelyCountry, listCountries } from "./countries.js";
import { make } from "./markdown.js";
import { visitor } from "./visitor.js";
import { say } from "./words.js";

const PAUSE = 60; // seconds until the gateway sends another code
const DIGITS = 6;
const SHORTEST = 6; // digits of a number
const at = (id) => document.getElementById(id);

export class Login {
  #dialog = at("login");
  #country = at("country");
  #phone = at("phone");
  #code = at("code");
  #resend = at("resend");
  #number = "";
  #left = 0;
  #ticking = 0;
  #onDone;

  /** `onDone()` is called when the visitor is logged in. */
  constructor(onDone) {
    this.#onDone = onDone;
    at("number-form").addEventListener("submit", (event) => this.#submit(event, this.#ask));
    at("code-form").addEventListener("submit", (event) => this.#submit(event, this.#prove));
    this.#resend.addEventListener("click", (event) => this.#submit(event, this.#ask));
    at("other-number").addEventListener("click", () => this.#step(false));
    at("login-close").addEventListener("click", () => this.#dialog.close());
    this.#phone.addEventListener("input", () => this.#follow());
    this.#code.addEventListener("input", () => this.#complete());
  }

  open() {
    const chosen = this.#country.value || likelyCountry();
    const options = listCountries(document.documentElement.lang).map(([country, name, code]) => {
      const option = make("option", "", `${name} (+${code})`);
      option.value = country;
      return option;
    });
    const none = make("option", "", say("countryNone"));
    none.value = "";
    this.#country.replaceChildren(none, ...options);
    this.#country.value = chosen;
    this.#step(Boolean(this.#number));
    this.#dialog.showModal();
    (this.#number ? this.#code : this.#phone).focus();
  }

  async #submit(event, act) {
    event.preventDefault();
    if (this.#dialog.getAttribute("aria-busy") === "true") return;
    this.#dialog.setAttribute("aria-busy", "true");
    this.#complain("");
    try {
      await act.call(this);
    } catch (error) {
      const known = error instanceof ApiError && error.message;
      this.#complain(known || say("unreachable"));
    } finally {
      this.#dialog.setAttribute("aria-busy", "false");
    }
  }

  async #ask() {
    const phone = this.#phone.value.trim();
    const country = this.#country.value;
    const digits = phone.replace(/\D/g, "").length;
    if (digits < SHORTEST) return this.#complain(say(digits ? "phoneShort" : "phoneMissing"));
    if (!country && !/^(\+|00)/.test(phone)) return this.#complain(say("countryMissing"));
    const sent = await postJson("/api/v1/login/otp", { phone, country });
    this.#number = sent.phone;
    this.#code.value = "";
    this.#step(true);
    this.#code.focus();
    this.#count();
  }

  async #prove() {
    const code = this.#code.value.replace(/\D/g, "");
    if (code.length !== DIGITS) return this.#complain(say("codeMissing"));
    const sessions = visitor.conversations.map(({ id }) => id);
    const { token } = await postJson("/api/v1/login/verify", { phone: this.#number, code, sessions });
    visitor.logIn(token, this.#number);
    this.#number = "";
    this.#code.value = "";
    this.#dialog.close();
    this.#onDone();
  }

  #step(isSent) {
    if (!isSent) this.#number = "";
    at("number-form").hidden = isSent;
    at("code-form").hidden = !isSent;
    (isSent ? this.#code : this.#phone).after(at("login-error")); // where a keyboard leaves it in sight
    at("sent-to").textContent = isSent ? say("codeSent", { phone: this.#number }) : "";
    this.#complain("");
    if (!isSent) this.#phone.focus();
  }

  /** A code that is whole is sent at once, as phones fill it in from the message. */
  #complete() {
    if (this.#code.value.replace(/\D/g, "").length === DIGITS) at("code-form").requestSubmit();
  }

  /** A number pasted with its country's code chooses the country. */
  #follow() {
    if (!/^\s*(\+|00)/.test(this.#phone.value)) return;
    const country = countryOf(this.#phone.value, this.#country.value);
    if (country) this.#country.value = country;
  }

  #count() {
    this.#left = PAUSE;
    clearInterval(this.#ticking);
    const show = () => {
      this.#resend.disabled = this.#left > 0;
      this.#resend.textContent = this.#left > 0 ? say("resendIn", { n: this.#left }) : say("resend");
      if (this.#left === 0) clearInterval(this.#ticking);
      this.#left -= 1;
    };
    this.#ticking = setInterval(show, 1000);
    show();
  }

  #complain(words) {
    const onCode = !at("code-form").hidden;
    at("login-error").textContent = words;
    for (const [field, mine] of [[this.#phone, !onCode], [this.#code, onCode]]) {
      field.setAttribute("aria-invalid", String(Boolean(words) && mine));
    }
    if (words) (onCode ? this.#code : this.#phone).focus();
  }
}
