import { CodeBlock } from './code-block.tsx';
import { PageLink } from './docs-link.tsx';
import { docsWords } from './docs.words.ts';
import { Inlines } from './inlines.tsx';
import type { Block } from './tree.ts';

/** The content of a page. Links of its headings lead to `page`. */
export function Blocks({ of, page }: { of: readonly Block[]; page: string }) {
  return of.map((block, index) => <Element key={index} of={block} page={page} />);
}

function Element({ of, page }: { of: Block; page: string }) {
  switch (of.type) {
    case 'heading':
      return <Heading of={of} page={page} />;
    case 'paragraph':
      return (
        <p>
          <Inlines of={of.children} />
        </p>
      );
    case 'line':
      return <Inlines of={of.children} />;
    case 'code':
      return <CodeBlock info={of.info} text={of.text} />;
    case 'table':
      return <Table of={of} />;
    case 'list': {
      const List = of.start === undefined ? 'ul' : 'ol';
      return (
        <List start={of.start}>
          {of.items.map((item, index) => (
            <li key={index}>
              <Blocks of={item} page={page} />
            </li>
          ))}
        </List>
      );
    }
    default:
      return (
        <blockquote>
          <Blocks of={of.blocks} page={page} />
        </blockquote>
      );
  }
}

type Of<T extends Block['type']> = Extract<Block, { type: T }>;

function Heading({ of: { depth, id, children }, page }: { of: Of<'heading'>; page: string }) {
  const Tag = depth <= 2 ? 'h2' : depth === 3 ? 'h3' : 'h4';
  return (
    <Tag id={id}>
      <Inlines of={children} />
      <PageLink page={page} anchor={id} className="docs-anchor" label={docsWords.section}>
        #
      </PageLink>
    </Tag>
  );
}

function Table({ of: { head, rows, align } }: { of: Of<'table'> }) {
  const side = (column: number) => (align[column] === 'right' ? 'end' : undefined);
  return (
    // A wide table scrolls in its own frame, by keyboard too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must take the focus
    <div className="docs-table" tabIndex={0} role="group" aria-label={docsWords.table}>
      <table>
        {head.some((cell) => cell.length > 0) && (
          <thead>
            <tr>
              {head.map((cell, column) => {
                const Cell = cell.length > 0 ? 'th' : 'td';
                return (
                  <Cell key={column} className={side(column)}>
                    <Inlines of={cell} />
                  </Cell>
                );
              })}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} className={side(column)}>
                  <Inlines of={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
