import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createShop } from '#test/commerce/shop.ts';
import { inheritedEnv } from '#test/setup/child-env.ts';
import { fireRun, node, readRun, readyWorkflow, startTestEngine, untilRun } from '#test/setup/engine.ts';
import { openTwoInstallations, type Side, type TwoInstallations } from './two-installations.ts';

let two: TwoInstallations;
beforeAll(async () => {
  two = await openTwoInstallations('superuser');
  const shop = createShop(two.source.api);
  await shop.stocked('A-1', '10');
  await shop.place({ positions: [{ sku: 'A-1', quantity: '2', unitPrice: '9.90' }] });
});
afterAll(() => two.close());

const readTenants = async ({ superuser }: Side): Promise<string[]> =>
  (await superuser.query<{ id: string }>('SELECT id FROM tenants ORDER BY 1')).rows.map(({ id }) => id);

/** Exports acme-shop as a whole, does `work` with the archive, and leaves both installations as they were. */
async function withArchive(work: (archive: { folder: string; options: string[] }) => Promise<void>): Promise<void> {
  const archive = await two.makeArchive();
  expect(await two.causeway(two.source, 'tenant', 'export', 'acme-shop', ...archive.options, '--close')).toMatchObject({
    code: 0,
  });
  try {
    await work(archive);
  } finally {
    await two.causeway(two.target, 'tenant', 'forget', 'acme-shop');
    expect(await two.causeway(two.source, 'tenant', 'reopen', 'acme-shop', '--discard-archive')).toMatchObject({
      code: 0,
    });
  }
}

describe('an archive is refused before anything is written', () => {
  const damage: [why: string, change: (folder: string) => Promise<void>, message: string][] = [
    [
      'sealed with another key',
      (folder) => writeFile(join(folder, 'transfer.key'), randomBytes(32).toString('base64')),
      'the transfer key is another, or the file is damaged or was renamed',
    ],
    [
      'of another format',
      async (folder) => {
        const file = join(folder, 'rest/manifest.sealed');
        const bytes = await readFile(file);
        bytes.write('causeway-move 9', 'latin1');
        await writeFile(file, bytes);
      },
      'it has format 9, and this version reads format 1',
    ],
    [
      'with a file of something else',
      (folder) => writeFile(join(folder, 'rest/manifest.sealed'), 'hello, and more of it'),
      'it is no part of an archive of a tenant',
    ],
    [
      'cut off',
      async (folder) => {
        const file = join(folder, 'rest/manifest.sealed');
        await writeFile(file, (await readFile(file)).subarray(0, -20));
      },
      'it is cut off',
    ],
  ];
  test('where a file is damaged, or the key is another', async () => {
    await withArchive(async ({ folder }) => {
      for (const [why, change, message] of damage) {
        const copy = await mkdtemp(join(tmpdir(), 'causeway-move-'));
        await cp(folder, copy, { recursive: true });
        await change(copy);
        const answer = await two.causeway(
          two.target,
          'tenant',
          'import',
          '--folder',
          copy,
          '--key-file',
          join(copy, 'transfer.key'),
        );
        expect(answer, why).toMatchObject({ code: 1, err: expect.stringContaining(message) });
        expect(await readTenants(two.target), why).toEqual([]);
        await rm(copy, { recursive: true });
      }
    });
  });

  test('by an installation whose ids would meet those of the tenant', async () => {
    await withArchive(async ({ options }) => {
      expect(await two.causeway(two.source, 'tenant', 'import', ...options)).toMatchObject({
        code: 1,
        err: expect.stringContaining('A tenant moves only to a higher number'),
      });
    });
  });

  test('by an installation that lacks a node which the tenant uses, or has a tenant of that name', async () => {
    const { workflowId } = await readyWorkflow(two.source.api, { nodes: [node('only', 'set', { values: {} })] });
    await two.source.superuser.query(
      `UPDATE workflow_bundles SET content = jsonb_set(content, '{nodes}', '{"acme:label@1.0.0": {"version": "1.0.0", "codeHash": "abc"}}') WHERE workflow_id = $1`,
      [workflowId],
    );
    await withArchive(async ({ options }) => {
      expect(await two.causeway(two.target, 'tenant', 'import', ...options)).toMatchObject({
        code: 1,
        err: expect.stringContaining('Publish or install first:\n  the node acme:label@1.0.0'),
      });
      expect(await readTenants(two.target)).toEqual([]);
    });
    await two.source.superuser.query('DELETE FROM workflows WHERE id = $1', [workflowId]);
    await two.target.superuser.query(`INSERT INTO orgs (id, name) VALUES ('acme', 'Acme')`);
    await two.target.superuser.query(`INSERT INTO tenants (id, org_id, name) VALUES ('acme-shop', 'acme', 'Another')`);
    await withArchive(async ({ options }) => {
      expect(await two.causeway(two.target, 'tenant', 'import', ...options)).toMatchObject({
        code: 1,
        err: expect.stringContaining('This installation has a tenant acme-shop. Nothing was written.'),
      });
    });
    await two.target.superuser.query(`DELETE FROM tenants`);
  });
});

test('a damaged table leaves nothing of the rest, and the tenant closed', async () => {
  await withArchive(async ({ folder, options }) => {
    const file = join(folder, 'rest/orders.sealed');
    const bytes = await readFile(file);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 30) ^ 1, bytes.length - 30);
    await writeFile(file, bytes);
    expect(await two.causeway(two.target, 'tenant', 'import', ...options)).toMatchObject({
      code: 1,
      err: expect.stringContaining('orders.sealed cannot be read'),
    });
    const { rows } = await two.target.superuser.query(
      `SELECT state, (SELECT count(*) FROM products)::int AS products FROM tenant_moves`,
    );
    expect(rows).toEqual([{ state: 'closed', products: 0 }]);
  });
});

test('an id that the target has given is named, and the import continues once the row is gone', async () => {
  await withArchive(async ({ options }) => {
    const { target, source } = two;
    const { rows } = await source.superuser.query<{ id: string }>(
      `SELECT id FROM orders WHERE tenant_id = 'acme-shop'`,
    );
    await target.superuser.query(
      `CREATE FUNCTION clash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE unique_violation USING DETAIL = 'Key (id)=(' || NEW.id || ') already exists.'; END $$;
       CREATE TRIGGER clash BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION clash()`,
    );
    expect(await two.causeway(target, 'tenant', 'import', ...options)).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        `orders has a row here with a key of the archive: Key (id)=(${rows[0]?.id}) already exists.`,
      ),
    });
    await target.superuser.query('DROP FUNCTION clash CASCADE');
    expect(await two.causeway(target, 'tenant', 'import', ...options)).toMatchObject({ code: 0 });
    // It has arrived, so it is not removed with what has not; a move back would need a third installation.
    expect(await two.causeway(target, 'tenant', 'forget', 'acme-shop')).toMatchObject({
      code: 1,
      err: 'acme-shop does not move.\n',
    });
    await target.superuser.query(
      `INSERT INTO tenant_moves (tenant, move_id, direction, state) VALUES ('acme-shop', gen_random_uuid(), 'in', 'closed')`,
    );
  });
});

test('closing waits for a write that is under way, which moves, and refuses the next one of its transaction', async () => {
  const { source } = two;
  const { options } = await two.makeArchive();
  const writer = new pg.Client({ connectionString: source.url });
  await writer.connect();
  const insert = (sku: string) =>
    writer.query(`INSERT INTO products (tenant_id, sku, name) VALUES ('acme-shop', $1, 'Article')`, [sku]);
  expect(await two.causeway(source, 'tenant', 'export', 'acme-shop', ...options)).toMatchObject({ code: 0 });
  await writer.query(`BEGIN; SET LOCAL ROLE causeway_app; SET LOCAL causeway.tenant_id = 'acme-shop'`);
  await insert('UNDER-WAY');
  // Others go on, so that the write is among the older ones.
  await source.superuser.query('SELECT pg_current_xact_id()');
  let isOver = false;
  const closing = two.causeway(source, 'tenant', 'export', 'acme-shop', ...options, '--close', '--json').finally(() => {
    isOver = true;
  });
  await expect
    .poll(async () => (await source.superuser.query('SELECT state FROM tenant_moves')).rows, { timeout: 60_000 })
    .toEqual([{ state: 'closed' }]);
  await writer.query('SAVEPOINT before_next');
  await expect(insert('TOO-LATE')).rejects.toMatchObject({ code: 'CW503' });
  await writer.query('ROLLBACK TO SAVEPOINT before_next');
  expect(isOver).toBe(false);
  await writer.query('COMMIT');
  await writer.end();
  const { code, out } = await closing;
  expect(code).toBe(0);
  const { rows } = await source.superuser.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM products WHERE tenant_id = 'acme-shop' AND sku <> 'TOO-LATE'`,
  );
  expect(JSON.parse(out).tables.products.rows).toBe(rows[0]?.n);
  expect(await two.causeway(source, 'tenant', 'reopen', 'acme-shop', '--discard-archive')).toMatchObject({ code: 0 });
}, 180_000);

test('a folder with files of another archive is refused, even if only some are left, and nothing is written into it', async () => {
  await withArchive(async ({ folder }) => {
    for (const name of ['history/manifest.sealed', 'rest/orders.sealed']) {
      const other = await two.makeArchive();
      const left = join(other.folder, name);
      await mkdir(dirname(left));
      await cp(join(folder, 'rest/manifest.sealed'), left);
      const before = await readFile(left);
      expect(await two.causeway(two.source, 'tenant', 'export', 'acme-outlet', ...other.options), name).toMatchObject({
        code: 1,
        err: `${other.folder} holds files of another archive. Name an empty folder.\n`,
      });
      expect(await readFile(left)).toEqual(before);
      expect((await readdir(other.folder)).toSorted()).toEqual([dirname(name), 'transfer.key'].toSorted());
    }
    const { rowCount } = await two.source.superuser.query(`SELECT FROM tenant_moves WHERE tenant = 'acme-outlet'`);
    expect(rowCount).toBe(0);
  });
});

test('a move that is undone is in the audit log of the tenant', async () => {
  const { superuser } = two.source;
  await superuser.query(`DELETE FROM audit_entries WHERE resource_type = 'tenant'`);
  await withArchive(async () => undefined);
  const { rows } = await superuser.query(
    `SELECT action, tenant_id, org_id FROM audit_entries WHERE resource_type = 'tenant' ORDER BY id`,
  );
  const tenant = { tenant_id: 'acme-shop', org_id: 'acme' };
  expect(rows).toEqual(['export', 'close', 'reopen'].map((action) => ({ action, ...tenant })));
});

describe('two moves of one tenant', () => {
  test('a second folder is refused until the first move has ended', async () => {
    await withArchive(async () => {
      const second = await two.makeArchive();
      expect(await two.causeway(two.source, 'tenant', 'export', 'acme-shop', ...second.options)).toMatchObject({
        code: 1,
        err: expect.stringContaining('acme-shop is being moved already, with another folder'),
      });
    });
  });

  test('a second command waits for nobody and says that another is at work', async () => {
    const other = new pg.Client({ connectionString: two.source.url });
    await other.connect();
    await other.query(`SELECT pg_advisory_lock(hashtextextended('causeway.move/acme-shop', 0))`);
    const { options } = await two.makeArchive();
    expect(await two.causeway(two.source, 'tenant', 'export', 'acme-shop', ...options)).toMatchObject({
      code: 1,
      err: 'Another command moves acme-shop now. Wait until it has ended.\n',
    });
    await other.end();
  });
});

test('a target that dies half-way continues where it was', async () => {
  const { source, target } = two;
  const { options } = await two.makeArchive();
  expect(await two.causeway(source, 'tenant', 'export', 'acme-shop', ...options)).toMatchObject({ code: 0 });
  await killImport('stock_movements', options);
  const { rows } = await target.superuser.query<{ loaded: string[] }>('SELECT loaded FROM tenant_moves');
  expect(rows[0]?.loaded).not.toHaveLength(0);
  expect(rows[0]?.loaded).not.toContain('stock_movements');
  expect(await two.causeway(source, 'tenant', 'export', 'acme-shop', ...options, '--close')).toMatchObject({ code: 0 });
  await killImport('products', options);
  expect((await target.superuser.query(`SELECT FROM orders WHERE tenant_id = 'acme-shop'`)).rowCount).toBe(0);
  const [code] = await once(startImport(options), 'exit');
  expect(code).toBe(0);
  expect((await target.superuser.query(`SELECT FROM orders WHERE tenant_id = 'acme-shop'`)).rowCount).toBe(1);
  // As if it had not arrived completely, for the tests that follow.
  await target.superuser.query(
    `INSERT INTO tenant_moves (tenant, move_id, direction, state) VALUES ('acme-shop', gen_random_uuid(), 'in', 'closed')`,
  );
  expect(await two.causeway(target, 'tenant', 'forget', 'acme-shop')).toMatchObject({ code: 0 });
  expect(await two.causeway(source, 'tenant', 'reopen', 'acme-shop', '--discard-archive')).toMatchObject({ code: 0 });
}, 180_000);

/** Starts an import in a process of its own. */
function startImport(options: string[]): ReturnType<typeof spawn> {
  const { url, dataDir } = two.target;
  const script = fileURLToPath(new URL('../../../bin/causeway.ts', import.meta.url));
  const child = spawn(process.execPath, [script, 'tenant', 'import', ...options], {
    env: { ...inheritedEnv, DATABASE_URL: url, DATA_DIR: dataDir, INSTALLATION: '5' },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Kills an import at the first row of a table. */
async function killImport(table: string, options: string[]): Promise<void> {
  const { superuser } = two.target;
  await superuser.query(
    `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END $$;
     CREATE TRIGGER hold BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION hold(); SELECT pg_advisory_lock(4711)`,
  );
  const child = startImport(options);
  const ended = once(child, 'exit');
  const waits = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted`;
  for (let asked = 0; (await superuser.query(waits)).rowCount === 0; asked += 1) {
    if (asked > 3_000) throw new Error(`The import never came to ${table}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.kill('SIGKILL');
  await ended;
  await superuser.query('SELECT pg_advisory_unlock(4711)');
  for (let left = 1; left > 0;) {
    const { rowCount } = await superuser.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid() AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND pid IN (SELECT pid FROM pg_stat_activity WHERE application_name = 'causeway-migrate')`,
    );
    left = rowCount ?? 0;
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await superuser.query('DROP FUNCTION hold CASCADE');
}

test('a run under way is given up by its worker in the source, and ends in the target, or in the source where it stays', async () => {
  const { source, target } = two;
  let answer: () => void = () => undefined;
  let calls = 0;
  const slow = createServer((_request, response) => {
    calls += 1;
    answer = () => response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(slow, 'listening');
  const { port } = slow.address() as AddressInfo;
  const allow = `127.0.0.1:${port}`;
  const engine = await startTestEngine(source.api, { allow });
  const made = await readyWorkflow(source.api, {
    nodes: [node('call', 'http-request', { method: 'POST', url: `http://${allow}/` })],
  });
  const runId = await fireRun(source.api, made);
  await expect.poll(() => calls, { timeout: 60_000 }).toBe(1);
  await withArchive(async ({ options }) => {
    answer();
    const { rows } = await source.superuser.query(`SELECT status, worker_id FROM runs WHERE id = $1`, [runId]);
    expect(rows).toEqual([{ status: 'queued', worker_id: null }]);
    expect(await two.causeway(target, 'tenant', 'import', ...options)).toMatchObject({ code: 0 });
    expect(await readRun(target.api, runId)).toMatchObject({ status: 'queued' });
    await target.superuser.query(
      `INSERT INTO tenant_moves (tenant, move_id, direction, state) VALUES ('acme-shop', gen_random_uuid(), 'in', 'closed')`,
    );
  });
  await source.superuser.query(`UPDATE runs SET updated_at = now() - interval '1 hour' WHERE id = $1`, [runId]);
  await expect.poll(() => calls, { timeout: 60_000 }).toBe(2);
  answer();
  expect(await untilRun(source.api, runId)).toMatchObject({ status: 'succeeded' });
  await engine.stop();
  slow.close();
}, 180_000);
