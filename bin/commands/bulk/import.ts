import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { type Command, CommandError, textOption } from '#bin/command.ts';
import { fetchFrom, type Platform, platformOptions, reachPlatform, refused } from '#bin/reach-platform.ts';
import { asJson } from '#bin/reach-server.ts';
import { type BulkJob, download, followJob, formatNumber } from './bulk-jobs.ts';

const uploadMs = 3_600_000;
/** Exit code for a finished import that rejected some rows, so that a script can distinguish it from success. */
const rejectedCode = 3;

const mediaTypes: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.ndjson': 'application/x-ndjson',
  '.xml': 'application/xml',
};

export const command: Command = {
  usage: '<file> [--profile <name>] [--dry-run] [options]',
  options: {
    profile: { type: 'string', about: 'Name of the import profile; by default the only one that the tenant has.' },
    'dry-run': { type: 'boolean', about: 'Do the same work and roll it back.' },
    ...platformOptions,
  },
  async run(values, positionals, io) {
    const [file] = positionals;
    if (file === undefined || positionals.length > 1)
      throw new CommandError('Name one file: causeway import stock.csv --profile Stock', { exitCode: 2 });
    const platform = reachPlatform(values, io);
    const { call, at } = platform;
    const path = resolve(io.cwd, file);
    const size = await readSize(path);
    const profile = textOption(values, 'profile') ?? (await onlyProfile(platform));
    const contentType = mediaTypes[extname(path)] ?? 'application/octet-stream';
    const upload = await call<{ upload_id: number; url: string }>('POST', '/io/uploads', {
      filename: basename(path).slice(0, 191),
      content_type: contentType,
      size,
    });
    await send(at(upload.url), { path, size, contentType });
    const started = await call<BulkJob>('POST', '/io/imports', {
      upload_id: upload.upload_id,
      profile,
      dry_run: values['dry-run'] === true,
    });
    const job = await followJob(platform, started, io);
    const rejects = job.rejects_url === null ? null : `${path}.rejects.csv`;
    if (rejects !== null) await download(at(job.rejects_url as string), rejects);
    if (values.json === true) io.out(`${JSON.stringify({ job, rejects })}\n`);
    else tell(job, rejects, io);
    if (job.status !== 'completed') return 1;
    return job.rows_rejected > 0 ? rejectedCode : 0;
  },
};

async function readSize(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) return found.size;
  const advice = found?.isDirectory() ? `${path} is a directory; name a file in it.` : `There is no file ${path}.`;
  throw new CommandError(advice, { exitCode: 2 });
}

async function onlyProfile({ call }: Platform): Promise<string> {
  const { items } = await call<{ items: { name: string }[] }>('GET', '/io/import-profiles?limit=100&order=name.asc');
  const [only] = items;
  if (only && items.length === 1) return only.name;
  const names = items.map(({ name }) => `  ${name}`).join('\n');
  throw new CommandError(
    names === ''
      ? 'The tenant has no import profile. Make one with POST /v1/io/import-profiles, as docs/imports.md shows.'
      : `Name one of the profiles with --profile:\n${names}`,
    { exitCode: 2 },
  );
}

async function send(url: URL, { path, size, contentType }: { path: string; size: number; contentType: string }) {
  const response = await fetchFrom(
    url,
    {
      method: 'PUT',
      headers: { 'content-type': contentType, 'content-length': String(size) },
      body: Readable.toWeb(createReadStream(path)) as ReadableStream,
      duplex: 'half',
    } as RequestInit,
    uploadMs,
  );
  if (!response.ok) throw refused(response.status, asJson(await response.text()));
}

function tell(job: BulkJob, rejects: string | null, io: Parameters<Command['run']>[2]): void {
  const { rows_read: read, rows_written: written, rows_unchanged: unchanged, rows_rejected: rejected } = job;
  const status = job.dry_run && job.status === 'completed' ? 'dry run, nothing was kept' : job.status;
  io.out(
    `${status}: ${formatNumber(read)} rows read, ${formatNumber(written)} written, ${formatNumber(unchanged)} unchanged, ${formatNumber(rejected)} rejected\n`,
  );
  if (job.error !== null) io.err(`${job.error}\n`);
  if (rejects !== null) io.err(`What was rejected, and why: ${rejects}\n`);
}
