import type { Prisma } from '#prisma/client.ts';

/**
 * Waits for the named lock and holds it until the transaction ends; it works across processes. The name begins with its
 * purpose and, for a lock per tenant, ends with the tenant (`secrets/acme-shop`).
 */
export async function lockNamed(tx: Pick<Prisma.TransactionClient, '$executeRaw'>, name: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`causeway.${name}`}, 0))`;
}
