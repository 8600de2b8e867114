import pg from 'pg';
import { expect } from 'vitest';

/** Versions and statuses of each run, in the order in which they were written. */
export type History = Map<number, { version: number; status: string }[]>;

/** Makes the database itself record the changes of each run, in the transaction of the change. */
export async function recordHistory(url: string): Promise<() => Promise<History>> {
  await inDatabase(url, (client) =>
    client.query(`
      CREATE TABLE run_history (seq bigserial PRIMARY KEY, run_id bigint, version int, status text);
      CREATE FUNCTION record_run_history() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN
        IF TG_OP = 'INSERT' OR NEW.version <> OLD.version OR NEW.status <> OLD.status THEN
          INSERT INTO public.run_history (run_id, version, status) VALUES (NEW.id, NEW.version, NEW.status);
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER record_history AFTER INSERT OR UPDATE ON runs FOR EACH ROW EXECUTE FUNCTION record_run_history();`),
  );
  return async () => {
    const { rows } = await inDatabase(url, (client) =>
      client.query<{ run_id: string; version: number; status: string }>(
        'SELECT run_id, version, status FROM run_history ORDER BY seq',
      ),
    );
    const changes = Map.groupBy(rows, ({ run_id: id }) => Number(id));
    return new Map([...changes].map(([id, rows]) => [id, rows.map(({ version, status }) => ({ version, status }))]));
  };
}

async function inDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Versions increase by one, nothing follows an end, and a run is never claimed while it is held. */
export function expectLegal(history: History): void {
  const faults: unknown[] = [];
  for (const [id, changes] of history) {
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
