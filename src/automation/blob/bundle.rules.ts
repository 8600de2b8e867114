import { Budget } from '#src/automation/expressions/budget.ts';
import { type Folded, foldConstants } from '#src/automation/expressions/fold-constants.ts';
import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import { listCredentialFields, type CredentialRefField } from '#src/automation/node-api/credential-fields.rules.ts';
import { checkFieldValues, fieldWork, withDefaults } from '#src/automation/node-api/field-values.rules.ts';
import { findListFields, withLists } from '#src/automation/node-api/list-fields.ts';
import type { ConfigField } from '#src/automation/node-api/manifest.ts';
import { isNested } from '#src/automation/node-api/nested-fields.ts';
import { findRequiredFields } from '#src/automation/node-api/required-fields.ts';
import type { FieldWork } from '#src/automation/node-api/value-checks.rules.ts';
import { type LoadedCatalogue, walkNodes, resolveVersion } from './blob-nodes.rules.ts';
import { workflowGraphSchema } from './blob.inputs.ts';
import type { WorkflowBlob, WorkflowGraph, WorkflowNode } from './blob.inputs.ts';
import { type BlobCheck, report, validateBlob } from './blob.rules.ts';
import { knownFaults, type NodeFault, textFaults, withBraces } from './builtin-config.rules.ts';
import { setTo } from './issues.rules.ts';
import { findMistakes } from './mistakes.rules.ts';
import { namespaceFaults } from './namespace-faults.rules.ts';

export interface ResolvedNode {
  version: string;
  codeHash: string | null;
  /** The config fields that reference credentials; absent when there are none, and for built-in nodes. */
  credentialFields?: CredentialRefField[];
  /** The config fields that need a value once expressions are evaluated; absent like `credentialFields`. */
  requiredFields?: string[];
  /** The config fields that hold lists; absent like `credentialFields`. */
  listFields?: string[];
  /**
   * All config fields. Present only for a node with a call, and for a node with a field whose members or items have fields of their own.
   */
  fields?: ConfigField[];
  /** The request that the worker sends for the node; absent for a node with code. */
  call?: ApiCall;
}

/** The content that a run uses: the blob, and the node that each `slug@version` in it resolves to. */
export interface WorkflowBundleContent {
  blob: WorkflowBlob;
  nodes: Record<string, ResolvedNode>;
}

export type Bundling = { ok: true; content: WorkflowBundleContent } | { ok: false; error: string };

/** Resolves every node, also in bodies of loops, or returns why the workflow cannot run. */
export async function bundleWorkflow(
  blob: WorkflowBlob,
  catalogue: LoadedCatalogue,
  workflowId: number,
): Promise<Bundling> {
  const { errors } = await validateBlob(blob, { catalogue, workflowId });
  const [fault] = Object.entries(errors);
  // The blob was valid when it was saved; a node may have been deleted since.
  if (fault) return { ok: false, error: `${fault[0]}: ${fault[1].join(' ')}` };
  const nodes: WorkflowBundleContent['nodes'] = {};
  const check = nodeCheck(blob, catalogue);
  // Built-in nodes fill in their own defaults, and open credentials by themselves.
  const readFields: ReadFields = (slug, version) =>
    catalogue.builtin(slug) ? [] : manifestFields(catalogue, slug, version);
  for (const { path, node } of walkNodes(blob)) {
    const faults = await nodeFaults(node, { ...check, fields: fieldWork() });
    const version = resolveVersion(node.version, catalogue.versions(node.node));
    const codeHash = version === undefined ? undefined : catalogue.codeHash(node.node, version);
    if (version === undefined || codeHash === undefined || faults.length > 0) {
      return { ok: false, error: `${path}: ${faults.map(({ message }) => message).join(' ')}` };
    }
    const fields = readFields(node.node, node.version);
    const call = catalogue.manifest(node.node, version)?.call;
    const credentialFields = listCredentialFields(fields);
    const requiredFields = findRequiredFields(fields);
    const listFields = findListFields(fields);
    nodes[`${node.node}@${node.version}`] = {
      version,
      codeHash,
      ...(credentialFields.length > 0 && { credentialFields }),
      ...(requiredFields.length > 0 && { requiredFields }),
      ...(listFields.length > 0 && { listFields }),
      ...((call !== undefined || fields.some(isNested)) && { fields: fields.map(withoutTexts) }),
      ...(call && { call }),
    };
  }
  return { ok: true, content: { blob: { ...blob, ...complete(blob, readFields) }, nodes } };
}

/** The parts of a field that checks need. Labels are part of the checks' messages. */
function withoutTexts(field: ConfigField): ConfigField {
  const { fields, items, variants } = field;
  const kept: ConfigField = {
    ...field,
    ...(fields && { fields: fields.map(withoutTexts) }),
    ...(items && { items: withoutTexts(items) }),
    ...(variants && { variants: variants.map((variant) => ({ ...variant, field: withoutTexts(variant.field) })) }),
  };
  delete kept.help;
  return kept;
}

type ReadFields = (slug: string, version: string) => readonly ConfigField[];

function manifestFields(catalogue: LoadedCatalogue, slug: string, version: string): readonly ConfigField[] {
  const resolved = resolveVersion(version, catalogue.versions(slug));
  return (resolved !== undefined && catalogue.manifest(slug, resolved)?.config) || [];
}

interface NodeCheck {
  catalogue: LoadedCatalogue;
  /** The state namespaces that the workflow declares. */
  state: WorkflowBlob['state'];
  /** For the constant expressions of all nodes. */
  constants: Budget;
  fields: FieldWork;
}

/** One budget for all nodes, because a user waits for the response. */
const nodeCheck = ({ state }: Pick<WorkflowBlob, 'state'>, catalogue: LoadedCatalogue): NodeCheck => ({
  catalogue,
  state,
  constants: new Budget(),
  fields: fieldWork(),
});

/** Checks nodes one by one, as the build of their blob would. They share one budget. */
export function createNodeCheck(
  blob: Pick<WorkflowBlob, 'state'>,
  catalogue: LoadedCatalogue,
): (node: WorkflowNode) => Promise<NodeFault[]> {
  const check = nodeCheck(blob, catalogue);
  return (node) => nodeFaults(node, check);
}

/** The faults that would keep a node from running, as far as they are known before it runs. */
async function nodeFaults(node: WorkflowNode, check: NodeCheck): Promise<NodeFault[]> {
  const { catalogue, constants } = check;
  const version = resolveVersion(node.version, catalogue.versions(node.node));
  const codeHash = version === undefined ? undefined : catalogue.codeHash(node.node, version);
  if (version === undefined || codeHash === undefined) {
    return [{ key: 'version', code: 'unknown_version', message: `There is no ${node.node} ${node.version}.` }];
  }
  const builtin = catalogue.builtin(node.node);
  if (codeHash === null && !builtin && !catalogue.manifest(node.node, version)?.call) {
    const reason = 'has no built code, since it did not bundle when its package was registered.';
    return [
      { key: 'version', code: 'not_built', message: `${node.node} ${version} ${reason} Publish a corrected version.` },
    ];
  }
  const fields = manifestFields(catalogue, node.node, node.version);
  const { deferred = [], verbatim = [] } = builtin ?? {};
  const folded = await foldConstants(node.config, { deferred, verbatim, budget: constants });
  const { faults } = folded;
  const constantLists = findListFields(fields).filter((key) => folded.config[key] !== node.config[key]);
  const config = withLists(constantLists, node.config, folded.config) as Folded['config'];
  if (faults.length > 0)
    return faults.map(({ path, message }) => ({
      key: path,
      code: 'invalid_expression',
      message: `${path}: ${message}`,
    }));
  if (builtin) {
    const known = [...knownFaults(builtin, fields, config), ...namespaceFaults(node, config, check.state)];
    return known.length > 0 ? known : textFaults(builtin, config);
  }
  const issues = checkFieldValues(fields, config, { expressions: true, budget: check.fields });
  const lists = findListFields(fields);
  return issues.map(({ key, path, message, isMissing }) => {
    const meant = path.length === 0 && lists.includes(key) ? withBraces(config[key]) : undefined;
    return {
      key: ['config', key, ...path].join('.'),
      code: isMissing ? 'required' : 'invalid_value',
      message,
      ...(meant !== undefined && { meant }),
    };
  });
}

/**
 * Errors, which saving or building the blob would refuse, and warnings of probable mistakes, both by path. A node with an error is not
 * built. `secrets` are the keys that the tenant has set.
 */
export async function checkAll(
  blob: WorkflowBlob,
  catalogue: LoadedCatalogue,
  secrets: ReadonlySet<string>,
  workflowId?: bigint,
): Promise<BlobCheck> {
  const found = await validateBlob(blob, { catalogue, ...(workflowId !== undefined && { workflowId }) });
  const unsaved = Object.keys(found.errors);
  const check = nodeCheck(blob, catalogue);
  for (const { place, node } of walkNodes(blob)) {
    if (unsaved.some((path) => path.startsWith(`${place}.`))) continue;
    for (const { key, meant, ...fault } of await nodeFaults(node, check)) {
      const path = `${place}.${key}`;
      report(found, { severity: 'error', path, ...(meant !== undefined && { fix: setTo(path, meant) }), ...fault });
    }
  }
  for await (const mistake of findMistakes(blob, catalogue, secrets)) report(found, mistake);
  return found;
}

/** A graph with all defaults, also those in bodies of loops, which a blob's own schema sees only as config. */
function complete({ nodes, edges }: WorkflowGraph, readFields: ReadFields): WorkflowGraph {
  return {
    edges,
    nodes: nodes.map((node) => {
      if (node.node !== 'core:for-each') {
        return { ...node, config: withDefaults(readFields(node.node, node.version), node.config) };
      }
      const body = complete(workflowGraphSchema.parse(node.config['body']), readFields);
      return { ...node, config: { ...node.config, body } };
    }),
  };
}
