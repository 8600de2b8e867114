import type { Prisma } from '#prisma/client.ts';

/**
 * Waits for a lock that a name stands for, and holds it until the transaction ends: one at a time, across processes. The name
 * begins with what it is for and ends with the tenant where it is one's own (`secrets/acme-shop`).
 */
export async function lockNamed(tx: Pick<Prisma.TransactionClient, '$executeRaw'>, name: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`causeway.${name}`}, 0))`;
}
