// The words of scripts in the language of the page, which brings them along (`script_words`). Each is named by its English.

/** @type {Record<string, string>} */
const translated = JSON.parse(document.getElementById("words")?.textContent ?? "{}");

/** Return a text in the language of the page. @param {string} text @param {Record<string, string>} [values] for the names in braces */
export function tr(text, values = {}) {
  return (translated[text] ?? text).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
