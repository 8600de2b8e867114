import { createHash } from 'node:crypto';
import type { ApiDescription } from '#src/automation/connectors/descriptions/api-description.ts';
import type { OperationChoice } from './choose-operations.rules.ts';
import { type MadePackage, makePackage } from './make-package.ts';

/** The file in a made package that records its source. */
export const connectorPath = 'connector.json';

/** The source of a package, so that it can be made again from a newer description. */
export interface Connector {
  description: Pick<ApiDescription, 'kind' | 'title' | 'version' | 'hash'> & { source: string };
  choice: OperationChoice;
  /** Hexadecimal SHA-256 of each file as it was made. A file with another hash was edited. */
  files: Record<string, string>;
}

export type Files = Record<string, string>;

const toJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;
export const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Earlier versions, keyed by path. */
export type Versions = ReadonlyMap<string, { version: string; content: string }>;

/** The inputs of a made package, besides the description. */
export interface PackageSource {
  choice: OperationChoice;
  namespace: string;
  /** The name of the description's file, or its URL. */
  source: string;
  /** The files of the package's previous version; empty for a new package. */
  before: Versions;
}

/**
 * Makes the files of a package from a description, keyed by path. The same input gives the same bytes. A document that has not changed keeps
 * its version, and a changed one gets the next version. The package gets the next version if any document has changed.
 */
export function makePackageFiles(
  description: ApiDescription,
  { choice, namespace, source, before }: PackageSource,
): { made: MadePackage; files: Files } {
  const made = makePackage(description, choice, namespace);
  const { kind, title, version, hash } = description;
  const connector = { description: { kind, title, version, hash, source }, choice };
  return { made, files: listPackageFiles(made, connector, before) };
}

function listPackageFiles(made: MadePackage, connector: Omit<Connector, 'files'>, before: Versions): Files {
  const documents: [string, { version: string }][] = [
    ...made.credentialTypes.map((type): [string, { version: string }] => [
      `credentials/${baseName(type.slug)}.credential.json`,
      type,
    ]),
    ...made.nodes.map((node): [string, { version: string }] => [`nodes/${baseName(node.slug)}.node.json`, node]),
    ...made.messages.map((message): [string, { version: string }] => [
      `messages/${baseName(message.slug)}.message.json`,
      message,
    ]),
  ];
  const versioned = documents.map(([path, document]): [string, string] => [
    path,
    withVersion(document, before.get(path)),
  ]);
  const paths = documents.map(([path]) => path);
  const contents = toJson({
    namespace: made.namespace,
    label: made.label,
    nodes: paths.filter((path) => path.startsWith('nodes/')),
    credential_types: paths.filter((path) => path.startsWith('credentials/')),
    ...(made.messages.length > 0 && { messages: paths.filter((path) => path.startsWith('messages/')) }),
    images: ['images/icon.svg'],
  });
  const fixed: Files = { 'causeway.json': contents, 'images/icon.svg': made.icon };
  const own: Files = { ...fixed, ...Object.fromEntries(versioned) };
  const isSame =
    Object.entries(own).every(([path, content]) => before.get(path)?.content === content) &&
    [...before.keys()].every((path) => path === 'package.json' || path === 'README.md' || Object.hasOwn(own, path));
  const last = before.get('package.json')?.version;
  const version = last === undefined ? '1.0.0' : isSame ? last : nextMinor(last);
  const folders = [
    ...new Set(Object.keys(own).flatMap((path) => (path.includes('/') ? [path.split('/', 1)[0] ?? ''] : []))),
  ];
  const files: Files = {
    'package.json': packageJson(made, version, folders),
    'README.md': readme(made, connector),
    ...own,
  };
  const hashes = Object.entries(files).map(([path, content]) => [path, hashText(content)]);
  return { ...files, [connectorPath]: toJson({ ...connector, files: Object.fromEntries(hashes) }) };
}

const baseName = (slug: string): string => slug.slice(slug.indexOf(':') + 1);

function withVersion(document: { version: string }, before: { version: string; content: string } | undefined): string {
  if (!before) return toJson(document);
  const same = toJson({ ...document, version: before.version });
  return same === before.content ? same : toJson({ ...document, version: nextMinor(before.version) });
}

function nextMinor(version: string): string {
  const [major = 1, minor = 0] = version.split('.').map(Number);
  return `${major}.${minor + 1}.0`;
}

/** Packing fails for a folder that does not exist, and a package may have no credentials, no nodes or no messages. */
const packageJson = ({ namespace }: MadePackage, version: string, folders: readonly string[]): string =>
  toJson({
    name: `${namespace}-nodes`,
    version,
    private: true,
    type: 'module',
    causeway: 'causeway.json',
    files: ['causeway.json', connectorPath, ...folders.toSorted()],
  });

const readme = (
  { label, nodes, messages }: MadePackage,
  { description }: Omit<Connector, 'files'>,
): string => `# ${label}

${nodes.length} nodes${messages.length > 0 ? ` and ${messages.length} messages` : ''}, made of ${description.source} (${description.kind}, version ${description.version || 'unknown'}).

    causeway node test .       check the package
    causeway node publish .    upload it (--org, CAUSEWAY_URL, CAUSEWAY_TOKEN)
    causeway node from <newer description> --out .

The last makes it again with the same choice of operations. Files that you have edited are kept.
`;
