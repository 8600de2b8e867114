/** No document that people use holds aliases within aliases this deep; the call stack has room for more. */
const maxDepth = 1_000;

/** Values that a document has when each alias is written out; infinity if an alias holds itself. */
export function expandedSize(document: unknown): number {
  const sizes = new Map<object, number>();
  const measure = (value: unknown, depth: number): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    if (depth === maxDepth) return Infinity;
    // It stays so while the value is being measured.
    sizes.set(value, Infinity);
    let size = 1;
    for (const inner of Object.values(value)) size += measure(inner, depth + 1);
    sizes.set(value, size);
    return size;
  };
  return measure(document, 0);
}
