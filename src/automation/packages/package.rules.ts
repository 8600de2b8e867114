import { workflowBlobSchema } from '#src/automation/blob/blob.inputs.ts';
import { placeholdersIn } from '#src/automation/blob/placeholders.rules.ts';
import type {
  CredentialTypeManifest,
  MessageManifest,
  NodeManifest,
  PackageImage,
  TemplateManifest,
} from '#src/automation/node-api/manifest.ts';
import { slugNamespace } from '#src/automation/node-api/manifest.ts';
import { inputFault } from '#src/infra/input-messages.ts';
import { checkFields, type FormChecks, PackagePatterns } from './package-fields.rules.ts';
import type { PackageProblems } from './package-problems.rules.ts';

/** A document and its file. */
export interface Located<T> {
  path: string;
  document: T;
}

export interface PackageContents {
  namespace: string;
  nodes: Located<NodeManifest>[];
  credentialTypes: Located<CredentialTypeManifest>[];
  templates: Located<TemplateManifest>[];
  messages: Located<MessageManifest>[];
  images: PackageImage[];
  /** The paths that the package lists as images, including those that cannot be read. */
  listedImages: readonly string[];
}

/** The namespaces of the built-in packages. */
export const reservedNamespaces: readonly string[] = ['core', 'commerce'];

/** Checks what a schema cannot: names across documents, files that must exist, patterns that must compile. */
export function checkPackage(
  contents: PackageContents,
  contentsPath: string,
  files: ReadonlyMap<string, Buffer>,
  problems: PackageProblems,
): void {
  const { namespace, nodes, credentialTypes, templates } = contents;
  if (reservedNamespaces.includes(namespace)) {
    problems.add(contentsPath, '/namespace', `"${namespace}" is reserved for the built-in nodes; choose another`);
  }
  const checks = { problems, patterns: new PackagePatterns() };
  for (const located of nodes) checkNode(located, files, checks);
  for (const located of credentialTypes) checkCredentialType(located, files, checks);
  for (const located of templates) checkTemplate(located, problems);
  const images = new Set(contents.listedImages);
  for (const group of [nodes, credentialTypes, templates]) {
    checkSlugs(group, namespace, problems);
    for (const located of group) checkImages(located, images, contentsPath, problems);
  }
  checkSlugs(contents.messages, namespace, problems);
}

interface Sluggish {
  slug: string;
  icon?: string;
  images?: { src: string }[];
}

function checkSlugs(group: readonly Located<Sluggish>[], namespace: string, problems: PackageProblems): void {
  const seen = new Map<string, string>();
  for (const { path, document } of group) {
    if (slugNamespace(document.slug) !== namespace) {
      problems.add(path, '/slug', `must begin with "${namespace}:", the package's namespace`);
    }
    const earlier = seen.get(document.slug);
    if (earlier !== undefined) problems.add(path, '/slug', `"${document.slug}" is taken by ${earlier}`);
    seen.set(document.slug, path);
  }
}

function checkNode(
  { path, document }: Located<NodeManifest>,
  files: ReadonlyMap<string, Buffer>,
  checks: FormChecks,
): void {
  const { problems } = checks;
  if (document.entry !== undefined && !files.has(document.entry)) {
    problems.add(path, '/entry', `names "${document.entry}", which is not in the archive`);
  }
  checkCall(document, path, problems);
  checkFields(document.config ?? [], path, '/config', checks);
  const from = document.branches_from;
  if (from !== undefined && !document.config?.some((field) => field.key === from)) {
    problems.add(path, '/branches_from', `names "${from}", which is not a config field`);
  }
}

/** Checks that a node has either a call or code, and that its call names only fields that exist. */
function checkCall(
  { call, entry, config = [], branches = ['default'] }: NodeManifest,
  path: string,
  problems: PackageProblems,
): void {
  if (call === undefined) {
    if (entry === undefined) problems.add(path, '', 'needs the member "entry", the path of its module, or a "call"');
    return;
  }
  if (entry !== undefined) problems.add(path, '/call', 'stands beside "entry"; a node has one of them');
  const keys = new Set(config.map(({ key }) => key));
  const need = (pointer: string, key: string | undefined) => {
    if (key !== undefined && !keys.has(key))
      problems.add(path, `/call${pointer}`, `names "${key}", which is not a config field`);
  };
  for (const [index, { field }] of call.parameters.entries()) need(`/parameters/${index}/field`, field);
  need('/body/field', call.body?.field);
  need('/credential', call.credential);
  for (const [index, { branch }] of call.answers.entries()) {
    if (!branches.includes(branch))
      problems.add(path, `/call/answers/${index}/branch`, `"${branch}" is not one of the branches`);
  }
}

function checkCredentialType(
  { path, document }: Located<CredentialTypeManifest>,
  files: ReadonlyMap<string, Buffer>,
  checks: FormChecks,
): void {
  const { problems } = checks;
  if (document.entry !== undefined && !files.has(document.entry)) {
    problems.add(path, '/entry', `names "${document.entry}", which is not in the archive`);
  }
  checkFields(document.fields, path, '/fields', checks);
  for (const [index, use] of (document.sends ?? []).entries()) {
    for (const member of ['field', 'username', 'password', 'certificate', 'key', 'ca'] as const) {
      const key = (use as Partial<Record<typeof member, string>>)[member];
      if (key !== undefined && !document.fields.some((field) => field.key === key))
        problems.add(path, `/sends/${index}/${member}`, `names "${key}", which is not a field`);
    }
  }
  checkConnection(path, document, problems);
}

/** Checks that each setting which a credential needs to get tokens comes from its type or from a field. */
function checkConnection(path: string, document: CredentialTypeManifest, problems: PackageProblems): void {
  const { auth_kind: kind, oauth2, session, fields } = document;
  const requireSettings = (settings: object | undefined, members: readonly string[], owner: string): void => {
    for (const member of members) {
      if (settings && Object.hasOwn(settings, member)) continue;
      if (fields.some((field) => field.key === member)) continue;
      problems.add(
        path,
        '',
        owner === '' ? `needs a field "${member}"` : `needs "${owner}.${member}" or a field "${member}"`,
      );
    }
  };
  if (kind === 'session') requireSettings(session, ['login_url'], 'session');
  if (kind === 'oauth2') {
    const needsUser = (oauth2?.grant_type ?? 'authorization_code') === 'authorization_code';
    const isDiscovered = oauth2?.discovery_url !== undefined || fields.some(({ key }) => key === 'discovery_url');
    if (!isDiscovered) requireSettings(oauth2, needsUser ? ['authorize_url', 'token_url'] : ['token_url'], 'oauth2');
  }
  if (kind === 'session' || oauth2?.grant_type === 'password') requireSettings(undefined, ['username', 'password'], '');
}

function checkTemplate(located: Located<TemplateManifest>, problems: PackageProblems): void {
  const blob = workflowBlobSchema.safeParse(located.document.blob, { error: inputFault });
  for (const issue of blob.error?.issues ?? []) {
    problems.add(located.path, pointerTo(['blob', ...issue.path]), issue.message.replace(/\.$/, ''));
  }
  // An invalid blob may be nested too deeply to be walked.
  if (blob.success) checkPlaceholders(located, problems);
}

const pointerTo = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function checkPlaceholders({ path, document }: Located<TemplateManifest>, problems: PackageProblems): void {
  const declared = new Set<string>();
  for (const [index, { key }] of (document.placeholders ?? []).entries()) {
    if (declared.has(key))
      problems.add(path, `/placeholders/${index}/key`, `"${key}" is the key of an earlier placeholder`);
    declared.add(key);
  }
  const used = placeholdersIn(document.blob);
  for (const key of used) {
    if (!declared.has(key))
      problems.add(path, '/blob', `uses the placeholder "${key.slice(0, 64)}", which is not declared`);
  }
  for (const [index, { key }] of (document.placeholders ?? []).entries()) {
    if (!used.has(key)) problems.add(path, `/placeholders/${index}`, `"${key}" is used nowhere in the blob`);
  }
}

function checkImages(
  { path, document }: Located<Sluggish>,
  images: ReadonlySet<string>,
  contentsPath: string,
  problems: PackageProblems,
): void {
  const wanted = (document.images ?? []).map(({ src }, index) => [`/images/${index}/src`, src]);
  if (document.icon !== undefined) wanted.push(['/icon', document.icon]);
  for (const [pointer = '', src = ''] of wanted) {
    if (!images.has(src))
      problems.add(path, pointer, `names "${src}", which the images of ${contentsPath} do not list`);
  }
}
