import type { Block, Inline, Page } from './tree.ts';

/** A heading and the text below it. */
export interface Section {
  /** Empty for the text before the first heading. */
  anchor: string;
  heading: string;
  text: string;
}

export const inlineText = (children: readonly Inline[]): string =>
  children
    .map((child) => {
      if (typeof child === 'string') return child;
      if ('children' in child) return inlineText(child.children);
      return child.type === 'code' ? child.text : ' ';
    })
    .join('');

function blockText(block: Block): string {
  switch (block.type) {
    case 'heading':
    case 'paragraph':
    case 'line':
      return inlineText(block.children);
    case 'code':
      return block.text;
    case 'table':
      return [block.head, ...block.rows].map((cells) => cells.map(inlineText).join(' ')).join('\n');
    case 'list':
      return block.items.flat().map(blockText).join('\n');
    default:
      return block.blocks.map(blockText).join('\n');
  }
}

/** The plain text of a page by its headings, with single spaces. */
export function splitSections({ title, blocks }: Page): Section[] {
  const sections = [{ anchor: '', heading: title, texts: [] as string[] }];
  for (const block of blocks) {
    if (block.type === 'heading') sections.push({ anchor: block.id, heading: blockText(block), texts: [] });
    else sections.at(-1)?.texts.push(blockText(block));
  }
  return sections.map(({ texts, ...section }) => ({ ...section, text: texts.join(' ').replaceAll(/\s+/g, ' ') }));
}
