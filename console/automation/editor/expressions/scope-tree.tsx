import { useVirtualizer } from '@tanstack/react-virtual';
import { type DragEvent, type KeyboardEvent, useId, useRef, useState } from 'react';
import type { ScopeEntry } from './completions.ts';
import { expressionWords as w } from './expressions.words.ts';
import { rowAfterKey, rowName, type ScopeRow, scopeRows } from './scope-rows.ts';
import { shortJson } from './short-json.ts';

/** The kind of what is dragged from the tree: the path of an entry. */
export const pathKind = 'application/x-causeway-path';

const rowHeight = 22;
const shownCharacters = 120;

interface Props {
  entries: readonly ScopeEntry[];
  search: string;
  /** Puts a path into the field that has, or had, the focus. */
  insert: (path: string) => void;
  /** The mark beside an entry, such as "pinned". */
  mark: (entry: ScopeEntry) => string | undefined;
}

/** What can be read, as a tree. Only the rows in view are drawn. */
export function ScopeTree({ entries, search, insert, mark }: Props) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<string>();
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const rows = scopeRows(entries, { search, toggled });
  const found = rows.findIndex(({ entry }) => entry.path === chosen);
  const current = Math.max(found, 0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const toggle = ({ entry, hasMembers }: ScopeRow) => {
    if (!hasMembers) return;
    const next = new Set(toggled);
    if (!next.delete(entry.path)) next.add(entry.path);
    setToggled(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[current];
    const next = rowAfterKey(rows, current, event.key);
    if (next !== undefined) {
      setChosen(rows[next]?.entry.path);
      virtual.scrollToIndex(next, { align: 'auto' });
    } else if (event.key === 'Enter' && row) insert(row.entry.path);
    else if (['ArrowRight', 'ArrowLeft', ' '].includes(event.key) && row) toggle(row);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={scroller}
      className="json-scroller scope-scroller"
      role="tree"
      aria-label={w.data}
      aria-describedby={`${id}-keys`}
      tabIndex={0}
      aria-activedescendant={rows.length > 0 ? `${id}-${current}` : undefined}
      onKeyDown={onKeyDown}
      onFocus={() => (found === -1 ? setChosen(rows[0]?.entry.path) : undefined)}
    >
      <span id={`${id}-keys`} hidden>
        {w.treeKeys}
      </span>
      <div className="json-rows" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index] as ScopeRow;
          return (
            <ScopeRowLine
              key={row.entry.path}
              id={`${id}-${index}`}
              row={row}
              top={start}
              isChosen={row.entry.path === chosen}
              mark={mark(row.entry)}
              choose={() => {
                setChosen(row.entry.path);
                insert(row.entry.path);
              }}
              toggle={() => toggle(row)}
            />
          );
        })}
      </div>
    </div>
  );
}

function ScopeRowLine({
  id,
  row: { entry, hasMembers, isOpen },
  top,
  isChosen,
  mark,
  choose,
  toggle,
}: {
  id: string;
  row: ScopeRow;
  /** Pixels below the first row. */
  top: number;
  isChosen: boolean;
  mark: string | undefined;
  choose: () => void;
  toggle: () => void;
}) {
  const { path, depth, sample, type, hasMore } = entry;
  // Members below say that it is an object.
  const typeText = hasMembers && type === 'OBJECT' ? '' : (type?.toLowerCase() ?? '');
  const onDragStart = (event: DragEvent) => {
    event.dataTransfer.setData(pathKind, path);
    event.dataTransfer.setData('text/plain', `{{ ${path} }}`);
    event.dataTransfer.effectAllowed = 'copy';
  };
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the tree has the focus and the keys
    <div
      id={id}
      className="json-row scope-row"
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isChosen}
      aria-expanded={hasMembers ? isOpen : undefined}
      title={path}
      draggable
      onDragStart={onDragStart}
      // The field keeps the focus and its cursor.
      onMouseDown={(event) =>
        event.target instanceof Element && event.detail > 1 ? event.preventDefault() : undefined
      }
      onClick={choose}
      style={{ transform: `translateY(${top}px)`, paddingInlineStart: 4 + 16 * depth }}
    >
      <span
        className="json-mark"
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          toggle();
        }}
      >
        {hasMembers ? (isOpen ? '▾' : '▸') : ''}
      </span>
      <span className="json-name">{rowName(entry)}</span>
      <span className={sample === null ? 'json-size' : 'json-value'} dir="auto">
        {sample === null ? typeText : shortJson(sample, shownCharacters)}
        {hasMore && ' …'}
      </span>
      {mark && <span className="scope-mark">{mark}</span>}
    </div>
  );
}
