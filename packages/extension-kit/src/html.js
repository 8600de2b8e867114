/** Markup that is inserted into a page unescaped. */
export class Html {
  #text;

  /** @param {string} text */
  constructor(text) {
    this.#text = text;
  }

  toString() {
    return this.#text;
  }
}

/** Markup from a template: every value in it is escaped, except markup from `html` itself. */
export function html(strings, ...values) {
  return new Html(String.raw({ raw: strings }, ...values.map(markupOf)));
}

/** Trusts a text as markup. Never use it with text that a person has entered. */
export const raw = (text) => new Html(text);

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The markup of a value in a template. Null, undefined and booleans give none, so that `condition && html...` works. */
export function markupOf(value) {
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return value.map(markupOf).join('');
  if (value === null || value === undefined || typeof value === 'boolean') return '';
  return String(value).replaceAll(/[&<>"']/g, (character) => entities[character]);
}
