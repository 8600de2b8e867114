import { type Command, CommandError, type CommandValues, textOption } from '#bin/command.ts';
import { withVault } from '#bin/reach-database.ts';
import { readSettings } from '#bin/settings.ts';
import { declarations } from '#src/domains/domains.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { generateKey, keyVariable, type Purpose, purposes } from '#src/infra/vault/key-ring.ts';
import { rotateDataKeys, type Rotated } from '#src/infra/vault/rotation.ts';

export const generate: Command = {
  usage: '[options]',
  options: {},
  run(values, _positionals, io) {
    const key = generateKey();
    io.out(values.json === true ? `${JSON.stringify({ key })}\n` : `${key}\n`);
    return Promise.resolve(0);
  },
};

export const rotate: Command = {
  usage: '[options]',
  options: {
    purpose: { type: 'string', about: 'credentials or secrets; both by default.' },
    tenant: { type: 'string', about: 'One tenant only; every tenant by default.' },
  },
  async run(values, _positionals, io) {
    const wanted = readPurposes(values);
    const tenant = textOption(values, 'tenant');
    const say = (text: string) => values.json === true || io.out(text);
    const done = await withVault(readSettings(io), async ({ database, vault }) => {
      await vault.assertKeys();
      const rotated: Rotated[] = [];
      for (const purpose of wanted) {
        const tenants = (await tenantsWithKeys(database, purpose)).filter(
          (id) => tenant === undefined || id === tenant,
        );
        for (const [index, tenantId] of tenants.entries()) {
          const one = await rotateDataKeys(
            { database, vault },
            { tenantId, purpose, columns: declarations.sealedColumns },
          );
          rotated.push(one);
          say(
            `${purpose} ${index + 1}/${tenants.length}  ${tenantId}: ${one.resealed} resealed with data key ${one.version}\n`,
          );
        }
      }
      return rotated;
    });
    if (values.json === true) io.out(`${JSON.stringify({ rotated: done })}\n`);
    else if (tenant === undefined) io.out(closingLine(wanted, done.length));
    return 0;
  },
};

function readPurposes(values: CommandValues): readonly Purpose[] {
  const given = textOption(values, 'purpose');
  if (given === undefined) return purposes;
  const found = purposes.filter((purpose) => purpose === given);
  if (found.length === 0) throw new CommandError(`--purpose takes ${purposes.join(' or ')}.`, { exitCode: 2 });
  return found;
}

async function tenantsWithKeys({ system }: Database, purpose: Purpose): Promise<string[]> {
  const { rows } = await system.query<{ tenant_id: string }>(
    'SELECT DISTINCT tenant_id FROM data_keys WHERE purpose = $1 AND retired_at IS NULL ORDER BY tenant_id',
    [purpose],
  );
  return rows.map(({ tenant_id: id }) => id);
}

function closingLine(wanted: readonly Purpose[], count: number): string {
  if (count === 0) return 'Nothing is encrypted yet.\n';
  const variables = wanted.map((purpose) => `${keyVariable(purpose)}_PREVIOUS`);
  return `Done. No previous key is in use any more; ${variables.join(' and ')} may be emptied.\n`;
}

interface KeyUse {
  purpose: Purpose;
  key: string;
  state: 'current' | 'previous' | 'missing';
  tenants: number;
}

export const status: Command = {
  usage: '[options]',
  options: {},
  async run(values, _positionals, io) {
    const uses = await withVault(readSettings(io), async ({ database, rings }) => {
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
