import { Lexer, type MarkedToken, type Token } from 'marked';
import { inlineText } from '#console/docs/sections.ts';
import type { Block, Inline } from '#console/docs/tree.ts';
import { headingIds } from './heading-ids.ts';

/** What a link's address leads to; null leaves its text alone. */
export type LinkTarget = { page: string; anchor?: string } | { href: string } | null;

/** How the reader of a page resolves its links, and where it reports what it cannot read. */
export interface Reading {
  resolve: (href: string) => LinkTarget;
  fault: (message: string) => void;
}

/** Comments are for those who edit the file. */
const comment = /^<!--[^]*-->\s*$/;
const anchor = /^<a id="([^"]+)">$/;

/** Reads Markdown with the tables of GitHub. Tokens that the console cannot draw are reported, and read as text. */
export function readMarkdown(text: string, reading: Reading): Block[] {
  const nextId = headingIds();

  const blocks = (tokens: readonly Token[]): Block[] => tokens.flatMap((token) => block(token as MarkedToken));

  function block(token: MarkedToken): Block[] {
    switch (token.type) {
      case 'space':
        return [];
      case 'heading':
        return [heading(token.depth, inlines(token.tokens))];
      case 'paragraph':
        return [{ type: 'paragraph', children: inlines(token.tokens) }];
      case 'text':
        return [{ type: 'line', children: inlines(token.tokens ?? [token]) }];
      case 'code':
        return [{ type: 'code', info: token.lang ?? '', text: token.text }];
      case 'table':
        return [
          {
            type: 'table',
            align: token.align,
            head: token.header.map((cell) => inlines(cell.tokens)),
            rows: token.rows.map((row) => row.map((cell) => inlines(cell.tokens))),
          },
        ];
      case 'list': {
        const items = token.items.map((item) => blocks(item.tokens));
        return [{ type: 'list', ...(token.ordered && { start: Number(token.start) }), items }];
      }
      case 'blockquote':
        return [{ type: 'quote', blocks: blocks(token.tokens) }];
      case 'html':
        return comment.test(token.raw) ? [] : unknownBlock(token);
      default:
        return unknownBlock(token);
    }
  }

  const inlines = (tokens: readonly Token[]): Inline[] => tokens.flatMap((token) => inline(token as MarkedToken));

  function inline(token: MarkedToken): Inline[] {
    switch (token.type) {
      case 'text':
      case 'escape':
        if (/&#?\w+;/.test(token.text)) reading.fault(`write ${token.text} without character references`);
        return [token.text];
      case 'codespan':
        return [{ type: 'code', text: token.text }];
      case 'strong':
        return [{ type: 'strong', children: inlines(token.tokens) }];
      case 'em':
        return [{ type: 'emphasis', children: inlines(token.tokens) }];
      case 'br':
        return [{ type: 'break' }];
      case 'link':
        return link(token.href, inlines(token.tokens));
      case 'html': {
        const [, id] = anchor.exec(token.raw) ?? [];
        if (id !== undefined) return [{ type: 'anchor', id }];
        if (token.raw === '</a>' || comment.test(token.raw)) return [];
        return unknown(token);
      }
      default:
        return unknown(token);
    }
  }

  function link(href: string, children: Inline[]): Inline[] {
    const target = reading.resolve(href);
    if (!target) return children;
    return 'href' in target
      ? [{ type: 'outside', href: target.href, children }]
      : [{ type: 'link', ...target, children }];
  }

  function heading(depth: number, children: Inline[]): Block {
    return { type: 'heading', depth, id: nextId(inlineText(children)), children };
  }

  const unknownBlock = (token: Token): Block[] => [{ type: 'paragraph', children: unknown(token) }];

  function unknown({ type, raw }: Token): string[] {
    reading.fault(`the console cannot draw ${type}: ${raw.trim()}`);
    return [raw];
  }

  return blocks(new Lexer({ gfm: true }).lex(text));
}
