import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type Dispatch,
  type KeyboardEvent,
  type SetStateAction,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { LinkedText } from '#console/ui/linked-text.tsx';
import { LoadFailed, RereadFailed } from '#console/ui/load-failed.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { useMedia } from '#console/ui/use-media.ts';
import { common } from '#console/words/common.words.ts';
import { numberText } from '#console/words/values.ts';
import type { AddressValues } from './filters.ts';
import { ListColumns, templateOf } from './list-columns.tsx';
import { type Cursor, moveBy, placeOf } from './list-keys.ts';
import { ListRow } from './list-row.tsx';
import type { Entity } from './rows.ts';
import type { ListScreen } from './screen.ts';
import type { Rows } from './use-rows.ts';

interface Props {
  noun: string;
  title: string;
  screen: ListScreen;
  rows: Rows;
  selected: ReadonlySet<string>;
  setSelected: Dispatch<SetStateAction<ReadonlySet<string>>>;
  open: (row: Entity) => void;
  address: AddressValues;
  setAddress: (changes: AddressValues) => void;
  isFiltered: boolean;
}

/** The rows of a list. Only those in view are drawn; keys move, open and select. */
export function ListTable({
  noun,
  title,
  screen,
  rows,
  selected,
  setSelected,
  open,
  address,
  setAddress,
  isFiltered,
}: Props) {
  const { list, loadMore } = rows;
  const shown = useSyncExternalStore(list.subscribe, list.state);
  const scroller = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<Cursor & { of: typeof list }>();
  // Another filter begins without a cursor.
  const active = placeOf(cursor?.of === list ? cursor : undefined, shown.rows);
  const rowHeight = useMedia('(max-width: 640px)') ? 56 : 32;
  const virtual = useVirtualizer({
    count: shown.rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  useEffect(() => virtual.measure(), [virtual, rowHeight]);
  const lastShown = virtual.getVirtualItems().at(-1)?.index ?? 0;
  useEffect(() => {
    if (lastShown > shown.rows.length - 40) loadMore();
  }, [lastShown, shown.rows.length, loadMore]);

  const canSelect = screen.bulk !== undefined;
  const toggle = (id: string) =>
    setSelected((current) => {
      const next = new Set(current);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const row = shown.rows[active];
    const target = moveBy(event.key, active, shown.rows.length);
    if (target !== undefined) {
      setCursor({ of: list, id: shown.rows[target]?.id ?? '', index: target });
      virtual.scrollToIndex(target);
    } else if (event.key === 'Enter' && row) open(row.value);
    else if (event.key === ' ' && row && canSelect) toggle(row.id);
    else return;
    event.preventDefault();
  };
  // New rows are inserted immediately only at the top of the list and without a selection, so that no row moves under the reader.
  const isAtTop = useRef(true);
  const setCalm = () => {
    list.showsNew = isAtTop.current && active < 0 && selected.size === 0;
  };
  // Not after each change of a row: after one, reading the place makes the browser lay out the page a second time in a frame.
  const readPlace = () => {
    isAtTop.current = (scroller.current?.scrollTop ?? 0) < 8;
    setCalm();
  };
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- where another list begins
  useEffect(readPlace, [list, rows.isReady]);
  useEffect(setCalm);

  if (rows.error && shown.rows.length === 0)
    return <LoadFailed error={rows.error} retry={rows.retry} refused={isFiltered && common.unknownFilter} />;
  if (!rows.isReady) return <Skeleton rows={20} />;
  if (shown.rows.length === 0 && shown.waiting === 0)
    return <p className="empty">{isFiltered ? common.nothingMatches : <LinkedText text={screen.empty} />}</p>;
  return (
    <div className="list">
      {rows.error && <RereadFailed error={rows.error} retry={rows.retry} />}
      {shown.waiting > 0 && (
        <button type="button" className="list-waiting" onClick={() => list.showWaiting()}>
          {common.newRows(numberText(shown.waiting))}
        </button>
      )}
      <div
        ref={scroller}
        className="list-scroller"
        role="grid"
        tabIndex={0}
        aria-label={title}
        aria-rowcount={shown.hasMore ? -1 : shown.rows.length + 1}
        aria-multiselectable={canSelect}
        aria-activedescendant={active >= 0 ? `${noun}-row-${active}` : undefined}
        style={{ '--columns': templateOf(screen.columns, canSelect) } as React.CSSProperties}
        onKeyDown={onKeyDown}
        onScroll={readPlace}
      >
        <ListColumns {...{ screen, canSelect, address, setAddress }} />
        <div className="list-rows" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = shown.rows[index];
            if (!row) return null;
            return (
              <ListRow
                key={row.id}
                {...{ noun, screen, row, index, start, canSelect }}
                isActive={index === active}
                isTabStop={index === Math.max(active, 0)}
                isSelected={selected.has(row.id)}
                open={open}
                toggle={toggle}
              />
            );
          })}
        </div>
      </div>
      {shown.rows.length >= 10_000 && <p className="list-foot">{common.tooMany}</p>}
    </div>
  );
}
