import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { corePackage } from '#src/automation/core-nodes/core-package.ts';
import { openBuiltins } from '#src/automation/node-api/builtin-package.ts';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { commercePackage } from '#src/commerce/nodes/commerce-package.ts';
import { declarations } from '#src/domains/domains.ts';
import type { Deps } from '#src/infra/deps.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import type { Services } from '#src/infra/services.ts';
import { server } from './database.ts';

export interface TestInstallation {
  url: string;
  /** A superuser, whom row-level security does not stop. */
  superuser: pg.Client;
  drop: () => Promise<void>;
}

/** `plain` is no superuser, as where Postgres is a managed one. */
export type Owner = 'superuser' | 'plain';

/** The database of an installation with a number of its own, migrated from empty, with the nodes that come with the product. */
export async function makeInstallation(installation: number, owner: Owner): Promise<TestInstallation> {
  const name = `installation_${randomUUID().replaceAll('-', '')}`;
  const superuserUrl = inject('postgresUrl').replace('/postgres?', `/${name}?`);
  await server().query(`CREATE ROLE ${name} LOGIN; GRANT causeway_app, causeway_system TO ${name}`);
  await server().query(`CREATE DATABASE ${name}${owner === 'plain' ? ` OWNER ${name}` : ''}`);
  const url = owner === 'plain' ? superuserUrl.replace(/\/\/[^@]*@/, `//${name}@`) : superuserUrl;
  await migrate(url, declarations.jobs, { installation });
  const database = openDatabase({ url, poolSize: 2 });
  await registerBuiltinPackages({
    database,
    builtins: openBuiltins([corePackage, commercePackage({} as Deps, {} as Services)]),
  });
  await database.close();
  const superuser = new pg.Client({ connectionString: superuserUrl });
  await superuser.connect();
  return {
    url,
    superuser,
    async drop() {
      await superuser.end();
      await server().query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await server().query(`DROP ROLE ${name}`);
    },
  };
}
