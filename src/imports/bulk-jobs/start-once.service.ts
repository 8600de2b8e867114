import type { BulkJob } from '#prisma/client.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';

/** Starts a job unless one has the key, which is then answered as it is now. `start` stores the key with the job. */
export async function startOnce(
  tx: TenantTx,
  { tenantId, idempotencyKey }: { tenantId: string; idempotencyKey: string },
  start: () => Promise<BulkJob>,
): Promise<BulkJob> {
  await lockNamed(tx, `bulk-jobs/${idempotencyKey}/${tenantId}`);
  return (await tx.bulkJob.findFirst({ where: { tenantId, idempotencyKey } })) ?? start();
}
