import { splitSections } from './sections.ts';
import type { Page } from './tree.ts';

/** The place of a page that has most of the words searched for. */
export interface Excerpt {
  /** Empty for the beginning of the page. */
  anchor: string;
  heading: string;
  /** Texts in their order; every second one is a word that was found. */
  parts: string[];
}

const length = 180;
const lead = 50;

/** `terms` are words in lower case, as the index has them. */
export function findExcerpt(page: Page, terms: readonly string[]): Excerpt {
  const words = terms
    .toSorted((a, b) => b.length - a.length)
    .map((term) => term.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}])(${words.join('|')})(?![\p{L}\p{N}])`, 'giu');
  let best = { score: -1, start: 0, anchor: '', heading: page.title, text: '' };
  for (const section of splitSections(page)) {
    const inHeading = distinct(section.heading.matchAll(pattern));
    const matches = [...section.text.matchAll(pattern)];
    for (const { index } of matches.length > 0 ? matches : [{ index: 0 }]) {
      const near = matches.filter((match) => match.index >= index && match.index < index + length - lead);
      const score = 2 * inHeading + distinct(near);
      if (score > best.score) best = { score, start: index, ...section };
    }
  }
  const { anchor, heading, text, start } = best;
  return { anchor, heading, parts: clip(text, start).split(pattern) };
}

const distinct = (matches: Iterable<RegExpMatchArray>): number =>
  new Set(Array.from(matches, ([word]) => word.toLowerCase())).size;

/** About `length` characters around `start`, in whole words. */
function clip(text: string, start: number): string {
  const from = start <= lead ? 0 : text.indexOf(' ', start - lead) + 1;
  const to = from + length >= text.length ? text.length : text.lastIndexOf(' ', from + length);
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`;
}
