import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import type { PersonExport } from '#src/commerce/personal-data/export-person.service.ts';
import { test } from '#test/setup/app-test.ts';
import { tenantId, withWorld } from './person-world.ts';

test('customer export writes what every table says about a contact, and nothing of another', async ({
  ownApi: api,
}) => {
  let ann = 0;
  let order = 0;
  await withWorld(api, async ({ makePerson }) => {
    ({ contact: ann, order } = await makePerson('ann'));
    await makePerson('joann');
  });
  const cwd = await mkdtemp(join(tmpdir(), 'causeway-person-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const causeway = async (...argv: string[]) => {
    const said = { code: 0, out: '', err: '' };
    said.code = await runCauseway(['customer', ...argv], {
      out: (text) => void (said.out += text),
      err: (text) => void (said.err += text),
      env: { DATABASE_URL: api.databaseUrl },
      cwd,
    });
    return said;
  };

  const { code, out, err } = await causeway('export', tenantId, 'Ann@Example.com', '--json');
  expect({ code, out: code === 0 ? '' : out, err }).toEqual({
    code: 0,
    out: '',
    err: expect.stringMatching(/^Contacts: 1, orders: 1, /),
  });
  const about = JSON.parse(out) as PersonExport;
  expect(about).toMatchObject({
    tenant: tenantId,
    addresses: ['ann@example.com'],
    contacts: [{ id: ann, first_name: 'Ann' }],
    orders: [{ id: order, shipping_address: { city: 'Leipzig' }, order_positions: [{ sku: 'MUG' }] }],
  });
  expect(new Set(about.found.map(({ table }) => table))).toEqual(
    new Set([
      'audit_entries',
      'outbox_events',
      'runs',
      'run_payloads',
      'run_results',
      'steps',
      'run_log_lines',
      'dead_letter_payloads',
      'state_entries',
      'webhook_payloads',
      'webhook_attempts',
      'import_rows',
      'import_rejects',
    ]),
  );
  expect(out).not.toMatch(/joann/i);

  expect((await causeway('export', tenantId, String(ann), '--json')).out).toBe(out);
  // A file that others could read is private from then on.
  await writeFile(join(cwd, 'ann.json'), 'an older export', { mode: 0o644 });
  expect(await causeway('export', tenantId, 'ann@example.com', '--out', 'ann.json')).toMatchObject({
    code: 0,
    out: '',
  });
  expect(JSON.parse(await readFile(join(cwd, 'ann.json'), 'utf8'))).toEqual(about);
  expect((await stat(join(cwd, 'ann.json'))).mode & 0o777).toBe(0o600);

  expect(await causeway('export', tenantId, 'nobody@example.com')).toMatchObject({ code: 1 });
  expect(await causeway('export', tenantId, '999999')).toMatchObject({
    code: 1,
    err: 'Tenant acme-shop has no contact 999999.\n',
  });
  expect(await causeway('export', 'nowhere', 'ann@example.com')).toMatchObject({
    code: 1,
    err: 'There is no tenant nowhere.\n',
  });
  expect(await causeway('export', tenantId)).toMatchObject({ code: 2 });
  expect(await causeway('export', tenantId, 'ann@example.com', '--also', 'Ann')).toMatchObject({ code: 2 });
  // Another tenant has none of it.
  expect(await causeway('export', 'acme-outlet', 'ann@example.com')).toMatchObject({ code: 1 });
});
