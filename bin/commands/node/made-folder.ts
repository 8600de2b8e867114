import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '#bin/command.ts';
import { type MadeFiles, readConnector, readMadeFiles } from '#src/automation/connectors/packages/made-files.ts';
import { connectorPath, type Files } from '#src/automation/connectors/packages/package-files.ts';

/** Reads the package in a folder; undefined if the folder is empty or does not exist. Throws a CommandError for one with other contents. */
export async function readMadeFolder(folder: string): Promise<MadeFiles | undefined> {
  const present = await readdir(folder).catch(() => []);
  if (present.length === 0) return undefined;
  const read = (path: string) => readFile(join(folder, path), 'utf8').catch(() => undefined);
  const text = await read(connectorPath);
  if (text === undefined)
    throw new CommandError(
      `${folder} is not empty and has no ${connectorPath}; name a new folder, or one that was made of a description.`,
    );
  const connector = readConnector(text);
  if (!connector)
    throw new CommandError(`${join(folder, connectorPath)} is damaged. Restore it, or name a new folder.`);
  return readMadeFiles(connector, read);
}

/** Throws a CommandError if a path within the folder is a symbolic link or below one, because a file written there would land elsewhere. */
export async function assertNoLinks(folder: string, paths: readonly string[]): Promise<void> {
  const places = paths.flatMap((path) => path.split('/').map((_, index, names) => names.slice(0, index + 1).join('/')));
  for (const place of new Set(places)) {
    const found = await lstat(join(folder, place)).catch(() => undefined);
    if (found?.isSymbolicLink())
      throw new CommandError(`${join(folder, place)} is a symbolic link. Delete it, or name a new folder.`);
  }
}

/** Lists the files that somebody else wrote: the folder has them with other contents, and the previous package did not include them. */
export async function listForeign(folder: string, files: Files, before: MadeFiles | undefined): Promise<string[]> {
  const foreign: string[] = [];
  for (const [path, content] of Object.entries(files)) {
    if (path === connectorPath || Object.hasOwn(before?.connector.files ?? {}, path)) continue;
    const present = await readFile(join(folder, path), 'utf8').catch(() => undefined);
    if (present !== undefined && present !== content) foreign.push(path);
  }
  return foreign;
}
