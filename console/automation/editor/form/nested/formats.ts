/** Formats of whole numbers. */
export const integerFormats: ReadonlySet<string> = new Set(['integer', 'int32', 'int64']);
