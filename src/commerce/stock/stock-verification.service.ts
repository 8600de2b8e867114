import type { Deps } from '#src/infra/deps.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { inOneProcess } from '#src/infra/postgres/named-locks.ts';
import { type Difference, findDifferences, isCheckDue, findLastSku, recordCheck } from './stock-verification.store.ts';

/** The progress of a verification in a tenant, and the differences found since its last report. */
export interface Verified {
  tenantId: string;
  differences: Difference[];
  /** True if this was the last report of the tenant. */
  isLast: boolean;
}

/** Compares balances with the sums of the ledger and of the remaining reservations: of one tenant, or of all in turn. */
export async function* verifyStock(
  database: Pick<Database, 'global' | 'tenantQuery'>,
  only?: string,
): AsyncGenerator<Verified> {
  for await (const tenantId of only === undefined ? everyTenant(database) : [only]) {
    for (let after = '', isLast = false; !isLast;) {
      const upTo = await findLastSku(database, tenantId, after);
      isLast = upTo === null;
      yield { tenantId, differences: await findDifferences(database, tenantId, { after, upTo }), isLast };
      after = upTo ?? after;
    }
  }
}

async function* everyTenant({ global }: Pick<Database, 'global'>): AsyncGenerator<string> {
  for (let after = ''; ;) {
    const tenants = await global.tenant.findMany({
      where: { id: { gt: after } },
      orderBy: { id: 'asc' },
      take: 500,
      select: { id: true },
    });
    for (const { id } of tenants) yield id;
    const last = tenants.at(-1);
    if (!last) return;
    after = last.id;
  }
}

/** Verifies all tenants once a night, in the first process that gets to it; differences are logged and counted for the metrics. */
export async function verifyNightly(
  { database, log }: Pick<Deps, 'database' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  await inOneProcess(database, 'stock/verify', async () => {
    if (!(await isCheckDue(database.system))) return;
    let found = 0;
    for await (const { tenantId, differences } of verifyStock(database)) {
      if (signal.aborted) return;
      found += differences.length;
      if (differences.length > 0)
        log.warn(
          { tenantId, differences: differences.slice(0, 10), count: differences.length },
          'Stock balances differ from the sums of the ledger. `causeway stock verify` lists them.',
        );
    }
    await recordCheck(database.system, found);
  });
}
