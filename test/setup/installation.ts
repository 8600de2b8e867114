import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { corePackage } from '#src/automation/core-nodes/core-package.ts';
import { openBuiltins } from '#src/automation/node-api/builtin-package.ts';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { commercePackage } from '#src/commerce/nodes/commerce-package.ts';
import { declarations } from '#src/domains/domains.ts';
import type { Deps } from '#src/infra/deps.ts';
import { ensureDatabase } from '#src/infra/migrations/ensure-database.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import { server } from './database.ts';

export interface TestInstallation {
  url: string;
  /** Runs SQL as the owner, who may pass row-level security by `SET ROLE`. */
  owner: pg.Client;
  drop: () => Promise<void>;
}

/** The database of an installation with a number of its own, migrated from empty, with the nodes that come with the product. */
export async function makeInstallation(installation: number): Promise<TestInstallation> {
  const name = `installation_${randomUUID().replaceAll('-', '')}`;
  const url = inject('postgresUrl').replace('/postgres?', `/${name}?`);
  await ensureDatabase(inject('postgresUrl'), name);
  await migrate(url, declarations.jobs, { installation });
  const database = openDatabase({ url, poolSize: 2 });
  await registerBuiltinPackages({ database, builtins: openBuiltins([corePackage, commercePackage({} as Deps)]) });
  await database.close();
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  return {
    url,
    owner,
    async drop() {
      await owner.end();
      await server().query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}
