// Countries to choose from, by calling code; every other number is written with its + and code.

export const COUNTRIES = {
  BJ: 229, BF: 226, CM: 237, CV: 238, CF: 236, KM: 269, CG: 242, CD: 243, CI: 225, DJ: 253, GA: 241,
  GM: 220, GH: 233, GN: 224, GW: 245, GQ: 240, LR: 231, MG: 261, ML: 223, MR: 222, NE: 227, NG: 234,
  RW: 250, ST: 239, SN: 221, SL: 232, TD: 235, TG: 228, BI: 257, DZ: 213, EG: 20, ET: 251, KE: 254,
  MA: 212, ZA: 27, TZ: 255, TN: 216, UG: 256, BE: 32, CA: 1, CH: 41, DE: 49, ES: 34, FR: 33, GB: 44,
  IT: 39, PT: 351, US: 1,
};

/** The time zones of these countries that have but a few, by the end of their names. */
const CITIES = {
  BJ: "Porto-Novo", BF: "Ouagadougou", CM: "Douala", CV: "Cape_Verde", CF: "Bangui", KM: "Comoro", CG: "Brazzaville",
  CD: "Kinshasa Lubumbashi", CI: "Abidjan", DJ: "Djibouti", GA: "Libreville", GM: "Banjul", GH: "Accra", GN: "Conakry",
  GW: "Bissau", GQ: "Malabo", LR: "Monrovia", MG: "Antananarivo", ML: "Bamako", MR: "Nouakchott", NE: "Niamey",
  NG: "Lagos", RW: "Kigali", ST: "Sao_Tome", SN: "Dakar", SL: "Freetown", TD: "Ndjamena", TG: "Lome", BI: "Bujumbura",
  DZ: "Algiers", EG: "Cairo", ET: "Addis_Ababa", KE: "Nairobi", MA: "Casablanca", ZA: "Johannesburg",
  TZ: "Dar_es_Salaam", TN: "Tunis", UG: "Kampala", BE: "Brussels", CH: "Zurich", DE: "Berlin", ES: "Madrid Ceuta Canary",
  FR: "Paris", GB: "London", IT: "Rome", PT: "Lisbon Azores Madeira",
};

/** `[[country, name, code]]` in the order of the language's alphabet. */
export function listCountries(language) {
  const names = new Intl.DisplayNames([language], { type: "region" });
  return Object.entries(COUNTRIES)
    .map(([country, code]) => [country, names.of(country), code])
    .sort((one, other) => one[1].localeCompare(other[1], language));
}

/** The country of the browser's time zone, else the one that its languages name (`fr-CI`), or none:
 * telephones sold in Dakar speak the French of France. */
export function likelyCountry() {
  const city = Intl.DateTimeFormat().resolvedOptions().timeZone?.split("/").at(-1) ?? "";
  const here = Object.keys(CITIES).find((country) => CITIES[country].split(" ").includes(city));
  if (here) return here;
  const regions = navigator.languages.map((tag) => tag.split("-").at(-1).toUpperCase());
  return regions.find((region) => region in COUNTRIES) ?? "";
}

/** The country of a number that begins with `+` or `00`; of several, the one chosen already. */
export function countryOf(number, chosen) {
  const digits = number.replace(/[^\d+]/g, "").replace(/^(\+|00)/, "");
  const fits = (country) => digits.startsWith(String(COUNTRIES[country]));
  if (chosen && fits(chosen)) return chosen;
  return Object.keys(COUNTRIES).find(fits) ?? "";
}
