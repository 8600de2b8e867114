import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { column, valuesOf } from '#console/ui/screens/columns.ts';
import type { Column, Screens } from '#console/ui/screens/screen.ts';
import { SettingsPage } from '#console/ui/screens/settings-page.tsx';
import { numberText } from '#console/words/values.ts';
import { Retention, UpdateRetention } from './retention.documents.ts';
import { retentionWords as w } from './retention.words.ts';

type Settings = ResultOf<typeof Retention>['retention'];

const members = ['runDays', 'stepDays', 'logDays', 'auditDays'] as const;

const facts: Column<Settings>[] = [
  ...members.map((name): Column<Settings> =>
    column(
      name,
      format.text((settings) => (settings[name] === null ? w.forEver : w.days(numberText(settings[name])))),
    ),
  ),
  column(
    'updatedAt',
    format.text(({ updatedAt }) => (updatedAt === null ? w.defaults : '')),
  ),
];

export const retention: Screens = {
  page: () => (
    <SettingsPage
      title={w.title}
      document={Retention}
      read={(data) => data.retention}
      facts={facts}
      edit={(settings) => ({
        key: 'edit',
        saves: true,
        label: w.edit,
        document: UpdateRetention,
        confirm: () => w.editConfirm,
        form: { fields: members, initial: () => valuesOf<Settings>(...members)(settings) },
        done: w.saved,
      })}
    >
      <p className="quiet">{w.hint}</p>
    </SettingsPage>
  ),
};
