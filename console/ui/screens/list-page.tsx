import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type SetStateAction, useMemo, useState } from 'react';
import { toAddressId } from '#console/ui/address-id.ts';
import { serverNow } from '#console/ui/clock.ts';
import { lazily } from '#console/ui/lazily.tsx';
import { type AddressValues, filterOf } from './filters.ts';
import { ListHead } from './list-head.tsx';
import { ListTable } from './list-table.tsx';
import { useOffered } from './may-run.ts';
import { orderOf } from './order.ts';
import type { RowList } from './row-list.ts';
import type { Entity } from './rows.ts';
import type { ListScreen } from './screen.ts';
import { useRows } from './use-rows.ts';

const ActionPanel = lazily(() => import('./action-panel.tsx').then(({ ActionPanel }) => ActionPanel<null>));
const NotOffered = lazily(() => import('./not-offered.tsx').then(({ NotOffered }) => NotOffered));
const BulkPanel = lazily(() => import('./bulk-panel.tsx').then(({ BulkPanel }) => BulkPanel));

/** A list of a noun: filters in the address, live rows, actions on many. */
export function ListPage({ noun, title, screen: declared }: { noun: string; title: string; screen: ListScreen }) {
  const screen = useOffered(declared);
  const address: AddressValues = useSearch({ strict: false });
  const { tenant = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const { filters = [], orders = {} } = screen;
  // Spans such as "last hour" are counted from when the filter was chosen, so that the list does not change by itself.
  const filterKey = JSON.stringify(filters.map(({ key }) => address[key]));
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the values of the filters alone
  const filter = useMemo(() => filterOf(filters, address, serverNow()), [filters, filterKey]);
  const orderBy = orderOf(orders, address['order']);
  const rows = useRows(declared, { ...(filter && { filter }), ...(orderBy && { orderBy }) });
  // Another filter begins without a selection, so that no action is taken on rows that are not shown.
  const [selection, setSelection] = useState({ of: rows.list, ids: nothing });
  const selected = selection.of === rows.list ? selection.ids : nothing;
  const setSelected = (change: SetStateAction<ReadonlySet<string>>) =>
    setSelection(({ of, ids }) => {
      const before = of === rows.list ? ids : nothing;
      return { of: rows.list, ids: typeof change === 'function' ? change(before) : change };
    });
  const setAddress = (changes: AddressValues, replace = true) =>
    void navigate({ to: '.', search: (previous: AddressValues) => compact({ ...previous, ...changes }), replace });
  const open = (row: Entity) => {
    const target = screen.open === undefined ? { noun, id: row.id } : screen.open?.(row);
    if (target)
      void navigate({ to: '/t/$tenant/$noun/$id', params: { tenant, noun: target.noun, id: toAddressId(target.id) } });
  };
  const doing = address['do'];
  const bulk = screen.bulk?.find(({ key }) => key === doing);
  const single = screen.actions?.find(({ key }) => key === doing);
  const close = () => setAddress({ do: undefined }, false);
  return (
    <div className="list-page">
      <ListHead {...{ noun, title, screen, address, setAddress, rows, selected, filter, orderBy }} />
      {doing && !bulk && !single && (
        <NotOffered doing={doing} declared={[...(declared.actions ?? []), ...(declared.bulk ?? [])]} />
      )}
      {screen.summary?.()}
      <div className="with-panel">
        <ListTable
          {...{
            noun,
            title,
            screen,
            rows,
            selected,
            setSelected,
            open,
            address,
            setAddress,
            isFiltered: filter !== undefined,
          }}
        />
        {bulk && <BulkPanel action={bulk} ids={shownOnly(selected, rows.list)} filter={filter ?? {}} close={close} />}
        {single && <ActionPanel action={single} object={null} close={close} />}
      </div>
    </div>
  );
}

const nothing: ReadonlySet<string> = new Set();

/** What is selected and still in the list, from which rows go when it is read again. */
const shownOnly = (selected: ReadonlySet<string>, list: RowList<Entity>): string[] =>
  list
    .state()
    .rows.filter(({ id }) => selected.has(id))
    .map(({ id }) => id);

const compact = (values: AddressValues): AddressValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));
