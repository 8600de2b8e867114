import { common } from '#console/words/common.words.ts';
import type { AddressValues } from './filters.ts';
import { nextOrder } from './order.ts';
import type { Entity } from './rows.ts';
import type { Column, ListScreen } from './screen.ts';

/** The widths of the columns as a grid template. */
export const templateOf = (columns: readonly Column<Entity>[], canSelect: boolean): string =>
  [
    ...(canSelect ? ['28px'] : []),
    ...columns.map(({ width, show }) => width ?? show.width ?? 'minmax(96px, 1fr)'),
  ].join(' ');

interface Props {
  screen: ListScreen;
  canSelect: boolean;
  address: AddressValues;
  setAddress: (changes: AddressValues) => void;
}

const sorts = { [1]: 'ascending', [-1]: 'descending', [0]: 'none' } as const;

/** The heads of the columns; those by which the list can be ordered are buttons. */
export function ListColumns({ screen: { columns, orders = {} }, canSelect, address, setAddress }: Props) {
  const order = address['order'];
  return (
    <div className="list-columns" role="rowgroup">
      <div className="list-row" role="row" aria-rowindex={1}>
        {canSelect && (
          <span role="columnheader" className="list-cell">
            <span className="sr-only">{common.selection}</span>
          </span>
        )}
        {columns.map(({ key, label, show }) => {
          const direction = order === key ? 1 : order === `-${key}` ? -1 : 0;
          return (
            <span
              key={key}
              role="columnheader"
              aria-sort={orders[key] === undefined ? undefined : sorts[direction]}
              className={show.align ? 'list-cell list-cell-end' : 'list-cell'}
            >
              {orders[key] === undefined ? (
                label
              ) : (
                <button
                  type="button"
                  className="list-sort"
                  onClick={() => setAddress({ order: nextOrder(key, order) })}
                >
                  {label}
                  <span aria-hidden="true">{direction === 1 ? ' ↑' : direction === -1 ? ' ↓' : ''}</span>
                </button>
              )}
            </span>
          );
        })}
      </div>
    </div>
  );
}
