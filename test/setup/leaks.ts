import { expect } from 'vitest';
import { server } from './database.ts';

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

/** Fails if anything is still connected to the database of that name. */
export async function expectNoConnections(database: string): Promise<void> {
  const left = await settled(async () => {
    const { rows } = await server().query<{ application_name: string; query: string }>(
      `SELECT application_name, query FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`,
      [database],
    );
    return rows;
  });
  expect(left, 'connections that the file left open').toEqual([]);
}
