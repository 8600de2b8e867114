import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Command, CommandError, type CommandValues, textOption } from '#bin/command.ts';
import { type Platform, platformOptions, reachPlatform } from '#bin/reach-platform.ts';
import { type BulkJob, download, followJob, formatNumber } from './bulk-jobs.ts';

export const command: Command = {
  usage: '<target> [--profile <name>] [--format <format>] [--filter <field=value>] [--out <file>] [options]',
  options: {
    profile: {
      type: 'string',
      about: 'Name of an import profile, whose mapping is reversed; the target may then be left out.',
    },
    format: { type: 'string', about: 'csv, json, ndjson, xml or xlsx; by default that of the profile, or csv.' },
    filter: {
      type: 'string',
      multiple: true,
      about: 'Only rows of this value, e.g. location=main; once for each field.',
    },
    out: { type: 'string', about: 'The file to write; by default <target>.<format>.' },
    ...platformOptions,
  },
  async run(values, positionals, io) {
    const [target] = positionals;
    const profile = textOption(values, 'profile');
    if (positionals.length > 1 || (target === undefined && profile === undefined))
      throw new CommandError('Name what to export: causeway export stock', { exitCode: 2 });
    const out = textOption(values, 'out');
    if (out !== undefined) await assertFilePath(resolve(io.cwd, out));
    const platform = reachPlatform(values, io);
    const started = await platform.call<BulkJob>('POST', '/io/exports', {
      target,
      profile,
      format: textOption(values, 'format'),
      filter: readFilter(values),
    });
    const job = await followJob(platform, started, io);
    const { status, download_url: url, error } = job;
    if (status !== 'completed' || url === null)
      throw new CommandError(error ?? `The export is ${status}.`, { details: { job } });
    const path = resolve(io.cwd, out ?? `${job.target}.${await chooseFormat(values, platform)}`);
    await download(platform.at(url), path);
    if (values.json === true) io.out(`${JSON.stringify({ job, file: path })}\n`);
    else io.out(`${formatNumber(job.rows_written)} rows are in ${path}\n`);
    return 0;
  },
};

function readFilter({ filter }: CommandValues): Record<string, string> {
  const values = new Map<string, string>();
  for (const text of Array.isArray(filter) ? filter.map(String) : []) {
    const at = text.indexOf('=');
    if (at < 1) throw new CommandError('--filter takes a field and a value, e.g. location=main.', { exitCode: 2 });
    const field = text.slice(0, at);
    if (values.has(field))
      throw new CommandError(`Give one value of ${field}; export the others apart.`, { exitCode: 2 });
    values.set(field, text.slice(at + 1));
  }
  return Object.fromEntries(values);
}

/** Checked before the job starts, so that a file that cannot be written is reported early. */
async function assertFilePath(path: string): Promise<void> {
  const isDirectory = async (place: string) => (await stat(place).catch(() => undefined))?.isDirectory() === true;
  if (await isDirectory(path)) throw new CommandError(`${path} is a directory; name a file in it.`, { exitCode: 2 });
  if (!(await isDirectory(dirname(path))))
    throw new CommandError(`There is no directory ${dirname(path)}; make it first.`, { exitCode: 2 });
}

/** The format, which is also the extension of the file's name. */
async function chooseFormat(values: CommandValues, { call }: Platform): Promise<string> {
  const [format, profile] = [textOption(values, 'format'), textOption(values, 'profile')];
  if (format !== undefined || profile === undefined) return format ?? 'csv';
  const { items } = await call<{ items: { name: string; format: string }[] }>('GET', '/io/import-profiles?limit=100');
  return items.find(({ name }) => name === profile)?.format ?? 'csv';
}
