import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '#bin/command.ts';
import {
  type Connector,
  connectorPath,
  hashText,
  type Versions,
} from '#src/automation/connectors/packages/package-files.ts';

/** A package that was made of a description before, as it is on disk. */
export interface MadeFolder {
  connector: Connector;
  namespace: string | undefined;
  versions: Versions;
  /** Paths of files that differ from what was made. */
  edited: string[];
}

/** Undefined for a folder that is empty or not there. Throws a CommandError for one with other contents. */
export async function readMadeFolder(folder: string): Promise<MadeFolder | undefined> {
  const present = await readdir(folder).catch(() => []);
  if (present.length === 0) return undefined;
  const text = await readFile(join(folder, connectorPath), 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new CommandError(
      `${folder} is not empty and has no ${connectorPath}; name a new folder, or one that was made of a description.`,
    );
  const connector = parse(text);
  const files = isRecord(connector?.['files']) ? connector['files'] : undefined;
  if (!connector || !files || !isRecord(connector['choice']))
    throw new CommandError(`${join(folder, connectorPath)} is damaged. Restore it, or name a new folder.`);
  const versions = new Map<string, { version: string; content: string }>();
  const edited: string[] = [];
  for (const [path, hash] of Object.entries(files)) {
    if (!/^[a-z0-9][\w.-]*(\/[a-z0-9][\w.-]*)*$/i.test(path) || path.includes('..')) continue;
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
    namespace: typeof namespace === 'string' ? namespace : undefined,
    versions,
    edited,
  };
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
