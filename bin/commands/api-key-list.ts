import { tenantOption, withKeys } from '#bin/api-keys.ts';
import type { Command } from '#bin/command.ts';

const listedAtMost = 1_000;

export const command: Command = {
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
