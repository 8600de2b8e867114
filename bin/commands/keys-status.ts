import type { Command } from '#bin/command.ts';
import { withVault } from '#bin/reach-database.ts';
import { settingsOf } from '#bin/settings.ts';
import { keyVariable, type Purpose, purposes } from '#src/infra/vault/key-ring.ts';

interface KeyUse {
  purpose: Purpose;
  key: string;
  state: 'current' | 'previous' | 'missing';
  tenants: number;
}

export const command: Command = {
  usage: '[options]',
  options: {},
  async run(values, _positionals, io) {
    const uses = await withVault(settingsOf(io), async ({ database, rings }) => {
      const { rows } = await database.system.query<{ purpose: Purpose; key: string; tenants: number }>(
        `SELECT purpose, kek_id AS key, count(DISTINCT tenant_id) AS tenants FROM data_keys WHERE retired_at IS NULL
         GROUP BY purpose, kek_id ORDER BY purpose, kek_id LIMIT 1000`,
      );
      const found = rows.map(({ purpose, key, tenants }): KeyUse => {
        const { current, keys } = rings[purpose];
        return { purpose, key, tenants, state: key === current ? 'current' : keys.has(key) ? 'previous' : 'missing' };
      });
      const unused = purposes.filter(
        (purpose) => !found.some((use) => use.purpose === purpose && use.state === 'current'),
      );
      return [
        ...found,
        ...unused.map((purpose): KeyUse => ({ purpose, key: rings[purpose].current, state: 'current', tenants: 0 })),
      ];
    });
    const lines = uses.map(
      ({ purpose, key, state, tenants }) =>
        `${purpose.padEnd(11)}  ${key}  ${state.padEnd(8)}  ${tenants} ${tenants === 1 ? 'tenant' : 'tenants'}\n`,
    );
    const missing = uses.filter(({ state }) => state === 'missing');
    const advice = missing.map(
      ({ purpose, key }) => `Put key ${key} into ${keyVariable(purpose)} or ${keyVariable(purpose)}_PREVIOUS.\n`,
    );
    io.out(values.json === true ? `${JSON.stringify({ keys: uses })}\n` : [...lines, ...advice].join(''));
    return missing.length > 0 ? 1 : 0;
  },
};
