import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useQuery, type TypedDocumentNode } from 'urql';
import { LoadFailed, RereadFailed } from '#console/ui/load-failed.tsx';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { ActionPanel } from './action-panel.tsx';
import type { Action } from './action.ts';
import { Facts } from './facts.tsx';
import type { AddressValues } from './filters.ts';
import { useMayRun } from './may-run.ts';
import { NotOffered } from './not-offered.tsx';
import { PageActions } from './page-actions.tsx';
import type { Column } from './screen.ts';

interface Props<Data, Settings> {
  title: string;
  document: TypedDocumentNode<Data, Record<string, never>>;
  read: (data: Data) => Settings;
  facts: readonly Column<Settings>[];
  /** Changes them, with the settings that are there. */
  edit: (settings: Settings) => Action<null>;
  /** Drawn above the facts. */
  children?: ReactNode;
}

/** A page of settings that exist once for the tenant, with the form that changes them. */
export function SettingsPage<Data, Settings>({ title, document, read, facts, edit, children }: Props<Data, Settings>) {
  const address: AddressValues = useSearch({ strict: false });
  const navigate = useNavigate();
  const [{ data, error }, reload] = useQuery({ query: document, variables: {}, requestPolicy: 'cache-and-network' });
  const again = () => reload({ requestPolicy: 'network-only' });
  const mayRun = useMayRun();
  const setDoing = (key: string | undefined) => void navigate({ to: '.', search: () => ({ do: key }) });
  if (error && !data) return <LoadFailed error={error} retry={again} />;
  if (!data) return <Skeleton rows={5} />;
  const settings = read(data);
  const action = edit(settings);
  const mayEdit = mayRun(action.document);
  return (
    <div className="detail-page">
      <header className="page-head">
        <div className="page-title">
          <PageHeading text={title} />
          <PageActions
            actions={mayEdit ? [{ key: action.key, label: action.label, run: () => setDoing(action.key) }] : []}
          />
        </div>
      </header>
      <NotOffered doing={address['do']} declared={[action]} offered={mayEdit ? [action] : []} />
      {error && <RereadFailed error={error} retry={again} />}
      <div className="with-panel">
        <div className="detail-sections">
          {children}
          <Facts facts={facts} object={settings} />
        </div>
        {mayEdit && address['do'] === action.key && (
          <ActionPanel action={action} object={null} close={() => setDoing(undefined)} done={again} />
        )}
      </div>
    </div>
  );
}
