/** No real document nests aliases this deep, and the call stack has room for more. */
const maxDepth = 1_000;

/** Counts the values of a document with every alias written out; infinity if an alias contains itself. */
export function expandedSize(document: unknown): number {
  const sizes = new Map<object, number>();
  const measure = (value: unknown, depth: number): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    if (depth === maxDepth) return Infinity;
    // The size stays infinite while the value is being measured, which detects a cycle.
    sizes.set(value, Infinity);
    let size = 1;
    for (const inner of Object.values(value)) size += measure(inner, depth + 1);
    sizes.set(value, size);
    return size;
  };
  return measure(document, 0);
}
