import { PoolerClient } from '#src/infra/postgres/connections/pooler-client.ts';
import { PrimaryGuard } from '#src/infra/postgres/connections/primary-guard.ts';
import { readServerAndDatabase } from '#src/infra/postgres/connections/server-session.ts';
import type { DatabaseRole } from '#src/infra/postgres/connections/session-settings.ts';
import { OutageError } from '#src/infra/postgres/outages.ts';
import { type Feature, Missing } from './feature.ts';

/** The URLs of poolers that a process would use. */
export interface AskedPoolers {
  appUrl: string;
  systemUrl: string;
}

const poolerFeature = (
  variable: 'DATABASE_APP_URL' | 'DATABASE_SYSTEM_URL',
  role: DatabaseRole,
  connectionString: string,
): Feature => ({
  name: `${variable}: transactions as ${role} on this database, with prepared statements`,
  breaks: 'No process starts with this pooler; see docs/database.md.',
  async ask({ first }) {
    const primary = new PrimaryGuard();
    primary.askDirectly = () => readServerAndDatabase(first);
    const entry = { variable, role, settings: {}, statementsTag: () => 'check' };
    const client = new PoolerClient({ connectionString, application_name: 'causeway-check', primary, entry });
    try {
      await client.connect();
      await client.query('SELECT 1');
    } catch (error) {
      throw error instanceof OutageError ? new Missing(error.message) : error;
    } finally {
      void client.end().catch(() => undefined);
    }
  },
});

/** What each pooler must do, beside what the server does. */
export const poolerFeatures = ({ appUrl, systemUrl }: AskedPoolers): Feature[] => [
  poolerFeature('DATABASE_APP_URL', 'causeway_app', appUrl),
  poolerFeature('DATABASE_SYSTEM_URL', 'causeway_system', systemUrl),
];
