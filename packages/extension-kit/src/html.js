/** Markup that may stand in a page as it is. */
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

/** Markup from a template: every value in it is escaped, but for what `html` made itself. */
export function html(strings, ...values) {
  return new Html(String.raw({ raw: strings }, ...values.map(markupOf)));
}

/** Trusts a text as markup. Never with what a person has entered. */
export const raw = (text) => new Html(text);

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** What stands in a template for a value. Nothing stands for null, undefined and booleans, so that `condition && html...` works. */
export function markupOf(value) {
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return value.map(markupOf).join('');
  if (value === null || value === undefined || typeof value === 'boolean') return '';
  return String(value).replaceAll(/[&<>"']/g, (character) => entities[character]);
}
