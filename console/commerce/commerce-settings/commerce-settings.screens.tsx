import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { column, member, valuesOf } from '#console/ui/screens/columns.ts';
import type { Column, Screens } from '#console/ui/screens/screen.ts';
import { SettingsPage } from '#console/ui/screens/settings-page.tsx';
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

const editAction = (settings: Settings) => ({
  key: 'edit',
  saves: true,
  label: w.editSettings,
  document: UpdateCommerceSettings,
  form: {
    fields: ['priceStrategy', 'taxRounding', 'creditWorkflowId', 'creditFallback', 'creditTimeoutMs'],
    lookups: { creditWorkflowId: 'workflows' },
    asked: () => ({ creditWorkflowId: { help: w.creditWorkflowHelp } }),
    initial: () => ({
      ...valuesOf<Settings>('priceStrategy', 'taxRounding', 'creditFallback', 'creditTimeoutMs')(settings),
      ...(settings.creditWorkflow && { creditWorkflowId: settings.creditWorkflow.id }),
    }),
  },
  done: w.saved,
});

export const commerceSettings: Screens = {
  page: () => (
    <SettingsPage
      title={w.commerceSettings}
      document={CommerceSettings}
      read={(data) => data.commerceSettings}
      facts={facts}
      edit={editAction}
    />
  ),
};
