import { memo, type ReactNode } from 'react';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { TabStop } from '#console/ui/tab-stop.ts';
import { common } from '#console/words/common.words.ts';
import type { Row } from './row-list.ts';
import type { Entity } from './rows.ts';
import type { Format, ListScreen } from './screen.ts';

interface Props {
  noun: string;
  screen: ListScreen;
  row: Row<Entity>;
  index: number;
  /** Its place from the top, in pixels. */
  start: number;
  canSelect: boolean;
  isActive: boolean;
  /** Tab leads to its links; from row to row lead the arrows. */
  isTabStop: boolean;
  isSelected: boolean;
  open: (row: Entity) => void;
  toggle: (id: string) => void;
}

/** One row. It is drawn again only when its own values change, because a busy list changes hundreds of times a second. */
export const ListRow = memo(
  function ListRow({
    noun,
    screen,
    row,
    index,
    start,
    canSelect,
    isActive,
    isTabStop,
    isSelected,
    open,
    toggle,
  }: Props) {
    const target = screen.open === undefined ? { noun, id: row.id } : (screen.open?.(row.value) ?? null);
    const className = `list-row list-body${isActive ? ' list-active' : ''}${row.isGone ? ' list-gone' : ''}`;
    return (
      // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the grid around it has the keys
      <div
        id={`${noun}-row-${index}`}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={canSelect ? isSelected : undefined}
        className={className}
        style={{ transform: `translateY(${start}px)` }}
        onClick={() => (getSelection()?.isCollapsed !== false ? open(row.value) : undefined)}
      >
        {canSelect && (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- only keeps the click from the row
          <span role="gridcell" className="list-cell" onClick={(event) => event.stopPropagation()}>
            <input
              type="checkbox"
              tabIndex={-1}
              checked={isSelected}
              aria-label={common.selectRow(screen.columns[0]?.show.text(row.value) ?? row.id)}
              onChange={() => toggle(row.id)}
            />
          </span>
        )}
        <TabStop value={isTabStop}>
          {screen.columns.map(({ key, label, show }, column) => {
            const isLink = column === 0 && target !== null;
            return (
              <span
                key={key}
                role="gridcell"
                dir="auto"
                data-label={show.align || show.isFlag ? label : undefined}
                className={show.align ? 'list-cell list-cell-end' : 'list-cell'}
              >
                {isLink ? (
                  <ObjectLink noun={target.noun} id={target.id}>
                    {contentOf(show, row.value) || common.unnamed}
                  </ObjectLink>
                ) : (
                  contentOf(show, row.value)
                )}
              </span>
            );
          })}
        </TabStop>
      </div>
    );
  },
  (before, after) =>
    before.row === after.row &&
    before.start === after.start &&
    before.index === after.index &&
    before.isActive === after.isActive &&
    before.isTabStop === after.isTabStop &&
    before.isSelected === after.isSelected &&
    before.screen === after.screen,
);

/** Null where there is nothing to be read, of which a link cannot be made. */
const contentOf = ({ text, draw }: Format<Entity>, row: Entity): ReactNode =>
  text(row).trim() === '' && !draw ? null : (draw?.(row) ?? text(row));
