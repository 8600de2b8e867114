import { collectDeclarations } from '#src/domains/declarations.ts';
import { domains } from '#src/domains/domains.ts';
import type { KeyDeps } from '#src/identity/api-keys/api-keys.service.ts';
import { type Actor, systemActor } from '#src/infra/deps.ts';
import { AppError, ValidationError } from '#src/infra/errors.ts';
import { CommandError, type CommandIo, type CommandValues, textOf } from './command.ts';
import { withDatabase } from './reach-database.ts';
import { settingsOf } from './settings.ts';

export const tenantOption = { tenant: { type: 'string', about: 'The tenant whose keys are meant.' } } as const;

/** Does `work` on the keys of the tenant that the options name, in the database. */
export const withKeys = <T>(
  values: CommandValues,
  io: CommandIo,
  work: (deps: KeyDeps, actor: Actor) => Promise<T>,
): Promise<T> => {
  const tenantId = textOf(values, 'tenant');
  if (tenantId === undefined) throw new CommandError('Name the tenant, with --tenant.', { exitCode: 2 });
  const keyScopes = collectDeclarations(domains).scopes.map(({ name }) => name);
  return withDatabase(settingsOf(io), async (database) => {
    const tenant = await database.global.tenant.findUnique({ where: { id: tenantId } });
    if (!tenant) throw new CommandError(`There is no tenant ${tenantId}.`);
    try {
      return await work({ database, keyScopes }, systemActor(tenant.orgId, tenantId));
    } catch (error) {
      if (error instanceof ValidationError) throw new CommandError(Object.values(error.fields).flat().join('\n'));
      if (error instanceof AppError) throw new CommandError(error.message, { details: { code: error.code } });
      throw error;
    }
  });
};

/** The id of a key that a command was given. */
export function keyIdOf([id, ...more]: readonly string[], name: string): bigint {
  if (id === undefined || more.length > 0 || !/^\d{1,18}$/.test(id)) {
    throw new CommandError(`Name one key by its id, as api-key list shows it: api-key ${name} 7 --tenant acme-shop`, {
      exitCode: 2,
    });
  }
  return BigInt(id);
}
