import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError } from '#bin/command.ts';
import {
  type Connector,
  connectorPath,
  type Files,
  hashText,
  type Versions,
} from '#src/automation/connectors/packages/package-files.ts';

/** A package on disk that was made from a description earlier. */
export interface MadeFolder {
  connector: Connector;
  namespace: string | undefined;
  versions: Versions;
  /** Paths of files that were edited after they were made. */
  edited: string[];
}

/** Accepts the same namespaces as for a new package. */
export const isNamespace = (text: string): boolean => /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text) && text.length <= 63;

/** Somebody else may have written the package, so its paths must not lead out of its folder. */
const isOwnPath = (path: string): boolean =>
  /^[a-z0-9][\w.-]*(\/[a-z0-9][\w.-]*)*$/i.test(path) && !path.includes('..');

/** The parts of connector.json that decide how the package is made again, and which files are replaced or deleted. */
const connectorSchema = z.looseObject({
  choice: z.looseObject({
    all: z.literal(true).optional(),
    tags: z.array(z.string()).optional(),
    paths: z.array(z.string()).optional(),
    search: z.string().optional(),
  }),
  files: z.record(z.string().refine(isOwnPath), z.string()),
});

/** Reads the package in a folder; undefined if the folder is empty or does not exist. Throws a CommandError for one with other contents. */
export async function readMadeFolder(folder: string): Promise<MadeFolder | undefined> {
  const present = await readdir(folder).catch(() => []);
  if (present.length === 0) return undefined;
  const text = await readFile(join(folder, connectorPath), 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new CommandError(
      `${folder} is not empty and has no ${connectorPath}; name a new folder, or one that was made of a description.`,
    );
  const connector = connectorSchema.safeParse(parse(text)).data;
  if (!connector)
    throw new CommandError(`${join(folder, connectorPath)} is damaged. Restore it, or name a new folder.`);
  const versions = new Map<string, { version: string; content: string }>();
  const edited: string[] = [];
  for (const [path, hash] of Object.entries(connector.files)) {
    const content = await readFile(join(folder, path), 'utf8').catch(() => undefined);
    if (content === undefined) continue;
    if (hashText(content) !== hash) edited.push(path);
    const version = parse(content)?.['version'];
    versions.set(path, {
      content,
      version: typeof version === 'string' && /^\d+\.\d+\.\d+$/.test(version) ? version : '1.0.0',
    });
  }
  const namespace = parse(versions.get('causeway.json')?.content ?? '')?.['namespace'];
  return {
    connector: connector as unknown as Connector,
    namespace: typeof namespace === 'string' && isNamespace(namespace) ? namespace : undefined,
    versions,
    edited,
  };
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
export async function listForeign(folder: string, files: Files, before: MadeFolder | undefined): Promise<string[]> {
  const foreign: string[] = [];
  for (const [path, content] of Object.entries(files)) {
    if (path === connectorPath || Object.hasOwn(before?.connector.files ?? {}, path)) continue;
    const present = await readFile(join(folder, path), 'utf8').catch(() => undefined);
    if (present !== undefined && present !== content) foreign.push(path);
  }
  return foreign;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
