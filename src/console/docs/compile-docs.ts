import { posix } from 'node:path';
import { inlineText } from '#console/docs/sections.ts';
import type { Block, Inline, Page } from '#console/docs/tree.ts';
import { type LinkTarget, readMarkdown } from './markdown-tree.ts';
import { pageName } from './page-names.ts';

export interface CompiledDocs {
  pages: Page[];
  /** Links that lead nowhere and Markdown that the console cannot draw, with the file and what to do. The test run fails for them. */
  faults: string[];
}

/**
 * Makes pages of Markdown files, by their paths from the root of the repository. Links between pages become links inside the console;
 * those to other files become text, as a server has no address for them. Files that are no pages, such as the README, are only checked.
 */
export function compileDocs(
  sources: ReadonlyMap<string, string>,
  hasFile: (path: string) => boolean = () => true,
): CompiledDocs {
  const faults: string[] = [];
  const links: { from: string; to: string; anchor: string }[] = [];

  const read = (file: string, text: string): Block[] =>
    readMarkdown(text, {
      resolve: (href) => resolve(file, href),
      fault: (message) => faults.push(`${file}: ${message}`),
    });

  function resolve(file: string, href: string): LinkTarget {
    if (/^https?:/.test(href)) return { href };
    const [path = '', anchor = ''] = href.split('#', 2);
    const to = path === '' ? file : posix.join(posix.dirname(file), path);
    links.push({ from: file, to, anchor });
    const page = sources.has(to) ? pageName(to) : undefined;
    return page === undefined ? null : { page, ...(anchor && { anchor }) };
  }

  const files = new Map([...sources].map(([file, text]) => [file, read(file, text)]));
  const anchors = new Map([...files].map(([file, blocks]) => [file, new Set(listAnchors(blocks))]));
  for (const { from, to, anchor } of links) {
    if (!sources.has(to) && !hasFile(to)) faults.push(`${from}: links to ${to}, which does not exist`);
    else if (anchor && anchors.get(to)?.has(anchor) === false)
      faults.push(`${from}: links to #${anchor} of ${to}, which has no such heading`);
  }

  const pages: Page[] = [];
  for (const [file, [title, ...blocks]] of files) {
    const name = pageName(file);
    if (name === undefined) continue;
    if (title?.type !== 'heading' || title.depth !== 1) faults.push(`${file}: begin with the title, as "# Title"`);
    else if (pages.some((page) => page.name === name))
      faults.push(`${file}: another file is the page ${name}; rename it`);
    else pages.push({ name, title: inlineText(title.children), blocks });
  }
  return { pages, faults };
}

/** Headings, and anchors without text. */
function listAnchors(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    switch (block.type) {
      case 'heading':
        return [block.id];
      case 'list':
        return listAnchors(block.items.flat());
      case 'quote':
        return listAnchors(block.blocks);
      case 'paragraph':
      case 'line':
        return block.children.flatMap(listInlineAnchors);
      default:
        return [];
    }
  });
}

const listInlineAnchors = (child: Inline): string[] =>
  typeof child === 'object' && child.type === 'anchor' ? [child.id] : [];
