import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiKey, type KeyDeps, revokeApiKey } from '#src/identity/api-keys/api-keys.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { demoOrg, demoTenant } from './demo-workflow.ts';

const name = 'Demo ERP';
const actor = systemActor(demoOrg.id, demoTenant.id);

/** The file in which the stand-in ERP finds its API key. */
export const erpKeyFile = (dataDir: string): string => join(dataDir, 'demo-erp-key');

/**
 * Creates an API key of the demo tenant for the stand-in ERP and stores it in `dataDir`, unless the file exists. A key is shown once, so
 * the key of a lost file is replaced.
 */
export async function keepErpKey(deps: KeyDeps, dataDir: string): Promise<void> {
  const file = erpKeyFile(dataDir);
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  const { database } = deps;
  if (isThere || (await database.global.tenant.count({ where: { id: demoTenant.id } })) === 0) return;
  const lost = await database.withTenant(demoTenant.id, (tx) =>
    tx.apiKey.findMany({ where: { name, revokedAt: null } }),
  );
  for (const { id } of lost) await revokeApiKey(deps, actor, id);
  const { secret } = await createApiKey(deps, actor, { name, scopes: ['orders:read', 'orders:write'] });
  await writeFile(file, secret, { mode: 0o600 });
}
