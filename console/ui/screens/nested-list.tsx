import { useSyncExternalStore } from 'react';
import { Button } from '#console/ui/button.tsx';
import { LinkedText } from '#console/ui/linked-text.tsx';
import { LoadFailed, RereadFailed } from '#console/ui/load-failed.tsx';
import { ObjectLink } from '#console/ui/object-link.tsx';
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
  if (rows.error && shown.length === 0) return <LoadFailed error={rows.error} retry={rows.retry} />;
  if (!rows.isReady) return <Skeleton rows={4} />;
  if (shown.length === 0)
    return (
      <p className="quiet">
        <LinkedText text={screen.empty} />
      </p>
    );
  const values = shown.map(({ value }) => value);
  const { open } = screen;
  const columns = open
    ? screen.columns.map((column, at) => (at === 0 ? linked(column, open) : column))
    : screen.columns;
  return (
    <>
      {rows.error && <RereadFailed error={rows.error} retry={rows.retry} />}
      <Table rows={values} columns={columns} label={label} />
      {hasMore && <Button onPress={rows.loadMore}>{common.more}</Button>}
    </>
  );
}

type Target = { noun: string; id: string };

/** The column as a link to the row's page. */
const linked = (column: Column<Entity>, targetOf: (row: Entity) => Target | null): Column<Entity> => ({
  ...column,
  show: {
    ...column.show,
    draw: (row) => {
      const target = targetOf(row);
      const content = column.show.draw?.(row) ?? column.show.text(row);
      return target ? (
        <ObjectLink noun={target.noun} id={target.id}>
          {content}
        </ObjectLink>
      ) : (
        content
      );
    },
  },
});
