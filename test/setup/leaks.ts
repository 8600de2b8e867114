import pg from 'pg';
import { expect } from 'vitest';

const watched = ['ProcessWrap', 'TCPServerWrap', 'PipeServerWrap'];
const open = (): string[] => process.getActiveResourcesInfo().filter((name) => watched.includes(name));

/** Waits up to five seconds for `count` to reach zero, as what was told to close takes a moment; answers what is left. */
async function settled<T>(left: () => Promise<T[]>): Promise<T[]> {
  const deadline = Date.now() + 5_000;
  for (;;) {
    const found = await left();
    if (found.length === 0 || Date.now() > deadline) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Notes the servers and child processes that are open now; the answer fails if more are open when it is called. */
export function watchResources(): () => Promise<void> {
  const before = open();
  return async () => {
    const left = await settled(async () => open().slice(before.length));
    expect(left, 'servers or child processes that the file left open').toEqual([]);
  };
}

/** Fails if anything is still connected to the database. */
export async function expectNoConnections(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'leak-check' });
  await client.connect();
  try {
    const left = await settled(async () => {
      const { rows } = await client.query<{ application_name: string; query: string }>(
        `SELECT application_name, query FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      );
      return rows;
    });
    expect(left, 'connections that the file left open').toEqual([]);
  } finally {
    await client.end();
  }
}
