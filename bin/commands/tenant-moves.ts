import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { calledAs, type Command, CommandError, type CommandIo, type CommandValues, textOption } from '#bin/command.ts';
import { withDatabase } from '#bin/reach-database.ts';
import { readSettings } from '#bin/settings.ts';
import { executeRunJob } from '#src/automation/runs/runs.declarations.ts';
import { declarations } from '#src/domains/domains.ts';
import { auditedTenant } from '#src/identity/tenants.declarations.ts';
import { systemActor } from '#src/infra/deps.ts';
import { startJobs } from '#src/infra/jobs.ts';
import { createLogger } from '#src/infra/logs/logger.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { forgetTenant, reopenTenant, sumTenant } from '#src/infra/tenant-moves/end-move.ts';
import { exportTenant } from '#src/infra/tenant-moves/export-tenant.ts';
import { importTenant } from '#src/infra/tenant-moves/import-tenant.ts';
import type { RecordMove } from '#src/infra/tenant-moves/move-audit.ts';
import { type InsertJobs, jobInserter } from '#src/infra/tenant-moves/moved-jobs.ts';
import type { SealedFiles } from '#src/infra/tenant-moves/sealed-files.ts';
import type { TableSum } from '#src/infra/tenant-moves/sums.ts';
import { openKeyRings, parseKey } from '#src/infra/vault/key-ring.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { openStorage } from '#src/process/open-storage.ts';

const archiveOptions = {
  folder: { type: 'string', about: 'Folder of the archive.' },
  'key-file': {
    type: 'string',
    about:
      'File with the transfer key, as keys generate prints one; else CAUSEWAY_TRANSFER_KEY. The archive cannot be read without it.',
  },
} as const;

const recordMove: RecordMove = (client, { action, orgId, tenantId, metadata }) =>
  recordAudit(
    { query: client.query.bind(client), notify: () => undefined, expireLeases: () => undefined },
    systemActor(orgId, tenantId),
    { resource: auditedTenant, action, resourceId: tenantId, metadata: { ...metadata } },
  );

const silent = createLogger({ level: 'silent' });

export const tenantExport: Command = {
  usage: '<tenant> --folder <folder> --key-file <file> [--close] [options]',
  options: {
    ...archiveOptions,
    close: {
      type: 'boolean',
      about: 'Close the tenant and copy the rest. Without it, history is copied while the tenant is open, once.',
    },
    'moves-to': {
      type: 'string',
      about: 'Where the tenant goes, for the message that its callers get once it is closed.',
    },
  },
  async run(values, positionals, io) {
    const tenantId = readTenant(positionals, 'tenant export acme-shop --folder /mnt/move --key-file transfer.key');
    const files = await readArchive(values, io);
    const env = readSettings(io);
    const manifest = await withDatabase(env, async (_database, url) =>
      exportTenant({
        url,
        tenantId,
        files,
        storage: await openStorage(env, silent),
        rings: await openKeyRings(env),
        say: progress(values, io),
        close: values['close'] === true,
        movesTo: textOption(values, 'moves-to'),
        recoveredQueues: [executeRunJob.name],
        recordMove,
      }),
    );
    const sums = Object.fromEntries(Object.entries(manifest.tables).map(([name, { copied }]) => [name, copied]));
    printSums(values, io, sums, { tenant: tenantId, part: manifest.part });
    return 0;
  },
};

export const tenantImport: Command = {
  usage: '--folder <folder> --key-file <file> [options]',
  options: archiveOptions,
  async run(values, positionals, io) {
    if (positionals.length > 0)
      throw new CommandError(
        'The archive says which tenant it holds: tenant import --folder /mnt/move --key-file transfer.key',
        {
          exitCode: 2,
        },
      );
    const files = await readArchive(values, io);
    const env = readSettings(io);
    const { tenantId, part, tables } = await withDatabase(env, (database, url) =>
      withQueues(database, async (insertJobs) =>
        importTenant({
          url,
          files,
          storage: await openStorage(env, silent),
          rings: await openKeyRings(env),
          say: progress(values, io),
          insertJobs,
          recordMove,
        }),
      ),
    );
    printSums(values, io, tables, { tenant: tenantId, part });
    if (values.json !== true)
      io.out(
        part === 'history'
          ? `The history of ${tenantId} has arrived. Close it in the source by tenant export --close, then import again.\n`
          : `${tenantId} is open here. Lead its requests to this installation, then remove it from the source: ${calledAs(io)} tenant forget ${tenantId} --arrived\n`,
      );
    return 0;
  },
};

export const tenantReopen: Command = {
  usage: '<tenant> [--discard-archive] [options]',
  options: {
    'discard-archive': {
      type: 'boolean',
      about: 'No other installation has the tenant, although its archive is whole.',
    },
  },
  async run(values, positionals, io) {
    const tenantId = readTenant(positionals, 'tenant reopen acme-shop');
    await withDatabase(readSettings(io), (database, url) =>
      withQueues(database, (insertJobs) =>
        reopenTenant({
          url,
          tenantId,
          say: progress(values, io),
          discardArchive: values['discard-archive'] === true,
          insertJobs,
          recordMove,
        }),
      ),
    );
    if (values.json === true) io.out(`${JSON.stringify({ tenant: tenantId, state: 'open' })}\n`);
    else io.out(`${tenantId} is open, and its move has ended.\n`);
    return 0;
  },
};

export const tenantForget: Command = {
  usage: '<tenant> [--arrived] [options]',
  options: {
    arrived: { type: 'boolean', about: 'The tenant has moved away, and the other installation has it open.' },
  },
  async run(values, positionals, io) {
    const tenantId = readTenant(positionals, 'tenant forget acme-shop');
    const deleted = await withDatabase(readSettings(io), (_database, url) =>
      forgetTenant({ url, tenantId, say: progress(values, io), hasArrived: values['arrived'] === true }),
    );
    if (values.json === true) io.out(`${JSON.stringify({ tenant: tenantId, deleted })}\n`);
    else io.out(`${tenantId} is removed from this installation: ${deleted} rows.\n`);
    return 0;
  },
};

export const tenantSums: Command = {
  usage: '<tenant> [options]',
  options: {},
  async run(values, positionals, io) {
    const tenantId = readTenant(positionals, 'tenant sums acme-shop');
    const sums = await withDatabase(readSettings(io), (_database, url) =>
      sumTenant({ url, tenantId, say: progress(values, io) }),
    );
    printSums(values, io, sums, { tenant: tenantId });
    return 0;
  },
};

function readTenant([tenantId, ...more]: readonly string[], example: string): string {
  if (tenantId === undefined || more.length > 0)
    throw new CommandError(`Name one tenant, for example: ${example}`, { exitCode: 2 });
  return tenantId;
}

async function readArchive(values: CommandValues, io: CommandIo): Promise<SealedFiles> {
  const folder = textOption(values, 'folder');
  if (folder === undefined) throw new CommandError('Name the folder of the archive with --folder.', { exitCode: 2 });
  const file = textOption(values, 'key-file');
  const text =
    file === undefined
      ? io.env['CAUSEWAY_TRANSFER_KEY']
      : await readFile(resolve(io.cwd, file), 'utf8').catch(() => {
          throw new CommandError(
            `${file} cannot be read. Write a key into it: ${calledAs(io)} keys generate > ${file}`,
          );
        });
  const key = parseKey((text ?? '').trim());
  if (!key)
    throw new CommandError(
      `Give a transfer key of 32 bytes in base64, with --key-file or in CAUSEWAY_TRANSFER_KEY. ${calledAs(io)} keys generate prints one.`,
      { exitCode: 2 },
    );
  return { folder: resolve(io.cwd, folder), key };
}

const progress = (values: CommandValues, io: CommandIo) => (sentence: string) => {
  if (values.json !== true) io.err(`${sentence}\n`);
};

/** Does `work` with a connection to the queues, which would keep the process from ending. */
async function withQueues<T>(database: Database, work: (insertJobs: InsertJobs) => Promise<T>): Promise<T> {
  const jobs = await startJobs({ database, onError: () => undefined });
  try {
    return await work(jobInserter(jobs, declarations.jobs));
  } finally {
    await jobs.stop();
  }
}

function printSums(
  values: CommandValues,
  io: CommandIo,
  tables: Record<string, TableSum>,
  more: Record<string, unknown>,
): void {
  if (values.json === true) {
    io.out(`${JSON.stringify({ ...more, tables })}\n`);
    return;
  }
  const width = Math.max(5, ...Object.keys(tables).map((name) => name.length));
  for (const [name, { rows, hash }] of Object.entries(tables).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    if (rows > 0) io.out(`${name.padEnd(width)}  ${String(rows).padStart(12)}  ${hash}\n`);
}
