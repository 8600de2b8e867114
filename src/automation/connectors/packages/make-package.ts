import { hash } from 'node:crypto';
import type {
  ApiDescription,
  ApiOperation,
  SkippedOperation,
} from '#src/automation/connectors/descriptions/api-description.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import type { CredentialTypeManifest, MessageManifest, NodeManifest } from '#src/automation/node-api/manifest.ts';
import { findPathFault } from './call-path.rules.ts';
import { chooseOperations, type OperationChoice } from './choose-operations.rules.ts';
import { makeCredentialType } from './credential-types.rules.ts';
import { describeMessage } from './describe-message.rules.ts';
import { drawIcon } from './icon.ts';
import { makeNode } from './operation-node.rules.ts';

/** The documents of a node package made from a description. */
export interface MadePackage {
  namespace: string;
  label: string;
  nodes: NodeManifest[];
  credentialTypes: CredentialTypeManifest[];
  messages: MessageManifest[];
  icon: string;
  /** Chosen operations that cannot become nodes, and those that the reader of the description skipped. */
  skipped: SkippedOperation[];
}

const iconPath = 'images/icon.svg';
/** The most nodes that a package may have. */
const maxNodes = 1_000;
const maxMessages = 500;

/**
 * Makes one node from each chosen operation, one document from each chosen message, and one credential type for each way in which the
 * operations authenticate. The same input gives the same documents.
 */
export function makePackage(description: ApiDescription, choice: OperationChoice, namespace: string): MadePackage {
  const { types, fit } = createFit(description, namespace);
  const nodes: NodeManifest[] = [];
  const skipped = [...description.skipped];
  const used = new Set<string>();
  for (const operation of chooseOperations(description.operations, choice)) {
    const name = `${operation.method.toUpperCase()} ${operation.path}`;
    const { own, shared, isOptional, reason } = fit(operation);
    if (reason !== undefined) {
      skipped.push({ operation: name, reason });
      continue;
    }
    if (nodes.length === maxNodes) {
      skipped.push({ operation: name, reason: `A package has at most ${maxNodes} nodes; choose fewer operations.` });
      continue;
    }
    for (const { slug } of own) used.add(slug);
    nodes.push(
      makeNode(operation, description, {
        namespace,
        credentialTypes: [...new Set([...own.map(({ slug }) => slug), ...shared])],
        isCredentialOptional: isOptional,
        icon: iconPath,
      }),
    );
  }
  const chosen = chooseOperations(
    (description.messages ?? []).map((message) => ({ ...message, path: '', tags: [] })),
    choice,
  );
  for (const { title } of chosen.slice(maxMessages))
    skipped.push({ operation: title, reason: `A package has at most ${maxMessages} messages; choose fewer.` });
  const label = plainText(description.title, 191) || namespace;
  return {
    namespace,
    label,
    nodes,
    credentialTypes: [...types.values()]
      .filter((type) => type !== undefined && used.has(type.slug))
      .map((type) => ({ ...(type as CredentialTypeManifest), icon: iconPath })),
    messages: chosen
      .slice(0, maxMessages)
      .map((message) => describeMessage(message, description.definitions, namespace)),
    icon: drawIcon(label),
    skipped,
  };
}

interface Fit {
  /** The credential types that the operation accepts. */
  own: CredentialTypeManifest[];
  /** The slugs of types of package core that it also accepts. */
  shared: readonly string[];
  isOptional: boolean;
  /** Why the operation cannot become a node. */
  reason?: string;
}

/** Finds the credential types of operations. `types` has those of all operations, keyed by their schemes. */
export function createFit(description: ApiDescription, namespace: string) {
  const types = makeTypes(description, namespace);
  const typeFor = (schemes: readonly string[]): CredentialTypeManifest | undefined => types.get(schemes.join('\n'));
  const fit = (operation: ApiOperation): Fit => {
    const needed = operation.security.filter((schemes) => schemes.length > 0);
    const own = needed.map(typeFor).filter((type) => type !== undefined);
    const isOptional = needed.length < operation.security.length;
    const shared = needed.some((schemes) => takesAnyToken(schemes, description)) ? tokenTypes : [];
    const pathFault = findPathFault(operation.path);
    if (pathFault !== undefined) return { own, shared, isOptional, reason: pathFault };
    if (needed.length === 0 || own.length > 0 || isOptional) return { own, shared, isOptional };
    const reason = `It can be called with ${listSchemes(operation)} only, which no credential here can hold.`;
    return { own, shared, isOptional, reason };
  };
  return { types, fit };
}

/** Makes the types of all operations, also of those that are not chosen, so that no slug depends on the choice. */
function makeTypes(description: ApiDescription, namespace: string): Map<string, CredentialTypeManifest | undefined> {
  const types = new Map<string, CredentialTypeManifest | undefined>();
  const taken = new Set<string>();
  for (const schemes of description.operations.flatMap(({ security }) => security)) {
    const key = schemes.join('\n');
    if (schemes.length === 0 || types.has(key)) continue;
    const type = makeCredentialType(schemes, description, namespace);
    // Names of schemes may differ only in signs that a slug does not have.
    if (type && taken.has(type.slug)) type.slug = `${type.slug}-${hash('sha256', key).slice(0, 6)}`;
    if (type) taken.add(type.slug);
    types.set(key, type);
  }
  return types;
}

/**
 * Types of package core for APIs that take a token. Descriptions often do not say how to get a token, name an obsolete grant, or leave out
 * the header that carries the token.
 */
const tokenTypes = ['core:oauth2', 'core:session', 'core:api-key'] as const;

const takesAnyToken = (schemes: readonly string[], { security }: Pick<ApiDescription, 'security'>): boolean => {
  const [name = '', ...others] = schemes;
  const type = Object.hasOwn(security, name) ? security[name]?.type : undefined;
  return others.length === 0 && (type === 'bearer' || type === 'oauth2' || type === 'openid');
};

const listSchemes = ({ security }: ApiOperation): string =>
  security
    .map((schemes) => schemes.join(' and '))
    .join(', or ')
    .slice(0, 200);

/** Makes a namespace from the name of an API: `weclapp API v1` becomes `weclapp`. */
export function namespaceFor(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()
    .split(' ')
    .filter((word) => !/^(api|rest|openapi|the|public|admin|v?\d+)$/.test(word));
  const name = words
    .slice(0, 3)
    .join('-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return name === '' || name === 'core' || name === 'commerce' ? 'api' : name;
}
