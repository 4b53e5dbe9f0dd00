// Countries to choose from, by calling code; every other number is written with its + and code.

export const COUNTRIES = {
  BJ: 229, BF: 226, CM: 237, CV: 238, CF: 236, KM: 269, CG: 242, CD: 243, CI: 225, DJ: 253, GA: 241,
  GM: 220, GH: 233, GN: 224, GW: 245, GQ: 240, LR: 231, MG: 261, ML: 223, MR: 222, NE: 227, NG: 234,
  RW: 250, ST: 239, SN: 221, SL: 232, TD: 235, TG: 228, BI: 257, DZ: 213, EG: 20, ET: 251, KE: 254,
  MA: 212, ZA: 27, TZ: 255, TN: 216, UG: 256, BE: 32, CA: 1, CH: 41, DE: 49, ES: 34, FR: 33, GB: 44,
  IT: 39, PT: 351, US: 1,
};

/** `[[country, name, code]]` in the order of the language's alphabet. */
export function listCountries(language) {
  const names = new Intl.DisplayNames([language], { type: "region" });
  return Object.entries(COUNTRIES)
    .map(([country, code]) => [country, names.of(country), code])
    .sort((one, other) => one[1].localeCompare(other[1], language));
}

/** The country that the browser's languages name (`fr-CI`), or none. */
export function likelyCountry() {
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
