import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type AskedServer, type Feature, Missing } from './feature.ts';
import { type AskedPoolers, poolerFeatures } from './pooler-features.ts';
import { roleFeatures } from './role-features.ts';
import { serverFeatures } from './server-features.ts';
import { sessionFeatures } from './session-features.ts';
import { tableFeatures } from './table-features.ts';

export const features: readonly Feature[] = [...serverFeatures, ...sessionFeatures, ...roleFeatures, ...tableFeatures];

/** Milliseconds for a connection, and for a statement of the check. */
const limitMs = 15_000;

export interface CheckedFeature extends Pick<Feature, 'name' | 'breaks'> {
  /** `risk`: the product works without it, but loses what `breaks` says. */
  outcome: 'present' | 'risk' | 'missing';
  /** What the server answered instead; absent where it does as it is asked. */
  instead?: string;
}

/**
 * Asks the server at `url`, as the owner of a database, for every feature that the product uses, and the poolers in front of it. It needs the right to create a schema, in
 * which it works, and leaves nothing behind. Throws if it cannot connect.
 */
export async function* checkDatabase(url: string, poolers?: AskedPoolers): AsyncGenerator<CheckedFeature> {
  const schema = `causeway_check_${randomUUID().slice(0, 8)}`;
  const opened: pg.Client[] = [];
  const open = async (options?: string): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'causeway-check',
      connectionTimeoutMillis: limitMs,
      query_timeout: limitMs,
      ...(options !== undefined && { options }),
    });
    // A connection that breaks fails the statement that waits for it.
    client.on('error', () => undefined);
    await client.connect();
    opened.push(client);
    return client;
  };
  try {
    const [first, second] = [await open(), await open()];
    // A standby has no schema to work in, which the features that need one then say.
    const isMade = await first.query(`CREATE SCHEMA ${schema}`).then(
      () => true,
      () => false,
    );
    const asked = poolers ? [...features, ...poolerFeatures(poolers)] : features;
    for (const feature of asked) yield await check(feature, { first, second, open, schema });
    if (isMade) await first.query(`DROP SCHEMA ${schema} CASCADE`);
  } finally {
    await Promise.all(opened.map((client) => client.end().catch(() => undefined)));
  }
}

async function check({ name, breaks, isOptional, ask }: Feature, server: AskedServer): Promise<CheckedFeature> {
  try {
    await ask(server);
    return { name, breaks, outcome: 'present' };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const instead = error instanceof Missing ? error.message : `The server answered: ${error.message}`;
    return { name, breaks, outcome: isOptional === true ? 'risk' : 'missing', instead };
  }
}
