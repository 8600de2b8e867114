import { expectSame, type Feature, Missing, readValue } from './feature.ts';

/** The most connections that one API process (23) and one worker (26) open with the default pools; see docs/database.md. */
const leastConnections = 49;
const oldestVersion = 15;

/** The server itself: its version, whether it takes writes, and whether it keeps them. */
export const serverFeatures: readonly Feature[] = [
  {
    name: `Postgres ${oldestVersion} or later`,
    breaks: 'Migrations use what earlier versions do not know.',
    async ask({ first }) {
      const version = Number(await readValue(first, `SELECT current_setting('server_version_num')`));
      if (version < oldestVersion * 10_000) throw new Missing(`It is version ${Math.floor(version / 10_000)}.`);
    },
  },
  {
    name: 'a server that takes writes',
    breaks: 'A standby only reads. Connect to the primary.',
    async ask({ first }) {
      expectSame(await readValue(first, 'SELECT pg_is_in_recovery()'), false, 'The server is a standby');
      expectSame(await readValue(first, 'SHOW transaction_read_only'), 'off', 'Transactions only read');
    },
  },
  {
    name: 'text in UTF-8',
    breaks: 'Names and payloads in other scripts could not be stored.',
    ask: async ({ first }) =>
      expectSame(await readValue(first, 'SHOW server_encoding'), 'UTF8', 'Text is stored otherwise'),
  },
  {
    name: "the server's identity (pg_control_system, pg_walfile_name)",
    breaks: 'After a failover that lost commits, or a restore, ids may be given a second time.',
    isOptional: true,
    async ask({ first }) {
      await readValue(first, 'SELECT system_identifier::text FROM pg_control_system()');
      await readValue(first, 'SELECT pg_walfile_name(pg_current_wal_lsn())');
    },
  },
  {
    name: 'commits that outlive a crash (fsync, full_page_writes, synchronous_commit)',
    breaks: 'What was acknowledged could be gone after the host loses power.',
    isOptional: true,
    async ask({ first }) {
      const text = `SELECT string_agg(name, ', ' ORDER BY name) FROM pg_settings
        WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'`;
      const off = await readValue(first, text);
      if (off !== null) throw new Missing(`Switched off: ${String(off)}.`);
    },
  },
  {
    name: `room for ${leastConnections} connections`,
    breaks: 'An API process and a worker with pools of the default size may open as many.',
    isOptional: true,
    async ask({ first }) {
      const text = `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int`;
      const room = Number(await readValue(first, text));
      if (room < leastConnections) throw new Missing(`There is room for ${room}.`);
    },
  },
];
