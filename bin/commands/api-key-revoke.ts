import { keyIdOf, tenantOption, withKeys } from '#bin/api-keys.ts';
import type { Command } from '#bin/command.ts';
import { revokeApiKey } from '#src/identity/api-keys/api-keys.service.ts';

export const command: Command = {
  usage: '<id> --tenant <tenant> [options]',
  options: tenantOption,
  async run(values, positionals, io) {
    const id = keyIdOf(positionals, 'revoke');
    const { name, prefix, revokedAt } = await withKeys(values, io, (deps, actor) => revokeApiKey(deps, actor, id));
    const key = { id: Number(id), name, prefix, revoked_at: revokedAt };
    io.out(values.json === true ? `${JSON.stringify({ key })}\n` : `Revoked cw_${prefix}_... of ${name}.\n`);
    return 0;
  },
};
