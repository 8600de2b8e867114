import type {
  CredentialTypeManifest,
  MessageManifest,
  NodeManifest,
  NodePackage,
  PackageImage,
  TemplateManifest,
} from '#src/automation/node-api/manifest.ts';
import { compileSchema } from '#src/infra/json-schema/compile-schema.ts';
import type { SchemaCheck } from '#src/infra/json-schema/compile-schema.ts';
import { isWithinDepth } from '#src/infra/json.ts';
import { readPackageImage } from './package-image.rules.ts';
import { PackageProblems } from './package-problems.rules.ts';
import { checkPackage } from './package.rules.ts';
import type { Located, PackageContents } from './package.rules.ts';
import { credentialTypeV1Schema } from './schemas/credential-type.v1.schema.ts';
import { incomingMessageV1Schema } from './schemas/incoming-message.v1.schema.ts';
import { nodeManifestV0DraftSchema } from './schemas/node-manifest.v0-draft.schema.ts';
import { nodePackageV1Schema } from './schemas/node-package.v1.schema.ts';
import { workflowTemplateV1Schema } from './schemas/workflow-template.v1.schema.ts';

interface Contents {
  namespace: string;
  label: string;
  description?: string;
  nodes?: string[];
  credential_types?: string[];
  templates?: string[];
  messages?: string[];
  images?: string[];
}

interface PackageJson {
  name: string;
  version: string;
  causeway: string;
}

const checkPackageJson = compileSchema<PackageJson>({
  type: 'object',
  required: ['name', 'version', 'causeway'],
  properties: {
    name: {
      type: 'string',
      maxLength: 214,
      pattern: '^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$',
      examples: ['acme-nodes', '@acme/nodes'],
    },
    version: nodeManifestV0DraftSchema.properties.version,
    causeway: { type: 'string', minLength: 1, maxLength: 240 },
  },
});
const checkContents = compileSchema<Contents>(nodePackageV1Schema);
const checkNode = compileSchema<NodeManifest>(nodeManifestV0DraftSchema);
const checkCredentialType = compileSchema<CredentialTypeManifest>(credentialTypeV1Schema);
const checkMessage = compileSchema<MessageManifest>(incomingMessageV1Schema);
const checkTemplate = compileSchema<TemplateManifest>(workflowTemplateV1Schema);

/** Manifests are small documents for people; a larger one only aims to keep the parser busy. */
const maxManifestBytes = 1024 * 1024;

const maxDepth = 100;

/**
 * Reads the package that an archive's files (path -> content) describe, checked against the published schemas and for
 * consistency.
 *
 * Throws ValidationError (422) whose keys name the file and, as a JSON pointer, the location in it
 * (`nodes/create-order.node.json#/config/0/type`), and whose message repeats the first reason.
 */
export function readNodePackage(files: ReadonlyMap<string, Buffer>): NodePackage {
  const problems = new PackageProblems();
  const packageJson = readDocument(files, 'package.json', checkPackageJson, problems);
  if (packageJson === undefined) throw problems.error();
  const contentsPath = packageJson.causeway.replace(/^\.\//, '');
  if (!files.has(contentsPath)) {
    problems.add('package.json', '/causeway', `names "${contentsPath}", which is not in the archive`);
    throw problems.error();
  }
  const contents = readDocument(files, contentsPath, checkContents, problems);
  if (contents === undefined) throw problems.error();

  const all = <T>(
    member: keyof Contents & ('nodes' | 'credential_types' | 'templates' | 'messages'),
    check: Check<T>,
  ) => readListed(files, contentsPath, member, contents[member] ?? [], check, problems);
  const read: PackageContents = {
    namespace: contents.namespace,
    nodes: all('nodes', checkNode),
    credentialTypes: all('credential_types', checkCredentialType),
    templates: all('templates', checkTemplate),
    messages: all('messages', checkMessage),
    images: readImages(files, contentsPath, contents.images ?? [], problems),
    listedImages: contents.images ?? [],
  };
  const { nodes = [], credential_types: types = [], templates = [], messages = [] } = contents;
  if (nodes.length + types.length + templates.length + messages.length === 0) {
    problems.add(contentsPath, '', 'lists no node, credential type, template or message');
  }
  checkPackage(read, contentsPath, files, problems);
  if (!problems.none) throw problems.error();

  return {
    name: packageJson.name,
    version: packageJson.version,
    label: contents.label,
    description: contents.description ?? '',
    namespace: contents.namespace,
    nodes: read.nodes.map(({ document }) => document),
    credentialTypes: read.credentialTypes.map(({ document }) => document),
    templates: read.templates.map(({ document }) => document),
    messages: read.messages.map(({ document }) => document),
    images: read.images,
  };
}

type Check<T> = (document: unknown) => SchemaCheck<T>;

function readDocument<T>(
  files: ReadonlyMap<string, Buffer>,
  path: string,
  check: Check<T>,
  problems: PackageProblems,
): T | undefined {
  const content = files.get(path);
  if (content === undefined) {
    problems.add(path, '', 'is not in the archive');
    return undefined;
  }
  if (content.byteLength > maxManifestBytes) {
    problems.add(path, '', `is larger than ${maxManifestBytes} bytes`);
    return undefined;
  }
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch (error) {
    problems.add(
      path,
      '',
      `is not JSON in UTF-8 (${error instanceof Error ? error.message.slice(0, 200) : 'unreadable'})`,
    );
    return undefined;
  }
  if (!isWithinDepth(document, maxDepth)) {
    problems.add(path, '', `is nested deeper than ${maxDepth} levels`);
    return undefined;
  }
  const checked = check(document);
  if (checked.ok) return checked.value;
  for (const issue of checked.issues) problems.add(path, issue.pointer, issue.message);
  return undefined;
}

function readListed<T>(
  files: ReadonlyMap<string, Buffer>,
  listedIn: string,
  member: string,
  paths: readonly string[],
  check: Check<T>,
  problems: PackageProblems,
): Located<T>[] {
  return paths.flatMap((path, index) => {
    if (!files.has(path)) {
      problems.add(listedIn, `/${member}/${index}`, `names "${path}", which is not in the archive`);
      return [];
    }
    const document = readDocument(files, path, check, problems);
    return document === undefined ? [] : [{ path, document }];
  });
}

function readImages(
  files: ReadonlyMap<string, Buffer>,
  listedIn: string,
  paths: readonly string[],
  problems: PackageProblems,
): PackageImage[] {
  return paths.flatMap((path, index) => {
    const content = files.get(path);
    const image = content === undefined ? { reason: 'is not in the archive' } : readPackageImage(path, content);
    if (!('reason' in image)) return [image];
    problems.add(listedIn, `/images/${index}`, `names "${path}", which ${image.reason}`);
    return [];
  });
}
