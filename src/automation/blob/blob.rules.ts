import semver from 'semver';
import { Budget } from '#src/automation/expressions/budget.ts';
import type { ExpressionError } from '#src/automation/expressions/expression-error.ts';
import { checkTemplate, compileTemplate } from '#src/automation/expressions/template.ts';
import { untouchedMembers } from '#src/automation/node-api/builtin-node.ts';
import type { FieldErrors } from '#src/infra/errors.ts';
import { inputSentence } from '#src/infra/input-messages.ts';
import type { NodeCatalogue } from './blob-nodes.rules.ts';
import { listBranches, resolveVersion } from './blob-nodes.rules.ts';
import { blobLimits, workflowGraphSchema } from './blob.inputs.ts';
import type { WorkflowBlob, WorkflowGraph, WorkflowNode } from './blob.inputs.ts';
import { findCycle } from './cycle.rules.ts';
import { type BlobIssue, freeId, type IssueCode, type IssueFix, remove, setTo, setToNearest } from './issues.rules.ts';

export interface BlobCheck {
  /** Messages by path (`blob.nodes.0.version`); the blob is valid when this is empty. */
  errors: FieldErrors;
  /** Warnings: allowed, but probably mistakes. */
  warnings: FieldErrors;
  /** The same, each with its code, and with a change that would mend it where one is known. */
  issues: BlobIssue[];
}

interface Context extends BlobCheck {
  /** Without a catalogue, the names, versions and branches of nodes are not checked. */
  catalogue: NodeCatalogue | undefined;
  nodeCount: number;
  /** For its pauses: the expressions of a large blob take seconds to compile. */
  budget: Budget;
}

/** Bounded, so that a blob cannot cause a response many times its own size. */
const maxMessages = 200;
/** Characters of a path. It includes keys of a config, which may be as long as a request body. */
const longestPath = 1_000;

/** Adds an issue to a check, unless it has enough of that severity already. */
export function report(check: BlobCheck, { path: at, ...issue }: BlobIssue): void {
  const to = issue.severity === 'error' ? check.errors : check.warnings;
  const path = at.length > longestPath ? `${at.slice(0, longestPath)}…` : at;
  if (Object.keys(to).length >= maxMessages && !Object.hasOwn(to, path)) return;
  (to[path] ??= []).push(issue.message);
  check.issues.push({ path, ...issue });
}

const fail = (check: BlobCheck, code: IssueCode, path: string, message: string, fix?: IssueFix): void =>
  report(check, { severity: 'error', code, path, message, ...(fix && { fix }) });

function addFaults(check: Context, faults: readonly ExpressionError[]): void {
  for (const { place, reason } of faults)
    fail(check, 'invalid_expression', place.path, `${reason} (at character ${place.position})`);
}

function checkExpressions(node: WorkflowNode, path: string, check: Context): void {
  const builtin = check.catalogue?.builtin(node.node);
  const deferred = untouchedMembers(builtin);
  addFaults(check, checkTemplate(node.config, { path, deferred }));
  for (const member of builtin?.deferred ?? []) {
    if (member === 'body') continue;
    try {
      compileTemplate(node.config, { path, deferred }).deferred(member);
    } catch (fault) {
      addFaults(check, [fault as ExpressionError]);
    }
  }
}

function checkCatalogued(node: WorkflowNode, path: string, check: Context): void {
  const versions = check.catalogue?.versions(node.node);
  const newest = versions?.[0];
  const toNewest = newest === undefined ? undefined : setTo(`${path}.version`, newest);
  if (node.version !== 'latest' && semver.validRange(node.version) === null) {
    fail(
      check,
      'invalid_version',
      `${path}.version`,
      'Give a version such as 1.2.0, a range such as ^1.2.0, or latest.',
      toNewest,
    );
  } else if (versions?.length === 0) {
    fail(
      check,
      'unknown_node',
      `${path}.node`,
      `There is no node ${node.node}; publish its package or correct the name.`,
    );
  } else if (versions && resolveVersion(node.version, versions) === undefined) {
    const known = versions.slice(0, 5).join(', ');
    fail(
      check,
      'unknown_version',
      `${path}.version`,
      `${node.node} has no version ${node.version}; there are ${known}.`,
      toNewest,
    );
  }
}

async function checkBody(node: WorkflowNode, path: string, depth: number, check: Context): Promise<void> {
  if (depth >= blobLimits.nesting) {
    fail(
      check,
      'too_large',
      path,
      `Loops nest at most ${blobLimits.nesting} levels; move the inner one into a workflow of its own.`,
    );
    return;
  }
  const read = workflowGraphSchema.safeParse(node.config.body, { error: inputSentence(path) });
  if (!read.success) {
    for (const issue of read.error.issues) fail(check, 'invalid_value', [path, ...issue.path].join('.'), issue.message);
    return;
  }
  await checkGraph(read.data, path, depth + 1, check);
}

function checkEdges(graph: WorkflowGraph, path: string, isBody: boolean, check: Context): void {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  for (const [index, { from, to }] of graph.edges.entries()) {
    const at = `${path}.edges.${index}`;
    if (!byId.has(to)) {
      const fix = setToNearest(`${at}.to`, to, byId.keys()) ?? remove(at);
      fail(check, 'unknown_edge_end', `${at}.to`, `There is no node "${to}" for this edge to lead to.`, fix);
    }
    if ('trigger' in from) {
      const message = 'Triggers start workflows, not loops; leave the edge out.';
      if (isBody) fail(check, 'trigger_in_loop', `${at}.from.trigger`, message, remove(at));
      continue;
    }
    const source = byId.get(from.node);
    if (!source) {
      const fix = setToNearest(`${at}.from.node`, from.node, byId.keys()) ?? remove(at);
      fail(
        check,
        'unknown_edge_end',
        `${at}.from.node`,
        `There is no node "${from.node}" for this edge to come from.`,
        fix,
      );
      continue;
    }
    const branches = check.catalogue && listBranches(source, check.catalogue);
    if (branches && !branches.includes(from.branch)) {
      const named = branches.join(', ');
      const message = `"${source.id}" has no branch "${from.branch}"; it has ${named}.`;
      const nearest = setToNearest(`${at}.from.branch`, from.branch, branches);
      const [only] = branches.length === 1 ? branches : [];
      const fix = nearest ?? (only === undefined ? undefined : setTo(`${at}.from.branch`, only));
      fail(check, 'unknown_branch', `${at}.from.branch`, message, fix);
    }
  }
  const cycle = findCycle(graph);
  if (cycle) {
    const way = cycle.length > 10 ? [...cycle.slice(0, 9), '…'] : cycle;
    fail(
      check,
      'cycle',
      `${path}.edges`,
      `The edges make a cycle: ${way.join(' -> ')}. Loop with core:for-each instead.`,
    );
  }
}

/** Once an edge names a trigger, only nodes that are reachable from triggers will run. */
function warnUnreachable(graph: WorkflowGraph, path: string, check: Context): void {
  const reached = new Set(graph.edges.flatMap(({ from, to }) => ('trigger' in from ? [to] : [])));
  if (reached.size === 0) return;
  const next = new Map<string, string[]>();
  for (const { from, to } of graph.edges) {
    if ('node' in from) next.set(from.node, [...(next.get(from.node) ?? []), to]);
  }
  for (const id of reached) for (const to of next.get(id) ?? []) reached.add(to);
  for (const [index, { id }] of graph.nodes.entries()) {
    if (reached.has(id)) continue;
    const message = 'No edge leads here from a trigger.';
    report(check, { severity: 'warning', code: 'unreachable', path: `${path}.nodes.${index}`, message });
  }
}

async function checkGraph(graph: WorkflowGraph, path: string, depth: number, check: Context): Promise<void> {
  const seen = new Set<string>();
  check.nodeCount += graph.nodes.length;
  for (const [index, node] of graph.nodes.entries()) {
    const at = `${path}.nodes.${index}`;
    if (seen.has(node.id)) {
      const fix = setTo(`${at}.id`, freeId(node.id, graph));
      fail(check, 'duplicate_id', `${at}.id`, `Another node has the id "${node.id}" already.`, fix);
    }
    seen.add(node.id);
    checkCatalogued(node, at, check);
    checkExpressions(node, `${at}.config`, check);
    await check.budget.pause();
    if (node.node === 'core:for-each') await checkBody(node, `${at}.config.body`, depth, check);
  }
  checkEdges(graph, path, depth > 0, check);
}

/**
 * Checks what a blob's schema cannot, also in bodies of loops: ids are unique, edges join existing nodes, there are no cycles,
 * nodes exist, and expressions are valid. Takes a parsed blob, and its workflow's id if it already has one.
 */
export async function validateBlob(
  blob: WorkflowBlob,
  options: { catalogue?: NodeCatalogue; workflowId?: number | bigint } = {},
): Promise<BlobCheck> {
  const found: BlobCheck = { errors: {}, warnings: {}, issues: [] };
  const check: Context = { ...found, catalogue: options.catalogue, nodeCount: 0, budget: new Budget() };
  await checkGraph(blob, 'blob', 0, check);
  warnUnreachable(blob, 'blob', check);
  if (check.nodeCount > blobLimits.nodes) {
    fail(
      check,
      'too_large',
      'blob.nodes',
      `A workflow has at most ${blobLimits.nodes} nodes, those of its loops included.`,
    );
  }
  const errorWorkflow = blob.settings?.error_workflow_id;
  if (
    errorWorkflow !== undefined &&
    options.workflowId !== undefined &&
    BigInt(errorWorkflow) === BigInt(options.workflowId)
  ) {
    fail(
      check,
      'invalid_value',
      'blob.settings.error_workflow_id',
      'A workflow cannot be its own error workflow; name another one.',
      remove('blob.settings.error_workflow_id'),
    );
  }
  return { errors: check.errors, warnings: check.warnings, issues: check.issues };
}
