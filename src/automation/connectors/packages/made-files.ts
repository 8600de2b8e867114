import { z } from 'zod';
import type { NodeManifest } from '#src/automation/node-api/manifest.ts';
import { type Connector, connectorPath, hashText, type Versions } from './package-files.ts';

/** A package that was made from a description earlier. */
export interface MadeFiles {
  connector: Connector;
  /** Undefined if causeway.json names none. */
  namespace: string | undefined;
  versions: Versions;
  /** Paths of files that were edited after they were made. */
  edited: string[];
}

export const isNamespace = (text: string): boolean => /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text) && text.length <= 63;

/** Namespaces of nodes that come with the product. */
export const isReserved = (namespace: string): boolean => ['core', 'commerce'].includes(namespace);

/** Somebody else may have written the package, so its paths must not lead out of its folder. */
const isOwnPath = (path: string): boolean =>
  /^[a-z0-9][\w.-]*(\/[a-z0-9][\w.-]*)*$/i.test(path) && !path.includes('..');

/** The parts of connector.json that decide how the package is made again, and which files are replaced or deleted. */
const connectorSchema = z.looseObject({
  description: z
    .looseObject({
      kind: z.string().catch(''),
      title: z.string().catch(''),
      version: z.string().catch(''),
      hash: z.string().catch(''),
      source: z.string().catch(''),
    })
    .catch({ kind: '', title: '', version: '', hash: '', source: '' }),
  choice: z.looseObject({
    all: z.literal(true).optional(),
    tags: z.array(z.string()).optional(),
    paths: z.array(z.string()).optional(),
    search: z.string().optional(),
    operations: z.array(z.string()).optional(),
  }),
  files: z.record(z.string().refine(isOwnPath), z.string()),
});

/** Reads connector.json; undefined if it is damaged. */
export const readConnector = (text: string): Connector | undefined =>
  connectorSchema.safeParse(parse(text)).data as Connector | undefined;

/** Reads a made package from its files. `read` returns a file's content, undefined if there is none. */
export async function readMadeFiles(
  connector: Connector,
  read: (path: string) => Promise<string | undefined> | string | undefined,
): Promise<MadeFiles> {
  const versions = new Map<string, { version: string; content: string }>();
  const edited: string[] = [];
  for (const [path, hash] of Object.entries(connector.files)) {
    const content = await read(path);
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
    connector,
    namespace: typeof namespace === 'string' && isNamespace(namespace) ? namespace : undefined,
    versions,
    edited,
  };
}

/** Reads a made package from an unpacked archive; undefined for a package that was not made from a description. */
export async function readMadeArchive(files: ReadonlyMap<string, Buffer>): Promise<MadeFiles | undefined> {
  const connector = readConnector(files.get(connectorPath)?.toString() ?? '');
  return connector && (await readMadeFiles(connector, (path) => files.get(path)?.toString()));
}

/** The nodes of a made package. */
export const listMadeNodes = ({ versions }: MadeFiles): NodeManifest[] =>
  [...versions].flatMap(([path, { content }]) =>
    path.endsWith('.node.json') ? [(parse(content) ?? []) as unknown as NodeManifest].flat() : [],
  );

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
