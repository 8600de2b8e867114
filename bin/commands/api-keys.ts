import { CommandError, type CommandIo, type CommandValues, textOption, type Command } from '#bin/command.ts';
import { withDatabase } from '#bin/reach-database.ts';
import { readSettings } from '#bin/settings.ts';
import { collectDeclarations } from '#src/domains/declarations.ts';
import { domains } from '#src/domains/domains.ts';
import { type KeyDeps, createApiKey, rotateApiKey, revokeApiKey } from '#src/identity/api-keys/api-keys.service.ts';
import { type Actor, systemActor } from '#src/infra/deps.ts';
import { AppError, ValidationError } from '#src/infra/errors.ts';

const tenantOption = { tenant: { type: 'string', about: 'The tenant whose keys are meant.' } } as const;

/** Runs `work` on the keys of the tenant that the options name, in the database. */
const withKeys = <T>(
  values: CommandValues,
  io: CommandIo,
  work: (deps: KeyDeps, actor: Actor) => Promise<T>,
): Promise<T> => {
  const tenantId = textOption(values, 'tenant');
  if (tenantId === undefined) throw new CommandError('Name the tenant, with --tenant.', { exitCode: 2 });
  const keyScopes = collectDeclarations(domains).scopes.map(({ name }) => name);
  return withDatabase(readSettings(io), async (database) => {
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

/** The id of the key that a command names. */
function keyId([id, ...more]: readonly string[], name: string): bigint {
  if (id === undefined || more.length > 0 || !/^\d{1,18}$/.test(id)) {
    throw new CommandError(`Name one key by its id, as api-key list shows it: api-key ${name} 7 --tenant acme-shop`, {
      exitCode: 2,
    });
  }
  return BigInt(id);
}

export const create: Command = {
  usage: '--tenant <tenant> --name <name> --scope <scope> [options]',
  options: {
    ...tenantOption,
    name: { type: 'string', about: 'The integration that the key is of.' },
    scope: { type: 'string', multiple: true, about: 'What it may do, e.g. orders:read; * for everything.' },
    expires: { type: 'string', about: 'When it ends, e.g. 2027-01-01T00:00:00Z; by default it does not.' },
  },
  async run(values, positionals, io) {
    const name = textOption(values, 'name');
    const scopes = Array.isArray(values.scope) ? values.scope : [];
    const expires = textOption(values, 'expires');
    if (positionals.length > 0 || name === undefined || scopes.length === 0) {
      throw new CommandError(
        'Name the key and what it may do: api-key create --tenant acme-shop --name ERP --scope "*"',
        {
          exitCode: 2,
        },
      );
    }
    if (expires !== undefined && Number.isNaN(Date.parse(expires))) {
      throw new CommandError('--expires takes an instant, e.g. 2027-01-01T00:00:00Z.', { exitCode: 2 });
    }
    const expiresAt = expires === undefined ? null : new Date(expires);
    const made = await withKeys(values, io, (deps, actor) => createApiKey(deps, actor, { name, scopes, expiresAt }));
    const { id, prefix } = made.apiKey;
    io.out(
      values.json === true
        ? `${JSON.stringify({ id: Number(id), name, prefix, scopes, key: made.secret })}\n`
        : `${made.secret}\n`,
    );
    return 0;
  },
};

const listedAtMost = 1_000;

export const list: Command = {
  usage: '--tenant <tenant> [options]',
  options: tenantOption,
  async run(values, _positionals, io) {
    const keys = await withKeys(values, io, ({ database }, { tenantId }) =>
      database.reader(tenantId).apiKey.findMany({ where: { tenantId }, orderBy: { id: 'desc' }, take: listedAtMost }),
    );
    const rows = keys.map(({ id, name, prefix, scopes, expiresAt, lastUsedAt, revokedAt }) => ({
      id: Number(id),
      name,
      prefix,
      scopes,
      expires_at: expiresAt,
      last_used_at: lastUsedAt,
      revoked_at: revokedAt,
    }));
    if (values.json === true) {
      io.out(`${JSON.stringify({ keys: rows })}\n`);
    } else if (rows.length === 0) {
      io.out('The tenant has no API keys.\n');
    } else {
      for (const { id, name, prefix, scopes, ...at } of rows) {
        const state = at.revoked_at
          ? `revoked ${at.revoked_at.toISOString()}`
          : `${at.expires_at ? `until ${at.expires_at.toISOString()}, ` : ''}last used ${at.last_used_at?.toISOString() ?? 'never'}`;
        io.out(`${id}  ${name}  cw_${prefix}_...  ${scopes.join(',')}  ${state}\n`);
      }
    }
    return 0;
  },
};

export const rotate: Command = {
  usage: '<id> --tenant <tenant> [options]',
  options: {
    ...tenantOption,
    'overlap-hours': { type: 'string', about: 'Hours for which the old key stays good, 0 to 168; 24 by default.' },
  },
  async run(values, positionals, io) {
    const id = keyId(positionals, 'rotate');
    const overlapHours = Number(textOption(values, 'overlap-hours') ?? 24);
    if (!Number.isInteger(overlapHours)) {
      throw new CommandError('--overlap-hours takes whole hours, 0 to 168.', { exitCode: 2 });
    }
    const { apiKey, secret } = await withKeys(values, io, (deps, actor) =>
      rotateApiKey(deps, actor, id, { overlapHours }),
    );
    io.out(
      values.json === true
        ? `${JSON.stringify({ id: Number(apiKey.id), name: apiKey.name, key: secret })}\n`
        : `${secret}\n`,
    );
    return 0;
  },
};

export const revoke: Command = {
  usage: '<id> --tenant <tenant> [options]',
  options: tenantOption,
  async run(values, positionals, io) {
    const id = keyId(positionals, 'revoke');
    const { name, prefix, revokedAt } = await withKeys(values, io, (deps, actor) => revokeApiKey(deps, actor, id));
    const key = { id: Number(id), name, prefix, revoked_at: revokedAt };
    io.out(values.json === true ? `${JSON.stringify({ key })}\n` : `Revoked cw_${prefix}_... of ${name}.\n`);
    return 0;
  },
};
