import type pg from 'pg';
import { staleError } from './connections/database-client.ts';
import { collectEffects, type Notices } from './notices.ts';
import { awaitAll, Pipelined, type Tx } from './tx.ts';

const firstPlansMs = 500;
const longestPlansMs = 60_000;
const plansByClient = new WeakMap<pg.PoolClient, { until: number; forMs: number }>();

/**
 * Makes the prepared statements of a connection be planned again: soon after it opened, then at growing intervals. A plan is kept as it was
 * made, and one for an empty table or partition may use any index; once there were rows, a claim of 50 runs took 37 ms instead of 3.
 */
function renewPlans(client: pg.PoolClient): void {
  const now = performance.now();
  const plans = plansByClient.get(client);
  if (plans && now < plans.until) return;
  const forMs = plans ? Math.min(2 * plans.forMs, longestPlansMs) : firstPlansMs;
  plansByClient.set(client, { until: now + forMs, forMs });
  if (plans) client.query('DISCARD PLANS').catch(() => undefined);
}

/** Runs `work` in one transaction on a connection of the pool. */
export function inTransaction<T>(
  pool: pg.Pool,
  notices: Notices,
  work: (tx: Tx) => Promise<T | Pipelined<T>>,
): Promise<T> {
  const { afterCommit, ...effects } = collectEffects(notices);
  return afterCommit(async () => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      // Sent with the first statement of `work`; its failure is awaited below.
      const begun = client.query('BEGIN');
      begun.catch(() => undefined);
      // Within the transaction: through a pooler, the plans are those of the session that the transaction has.
      renewPlans(client);
      const answer = await work({ query: client.query.bind(client), ...effects });
      await begun;
      const pending = answer instanceof Pipelined ? answer.result : Promise.resolve(answer);
      const [result] = await awaitAll([pending, client.query('COMMIT')]);
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
      // Statements sent behind a stale one fail as well, and may be reported first.
      throw staleError(client) ?? error;
    } finally {
      client.release(broken);
    }
  });
}
