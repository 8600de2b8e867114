/** What an expression makes of an item, or why it makes nothing of it. */
export type ItemResult = { value: unknown } | { reason: string };

/** The language of expressions, which another domain has. */
export interface Expressions {
  /** Why the text is not an expression over `item`; undefined where it is. */
  faultOf: (source: string) => string | undefined;
  /** Reads an expression once, to be evaluated for many items. */
  compile: (source: string) => (item: object) => Promise<ItemResult>;
}
