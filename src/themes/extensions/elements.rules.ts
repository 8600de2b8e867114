/** `customElements.define('acme-stars', ...)`, also in minified code that spells the name out. */
const defined = /\bcustomElements\s*\.\s*define\s*\(\s*(["'`])([^"'`\\\s]{1,100})\1/g;
const maxElements = 200;

/**
 * The custom elements that a module defines by a literal name, sorted. For reviewers: a module may also compute a name, which is known only
 * when it runs.
 */
export function findElements(source: string): string[] {
  const names = new Set<string>();
  for (const [, , name] of source.matchAll(defined)) {
    names.add(name as string);
    if (names.size >= maxElements) break;
  }
  return [...names].toSorted();
}
