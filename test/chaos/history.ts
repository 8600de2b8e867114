import pg from 'pg';
import { expect } from 'vitest';
import { channels, type RunNotice } from '#src/automation/runs/run-notices.service.ts';

/** Every change of every run, as it was told when it was committed. */
export interface History {
  /** Versions and statuses of a run, in the order of their commits. */
  of: Map<number, { version: number; status: string }[]>;
  close(): Promise<void>;
}

export async function recordHistory(url: string): Promise<History> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  const of: History['of'] = new Map();
  client.on('notification', ({ payload }) => {
    for (const [, id, , status, version] of JSON.parse(payload ?? '[]') as RunNotice[]) {
      of.set(id, [...(of.get(id) ?? []), { version, status }]);
    }
  });
  await client.connect();
  await client.query(`LISTEN ${channels.runs}`);
  return { of, close: () => client.end() };
}

/** Versions grow one by one, nothing follows an end, and a run is never claimed while it is held. */
export function expectLegal({ of }: History): void {
  const faults: unknown[] = [];
  for (const [id, changes] of of) {
    const versions = changes.map(({ version }) => version);
    const inOrder = versions.every((version, index) => version === index + 1);
    const ends = changes.filter(({ status }) => ['succeeded', 'failed', 'cancelled'].includes(status));
    const heldTwice = changes.some(
      ({ status }, index) => status === 'running' && changes[index - 1]?.status === 'running',
    );
    if (!inOrder || heldTwice || ends.length !== 1 || ends[0] !== changes.at(-1)) faults.push({ id, changes });
  }
  expect(faults).toEqual([]);
}
