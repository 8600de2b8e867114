import { startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';

// A process of its own that keeps a Postgres, for tests that kill the keeper.
const { pid } = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '', settings: { fsync: 'off' } });
process.send?.(pid);
