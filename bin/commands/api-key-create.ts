import { tenantOption, withKeys } from '#bin/api-keys.ts';
import { type Command, CommandError, textOf } from '#bin/command.ts';
import { createApiKey } from '#src/identity/api-keys/api-keys.service.ts';

export const command: Command = {
  usage: '--tenant <tenant> --name <name> --scope <scope> [options]',
  options: {
    ...tenantOption,
    name: { type: 'string', about: 'The integration that the key is of.' },
    scope: { type: 'string', multiple: true, about: 'What it may do, e.g. orders:read; * for everything. Repeatable.' },
    expires: { type: 'string', about: 'When it ends, e.g. 2027-01-01T00:00:00Z; by default it does not.' },
  },
  async run(values, positionals, io) {
    const name = textOf(values, 'name');
    const scopes = Array.isArray(values.scope) ? values.scope : [];
    const expires = textOf(values, 'expires');
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
