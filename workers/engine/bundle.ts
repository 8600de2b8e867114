import {
  type WorkflowBlob,
  type WorkflowGraph,
  workflowGraphSchema,
  type WorkflowNode,
} from '#src/automation/blob/blob.inputs.ts';
import type { WorkflowBundleContent } from '#src/automation/blob/bundle.rules.ts';
import { type GraphPlan, compileGraph } from '#src/automation/blob/graph.rules.ts';
import { callNode } from '#src/automation/connectors/calls/call-node.ts';
import { ExpressionError } from '#src/automation/expressions/expression-error.ts';
import { type CompiledTemplate, compileTemplate } from '#src/automation/expressions/template.ts';
import { type BuiltinNode, untouchedMembers } from '#src/automation/node-api/builtin-node.ts';
import type { BuiltinNodes } from '#src/automation/node-api/builtin-package.ts';
import type { CredentialRefField } from '#src/automation/node-api/credential-fields.rules.ts';
import type { ConfigField } from '#src/automation/node-api/manifest.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import type { StateAccess } from '#src/automation/state/state-store.service.ts';
import { createReadSchemas, type ReadSchemas } from './output-schemas.ts';
import { loadBundle } from './statements/run-claims.ts';

/** A node that is ready to run: its implementation resolved, its expressions compiled. */
export interface CompiledNode {
  node: WorkflowNode;
  template: CompiledTemplate;
  /** The implementation of a node that this process runs: a built-in one, or one whose package describes a call; null for a node with code. */
  builtin: BuiltinNode | null;
  /** The exact version that the build resolved; the blob's version when the bundle has none. */
  version: string;
  /** Hash of a package node's built code; null if there is none. */
  codeHash: string | null;
  /** The config fields that refer to credentials. */
  credentialFields: readonly CredentialRefField[];
  /** The config fields of a package's node that must have a value when it starts. */
  requiredFields: readonly string[];
  /** The config fields that hold lists. */
  listFields: readonly string[];
  /** The config fields of a package's node; empty unless members or items of a field have fields of their own. */
  fields: readonly ConfigField[];
  /** The branches that its edges name. */
  edgeBranches: ReadonlySet<string>;
  /** The nested graph of a loop. */
  body: CompiledGraph | null;
  /** The keys of the secrets that its config names, and those in its body. */
  secrets: readonly string[];
  /** True when the node or its body names a secret or a credential. */
  usesSecrets: boolean;
}

export interface CompiledGraph {
  plan: GraphPlan;
  nodes: ReadonlyMap<string, CompiledNode>;
}

export interface CompiledBundle {
  graph: CompiledGraph;
  /** The keys of the secrets that its nodes name. */
  secrets: readonly string[];
  usesSecrets: boolean;
  settings: NonNullable<WorkflowBlob['settings']>;
  /** The namespaces of the state store that the workflow declares. */
  state: StateAccess;
}

const maxCached = 2_000;

/** Caches compiled bundles, which never change. The least recently used are evicted first. */
export function createBundleCache(deps: NodeDeps) {
  const known = new Map<string, Promise<CompiledBundle>>();
  const readSchemas = createReadSchemas(deps);

  async function load(tenantId: string, bundleId: number): Promise<CompiledBundle> {
    const content = (await loadBundle(deps, tenantId, bundleId)) as WorkflowBundleContent | undefined;
    if (!content) throw new Error(`Bundle ${bundleId} does not exist.`);
    const { settings = {}, state } = content.blob;
    const graph = compile(content.blob, content, { builtins: deps.builtins, readSchemas });
    const nodes = [...graph.nodes.values()];
    return {
      graph,
      secrets: [...new Set(nodes.flatMap(({ secrets }) => secrets))],
      usesSecrets: nodes.some(({ usesSecrets }) => usesSecrets),
      settings,
      state: state?.namespaces ?? {},
    };
  }

  return (tenantId: string, bundleId: number): Promise<CompiledBundle> => {
    const key = `${tenantId}/${bundleId}`;
    let found = known.get(key);
    if (found) known.delete(key);
    else {
      found = load(tenantId, bundleId);
      found.catch(() => known.delete(key));
      if (known.size >= maxCached) known.delete(known.keys().next().value as string);
    }
    known.set(key, found);
    return found;
  };
}

interface Sources {
  builtins: BuiltinNodes;
  readSchemas: ReadSchemas;
}

function compile(graph: WorkflowGraph, content: WorkflowBundleContent, sources: Sources): CompiledGraph {
  return {
    plan: compileGraph(graph),
    nodes: new Map(graph.nodes.map((node) => [node.id, compileNode(node, graph, content, sources)])),
  };
}

function compileNode(
  node: WorkflowNode,
  graph: WorkflowGraph,
  content: WorkflowBundleContent,
  sources: Sources,
): CompiledNode {
  const { builtins, readSchemas } = sources;
  const resolved = content.nodes[`${node.node}@${node.version}`];
  const own = builtins.find(node.node);
  const builtin =
    own ??
    (resolved?.call
      ? callNode({
          slug: node.node,
          version: resolved.version,
          call: resolved.call,
          config: resolved.fields ?? [],
          readSchemas: () => readSchemas(node.node, resolved.version),
        })
      : null);
  // The config holds the body as it was saved; parsing fills in the defaults of its nodes and edges.
  const body = node.node === 'core:for-each' ? workflowGraphSchema.parse(node.config['body']) : null;
  const deferred = builtin?.deferred ?? [];
  const template = compileTemplate(node.config, { deferred: untouchedMembers(builtin ?? undefined), path: 'config' });
  const compiledBody = body && compile(body, content, sources);
  const credentialFields = own ? builtins.credentialFields(node.node) : (resolved?.credentialFields ?? []);
  const inBody = compiledBody ? [...compiledBody.nodes.values()] : [];
  const secrets = [
    ...template.secrets,
    ...deferred.filter((member) => member !== 'body').flatMap((member) => secretsOfDeferred(template, member)),
    ...inBody.flatMap((inner) => inner.secrets),
  ];
  return {
    node,
    builtin,
    version: resolved?.version ?? node.version,
    template,
    codeHash: resolved?.codeHash ?? null,
    credentialFields,
    requiredFields: resolved?.requiredFields ?? [],
    listFields: own ? builtins.listFields(node.node) : (resolved?.listFields ?? []),
    fields: resolved?.fields ?? [],
    edgeBranches: new Set(
      graph.edges.flatMap(({ from }) => ('node' in from && from.node === node.id ? [from.branch] : [])),
    ),
    body: compiledBody,
    secrets: [...new Set(secrets)],
    usesSecrets:
      secrets.length > 0 ||
      credentialFields.some(({ key }) => node.config[key] !== undefined) ||
      inBody.some((inner) => inner.usesSecrets),
  };
}

function secretsOfDeferred(template: CompiledTemplate, member: string): readonly string[] {
  try {
    return template.deferred(member).secrets;
  } catch (error) {
    // The step itself fails with this error.
    if (error instanceof ExpressionError) return [];
    throw error;
  }
}
