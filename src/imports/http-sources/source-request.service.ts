import { basename } from 'node:path';
import type { Deps } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { sourceSecrets } from './http-sources.service.ts';

/** The request of a worker to a source, and the name of its file. */
export const sourceRequest = (
  deps: Pick<Deps, 'database' | 'vault' | 'redactor'>,
  { tenantId, id }: { tenantId: string; id: number },
): Promise<{ url: string; name: string; headers: Readonly<Record<string, string>> }> =>
  deps.database.withTenantSql(tenantId, async (tx) => {
    const { rows } = await tx.query<{ url: string; name: string }>(
      'SELECT url, name FROM http_sources WHERE tenant_id = $1 AND id = $2',
      [tenantId, id],
    );
    const [source] = rows;
    if (!source) throw new NotFoundError('The HTTP source has been deleted.');
    const { url } = source;
    const name = basename(new URL(url).pathname).slice(0, 191) || source.name;
    return { url, name, headers: await sourceSecrets.read(deps, tx, { tenantId, id }) };
  });
