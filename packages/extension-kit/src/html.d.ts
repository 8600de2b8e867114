/** Markup that may stand in a page as it is. */
export declare class Html {
  private readonly text: string;
  constructor(text: string);
  toString(): string;
}

/** What a template takes: text and numbers are escaped; null, undefined and booleans are left out; lists are joined. */
export type HtmlValue = Html | string | number | bigint | boolean | null | undefined | readonly HtmlValue[];

/**
 * Markup from a template: every value in it is escaped, but for what `html` made itself. Put attributes in quotes:
 * `<p title="${title}">`.
 */
export declare function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html;

/** Trusts a text as markup. Never with what a person has entered. */
export declare function raw(text: string): Html;

/** What stands in a template for a value. */
export declare function markupOf(value: HtmlValue): string;
