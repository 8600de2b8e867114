import { useNavigate, useSearch } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { Button } from '#console/ui/button.tsx';
import * as format from '#console/ui/formats.tsx';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { ActionPanel } from '#console/ui/screens/action-panel.tsx';
import { column, member, valuesOf } from '#console/ui/screens/columns.ts';
import { Facts } from '#console/ui/screens/facts.tsx';
import type { AddressValues } from '#console/ui/screens/filters.ts';
import type { Column, Screens } from '#console/ui/screens/screen.ts';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { CommerceSettings, UpdateCommerceSettings } from './commerce-settings.documents.ts';

type Settings = ResultOf<typeof CommerceSettings>['commerceSettings'];

const facts: Column<Settings>[] = [
  member('priceStrategy', format.word),
  member('taxRounding', format.word),
  column(
    'creditWorkflowId',
    format.link(
      'workflows',
      (settings) => settings.creditWorkflow,
      (settings) => settings.creditWorkflow?.name,
    ),
  ),
  member('creditFallback', format.word),
  member('creditTimeoutMs', format.duration),
];

function SettingsPage() {
  const address: AddressValues = useSearch({ strict: false });
  const navigate = useNavigate();
  const [{ data, error }, reload] = useQuery({ query: CommerceSettings, requestPolicy: 'cache-and-network' });
  const read = () => reload({ requestPolicy: 'network-only' });
  const settings = data?.commerceSettings;
  const setDoing = (key: string | undefined) => void navigate({ to: '.', search: () => ({ do: key }) });
  if (error && !settings) return <LoadFailed error={error} retry={read} />;
  if (!settings) return <Skeleton rows={5} />;
  return (
    <div className="detail-page">
      <header className="page-head">
        <div className="page-title">
          <h1>{w.commerceSettings}</h1>
          <span className="page-actions">
            <Button onPress={() => setDoing('edit')}>{w.editSettings}</Button>
          </span>
        </div>
      </header>
      <div className="with-panel">
        <div className="detail-sections">
          <Facts facts={facts} object={settings} />
        </div>
        {address['do'] === 'edit' && (
          <ActionPanel action={editAction(settings)} object={null} close={() => setDoing(undefined)} done={read} />
        )}
      </div>
    </div>
  );
}

const editAction = (settings: Settings) => ({
  key: 'edit',
  label: w.editSettings,
  document: UpdateCommerceSettings,
  form: {
    fields: ['priceStrategy', 'taxRounding', 'creditWorkflowId', 'creditFallback', 'creditTimeoutMs'],
    lookups: { creditWorkflowId: 'workflows' },
    initial: () => ({
      ...valuesOf<Settings>('priceStrategy', 'taxRounding', 'creditFallback', 'creditTimeoutMs')(settings),
      ...(settings.creditWorkflow && { creditWorkflowId: settings.creditWorkflow.id }),
    }),
  },
  done: w.saved,
});

export const commerceSettings: Screens = { page: () => <SettingsPage /> };
