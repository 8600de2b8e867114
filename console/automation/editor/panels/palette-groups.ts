import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { nodeKeywords } from '#console/automation/editor/node-keywords.words.ts';
import type { Definition } from '#console/automation/editor/node-shape.ts';

export interface PaletteGroup {
  label: string;
  definitions: readonly Definition[];
}

/** Those of the product by what they are for, then those of other packages by the name of the package. */
const labels: Readonly<Record<string, string>> = {
  ACTION: w.groupAction,
  TRANSFORM: w.groupTransform,
  CONTROL: w.groupControl,
  commerce: w.groupCommerce,
};

function groupKey({ slug, kind }: Definition): string {
  const namespace = slug.slice(0, slug.indexOf(':'));
  return namespace === 'core' ? kind : namespace;
}

/**
 * True if the name or the description of a node has the words of a text, in any order, or if the text is a synonym: `loop` finds "For
 * each". Slugs write `sales-order` and APIs `salesOrder` for what a person types as `sales order`.
 */
export function isWanted({ slug, name, description }: Definition, text: string): boolean {
  return hasWords(`${slug} ${name} ${description ?? ''} ${nodeKeywords[slug] ?? ''}`, text);
}

function hasWords(told: string, text: string): boolean {
  const words = text.trim().toLowerCase().split(/\s+/);
  return words.every((word) => told.toLowerCase().includes(word));
}

/** The node that Enter adds: of those that match the text, one whose name matches comes before one whose description does. */
export function bestOf(definitions: readonly Definition[], text: string): Definition | undefined {
  const wanted = text.trim().toLowerCase();
  const rank = ({ slug, name }: Definition): number => {
    const called = name.toLowerCase();
    if (called === wanted) return 0;
    if (called.startsWith(wanted)) return 1;
    if (hasWords(name, wanted) || hasWords(slug, wanted)) return 2;
    return (nodeKeywords[slug] ?? '').includes(wanted) ? 3 : 4;
  };
  return definitions.toSorted((one, other) => rank(one) - rank(other))[0];
}

const retryWords = w.retryWords.split('|');

/** Whether somebody looks for a node that tries again, which every node does by itself. */
export function isAboutRetry(text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return wanted.length >= 4 && retryWords.some((word) => word.startsWith(wanted) || wanted.includes(word));
}

/** Nodes in the groups of the palette; a group without nodes is left out. */
export function paletteGroups(definitions: readonly Definition[]): PaletteGroup[] {
  const byGroup = Map.groupBy(definitions, groupKey);
  const known = Object.keys(labels).filter((key) => byGroup.has(key));
  const others = [...byGroup.keys()].filter((key) => !(key in labels)).toSorted();
  return [...known, ...others].map((key) => ({ label: labels[key] ?? key, definitions: byGroup.get(key) ?? [] }));
}
