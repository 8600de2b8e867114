/** Markup that is inserted into a page unescaped. */
export declare class Html {
  private readonly text: string;
  constructor(text: string);
  toString(): string;
}

/** The values of a template: text and numbers are escaped; null, undefined and booleans are left out; lists are joined. */
export type HtmlValue = Html | string | number | bigint | boolean | null | undefined | readonly HtmlValue[];

/**
 * Markup from a template: every value in it is escaped, except markup from `html` itself. Put attributes in quotes: `<p title="${title}">`.
 */
export declare function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html;

/** Trusts a text as markup. Never use it with text that a person has entered. */
export declare function raw(text: string): Html;

/** The markup of a value in a template. */
export declare function markupOf(value: HtmlValue): string;
