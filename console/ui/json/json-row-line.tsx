import { numberText } from '#console/words/values.ts';
import type { JsonOutline, JsonRow } from './json-outline.ts';

/** Longer values are cut; the bar below the tree has them whole. */
const shownCharacters = 300;

interface Props {
  id: string;
  outline: JsonOutline;
  row: JsonRow;
  /** Pixels below the first row. */
  top: number;
  isChosen: boolean;
  choose: (row: JsonRow) => void;
  toggle: (row: JsonRow) => void;
}

export function JsonRowLine({ id, outline, row, top, isChosen, choose, toggle }: Props) {
  const hasMembers = outline.hasMembers(row);
  const isOpen = outline.isOpen(row);
  const siblings = row.parent ? outline.members(row.parent).length : 1;
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the tree has the focus and the keys
    <div
      id={id}
      className="json-row"
      role="treeitem"
      aria-level={row.depth + 1}
      aria-setsize={siblings}
      aria-selected={isChosen}
      aria-expanded={hasMembers ? isOpen : undefined}
      style={{ transform: `translateY(${top}px)`, paddingInlineStart: 4 + 16 * row.depth }}
      onClick={() => (hasMembers ? toggle(row) : choose(row))}
    >
      <span className="json-mark" aria-hidden="true">
        {hasMembers ? (isOpen ? '▾' : '▸') : ''}
      </span>
      {row.key !== null && <span className="json-name">{row.key}</span>}
      {hasMembers ? <Size outline={outline} row={row} /> : <Value source={outline.text.slice(row.start, row.end)} />}
    </div>
  );
}

function Size({ outline, row }: { outline: JsonOutline; row: JsonRow }) {
  const [open, close] = outline.text[row.start] === '[' ? '[]' : '{}';
  return (
    <span className="json-size">
      {open}
      {numberText(outline.members(row).length)}
      {close}
    </span>
  );
}

function Value({ source }: { source: string }) {
  const kind = source.startsWith('"') ? 'string' : /^[tfn]/.test(source) ? 'word' : 'number';
  return (
    <span className={`json-value json-${kind}`} dir="auto">
      {source.length > shownCharacters ? `${source.slice(0, shownCharacters)}…` : source}
    </span>
  );
}
