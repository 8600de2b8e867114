import { useNavigate, useParams } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { toAddressId } from '#console/ui/address-id.ts';
import { Button } from '#console/ui/button.tsx';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { common } from '#console/words/common.words.ts';
import type { Entity } from './rows.ts';
import type { Column, ListScreen } from './screen.ts';
import { Table } from './table.tsx';
import { useRows } from './use-rows.ts';

/** A list inside the page of an object: the first rows, and more on demand. `variables` narrow it to the object. */
export function NestedList({
  screen,
  variables,
  label,
}: {
  screen: ListScreen;
  variables: Record<string, unknown>;
  label: string;
}) {
  const rows = useRows(screen, variables);
  const { rows: shown, hasMore } = useSyncExternalStore(rows.list.subscribe, rows.list.state);
  const navigate = useNavigate();
  const { tenant = '' } = useParams({ strict: false });
  if (rows.error && shown.length === 0) return <LoadFailed error={rows.error} retry={rows.reload} />;
  if (!rows.isReady) return <Skeleton rows={4} />;
  if (shown.length === 0) return <p className="quiet">{screen.empty}</p>;
  const values = shown.map(({ value }) => value);
  const opens = screen.open;
  const openPage = ({ noun, id }: { noun: string; id: string }) =>
    void navigate({ to: '/t/$tenant/$noun/$id', params: { tenant, noun, id: toAddressId(id) } });
  const columns = opens ? [...screen.columns, openColumn((row) => opens(row), openPage)] : screen.columns;
  return (
    <>
      <Table rows={values} columns={columns} label={label} />
      {hasMore && <Button onPress={rows.loadMore}>{common.more}</Button>}
    </>
  );
}

type Target = { noun: string; id: string };

/** A last column with a button that opens the row's page. */
const openColumn = (targetOf: (row: Entity) => Target | null, openPage: (target: Target) => void): Column<Entity> => ({
  key: 'open',
  label: common.open,
  hidesLabel: true,
  show: {
    text: () => '',
    draw: (row) => {
      const target = targetOf(row);
      return target && <Button onPress={() => openPage(target)}>{common.open}</Button>;
    },
  },
});
