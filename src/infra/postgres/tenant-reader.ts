import type { PrismaClient } from '#prisma/client.ts';

/** A Prisma client whose every operation runs in a transaction that sees one tenant. */
export type TenantReader = ReturnType<typeof createReader>;

const maxRemembered = 1_000;

/** Makes the readers of tenants. */
export const createReaders = (client: PrismaClient): ((tenantId: string) => TenantReader) =>
  rememberReaders((tenantId) => createReader(client, tenantId));

/** Remembers the readers that `make` makes: making one takes longer than a read. */
export function rememberReaders(make: (tenantId: string) => TenantReader): (tenantId: string) => TenantReader {
  const readers = new Map<string, TenantReader>();
  return (tenantId) => {
    let reader = readers.get(tenantId);
    if (!reader) {
      if (readers.size >= maxRemembered) readers.clear();
      readers.set(tenantId, (reader = make(tenantId)));
    }
    return reader;
  };
}

function createReader(client: PrismaClient, tenantId: string) {
  return client.$extends({
    query: {
      $allModels: {
        async $allOperations({ args, query }) {
          const scope = client.$executeRaw`SELECT set_config('causeway.tenant_id', ${tenantId}, true)`;
          const [, answer] = await client.$transaction([scope, query(args) as never]);
          return answer;
        },
      },
    },
  });
}
