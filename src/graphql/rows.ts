/** True if the value is a row with these columns: identifies a plain object's type for `node`. */
export const isRow = (value: unknown, ...columns: string[]): value is object =>
  typeof value === 'object' && value !== null && columns.every((column) => column in value);
