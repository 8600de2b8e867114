import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useId, useMemo, useReducer, useRef, useState } from 'react';
import { common } from '#console/words/common.words.ts';
import { JsonBar } from './json/json-bar.tsx';
import { rowForKey } from './json/json-keys.ts';
import { JsonOutline, type JsonRow } from './json/json-outline.ts';
import { JsonRowLine } from './json/json-row-line.tsx';
import { JsonSearch } from './json/json-search.tsx';

const rowHeight = 22;
/** A text of fewer characters is seen without searching. */
const searchedFrom = 400;

interface Props {
  /** A parsed value; or give its text. */
  value?: unknown;
  /** JSON that is shown without being parsed. */
  text?: string;
  /** What paths begin with when they are copied. */
  root?: string;
  label?: string;
}

/** JSON as a tree: only the rows in view are drawn and only the levels that are open are read, so that megabytes cost little. */
export function JsonTree({ value, text, root = '$', label = 'JSON' }: Props) {
  const outline = useMemo(() => new JsonOutline(text ?? JSON.stringify(value ?? null)), [text, value]);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [chosen, setChosen] = useState<JsonRow>();
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const rows = outline.rows();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const current = chosen && rows.includes(chosen) ? chosen : undefined;
  const choose = (row: JsonRow) => {
    setChosen(row);
    redraw();
    const index = outline.rows().indexOf(row);
    if (index >= 0) requestAnimationFrame(() => virtual.scrollToIndex(index, { align: 'auto' }));
  };
  const toggle = (row: JsonRow) => {
    outline.setOpen(row, !outline.isOpen(row));
    setChosen(row);
    redraw();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = rowForKey(outline, current, event.key);
    if (!next) return;
    event.preventDefault();
    choose(next);
  };
  if (outline.hasMembers(outline.root) && outline.members(outline.root).length === 0)
    return <p className="quiet">{common.none}</p>;
  return (
    <div className="json">
      {outline.text.length >= searchedFrom && <JsonSearch outline={outline} choose={choose} redraw={redraw} />}
      <div
        ref={scroller}
        className="json-scroller"
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={current && `${id}-${current.start}-${current.depth}`}
        onKeyDown={onKeyDown}
        onFocus={() => current ?? setChosen(rows[0])}
      >
        <div className="json-rows" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index] as JsonRow;
            return (
              <JsonRowLine
                key={`${row.start}-${row.depth}`}
                id={`${id}-${row.start}-${row.depth}`}
                outline={outline}
                row={row}
                top={start}
                isChosen={row === current}
                choose={setChosen}
                toggle={toggle}
              />
            );
          })}
        </div>
      </div>
      {current && <JsonBar outline={outline} row={current} root={root} />}
    </div>
  );
}
