import { useState, useSyncExternalStore } from 'react';
import { useClient } from 'urql';
import { LiveMark } from '#console/ui/live-mark.tsx';
import { notify } from '#console/ui/notices.ts';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { common } from '#console/words/common.words.ts';
import { numberText } from '#console/words/values.ts';
import { FilterBar } from './filter-bar.tsx';
import type { AddressValues } from './filters.ts';
import { type PageAction, PageActions } from './page-actions.tsx';
import { SavedViews } from './saved-views.tsx';
import type { ListScreen } from './screen.ts';
import type { Rows } from './use-rows.ts';

interface Props {
  noun: string;
  title: string;
  screen: ListScreen;
  address: AddressValues;
  setAddress: (changes: AddressValues, replace?: boolean) => void;
  rows: Rows;
  selected: ReadonlySet<string>;
  filter: Record<string, unknown> | undefined;
  orderBy: Record<string, unknown> | undefined;
}

/** Title, actions and filters of a list. */
export function ListHead({ noun, title, screen, address, setAddress, rows, selected, filter, orderBy }: Props) {
  const client = useClient();
  const [isSaving, setSaving] = useState(false);
  const { rows: shown } = useSyncExternalStore(rows.list.subscribe, rows.list.state);
  const count = shown.filter(({ id }) => selected.has(id)).length;
  const canRun = ({ allowed }: { allowed?: (row: never) => boolean }) =>
    count === 0 || shown.some(({ id, value }) => selected.has(id) && (allowed?.(value as never) ?? true));
  // While other rows are read, the buttons stay: one that goes between press and release takes the press with it.
  const [hadRows, setHadRows] = useState(false);
  const hasRows = rows.isReady ? shown.length > 0 : hadRows;
  if (hasRows !== hadRows) setHadRows(hasRows);
  const start = (key: string) => setAddress({ do: key }, false);
  const save = () => {
    setSaving(true);
    // Its code comes with the first press.
    void import('./list-csv.ts')
      .then(({ downloadCsv }) =>
        downloadCsv(client, screen, { ...(filter && { filter }), ...(orderBy && { orderBy }) }, noun),
      )
      .catch(() => void notify({ kind: 'failed', text: common.offlineError }))
      .finally(() => setSaving(false));
  };
  const bulk = (hasRows ? (screen.bulk ?? []) : []).filter(canRun).map(({ key, verb, isDanger }): PageAction => ({
    key,
    label: verb,
    kind: isDanger ? 'danger' : 'plain',
    run: () => start(key),
  }));
  const download: PageAction = { key: 'download', label: common.download, isBusy: isSaving, run: save };
  const own = (screen.actions ?? []).map(({ key, label }, index): PageAction => ({
    key,
    label,
    kind: screen.links || index > 0 ? 'plain' : 'main',
    run: () => start(key),
  }));
  const links = screen.links?.map(({ id, label }) => (
    <ObjectLink key={id} noun={noun} id={id} className="button button-main">
      {label}
    </ObjectLink>
  ));
  return (
    <header className="page-head">
      <div className="page-title">
        <PageHeading text={title} />
        {rows.isFollowed && !rows.error ? <LiveMark /> : <LiveMark readAt={rows.readAt} reload={rows.reload} />}
        <PageActions actions={[...bulk, download, ...own.toReversed()]} last={links}>
          {count > 0 && <span className="quiet">{common.selected(numberText(count))}</span>}
        </PageActions>
      </div>
      <div className="page-filters">
        <SavedViews {...{ noun, screen, address, setAddress, filter, orderBy }} />
        <FilterBar filters={screen.filters ?? []} address={address} setAddress={setAddress} />
      </div>
    </header>
  );
}
