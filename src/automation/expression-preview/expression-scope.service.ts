import { z } from 'zod';
import { type LoadedCatalogue, findManifest } from '#src/automation/blob/blob-nodes.rules.ts';
import { type WorkflowGraph, type WorkflowNode, workflowBlobSchema } from '#src/automation/blob/blob.inputs.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { loadCatalogue } from '#src/automation/workflows/node-catalogue.reads.ts';
import { isObject } from '#src/automation/workflows/revision-diff.rules.ts';
import type { Actor } from '#src/infra/deps.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { redacted } from '#src/infra/logs/redact.ts';
import { pathsToRead, previewWithin, readRunScope, type Seen } from './expression-preview.service.ts';
import {
  type ScopeEntry,
  scopeEntries,
  scopeLimits,
  type ScopePart,
  type VisibleNode,
  visibleNodes,
} from './expression-scope.rules.ts';

export const nodePathInput = z.string().max(400, 'A path of node ids has at most 400 characters.');

export interface ScopeQuestion {
  workflowId: bigint;
  /** The path of a node's ids: `each/send`. */
  nodeId: string | null;
  runId: bigint | null;
  /** Read the blob of its draft, if it has one. */
  isOfDraft: boolean;
  /** Used instead of a stored blob. */
  blob?: unknown;
}

/**
 * What the expressions of a node see, with the values of a run where there is one. Null for a workflow that the tenant does not have.
 * Throws NotFoundError for a run that is not there, and a ValidationError for a node that is not, or a run of another workflow.
 */
export async function readExpressionScope(
  deps: NodeDeps,
  actor: Actor,
  request: object,
  { workflowId, nodeId, runId, isOfDraft, blob: given }: ScopeQuestion,
): Promise<ScopeEntry[] | null> {
  const { database } = deps;
  const { tenantId } = actor;
  const visible = await readVisible(deps, actor, { workflowId, nodeId, isOfDraft, blob: given });
  if (!visible) return null;
  const paths = new Map(visible.nodes.map(({ node, stepPath }) => [stepPath, node.id]));
  const [catalogue, secrets, seen] = await Promise.all([
    loadCatalogue(deps, { nodes: visible.nodes.map(({ node }) => node), edges: [] }),
    secretKeys(deps, tenantId),
    runId === null ? null : readRunScope(database, tenantId, runId, paths),
  ]);
  if (seen) refuseOtherWorkflow(seen, workflowId);
  const items = visible.lists.length === 0 ? [] : await itemParts(deps, actor, request, visible.lists, seen);
  return scopeEntries([
    triggerPart(seen),
    {
      name: 'nodes',
      path: 'nodes',
      members: visible.nodes.map((each) => outputsPart(each, catalogue, seen)),
    },
    runPart(seen),
    ...items,
    {
      name: 'secrets',
      path: 'secrets',
      members: secrets.map((key) => ({ name: key, path: `secrets.${key}`, value: redacted })),
    },
  ]);
}

/**
 * What the expressions of a node read of a run, for their evaluation: of outputs, those that they name; inside a loop, its first item. Throws
 * NotFoundError for a workflow or a run that is not there, and a ValidationError like `readExpressionScope`.
 */
export async function readNodeScope(
  deps: NodeDeps,
  actor: Actor,
  request: object,
  { expressions, ...question }: Omit<ScopeQuestion, 'isOfDraft'> & { runId: bigint; expressions: readonly string[] },
): Promise<Seen> {
  const { workflowId, runId } = question;
  const visible = await readVisible(deps, actor, { ...question, isOfDraft: false });
  if (!visible) throw new NotFoundError();
  const named = pathsToRead([...expressions, ...visible.lists.flatMap(({ config }) => firstTexts(config['items']))]);
  const read = visible.nodes.filter(({ node }) => named === undefined || named.has(node.id));
  const paths = new Map(read.map(({ node, stepPath }) => [stepPath, node.id]));
  const seen = await readRunScope(deps.database, actor.tenantId, runId, paths);
  refuseOtherWorkflow(seen, workflowId);
  if (visible.lists.length === 0) return seen;
  return { ...seen, item: await firstItem(deps, actor, request, visible.lists, seen), index: 0 };
}

/** The nodes that a node can read, and the lists of the loops around it; null for a workflow that the tenant does not have. */
async function readVisible(
  { database }: NodeDeps,
  { tenantId }: Actor,
  { workflowId, nodeId, isOfDraft, blob: given }: Omit<ScopeQuestion, 'runId'>,
) {
  const workflow = await database.reader(tenantId).workflow.findFirst({
    where: { tenantId, id: workflowId, deletedAt: null },
    select: { id: true, blob: given === undefined, draft: isOfDraft && { select: { blob: true } } },
  });
  if (!workflow) return null;
  const blob: WorkflowGraph =
    given === undefined ? readStored((workflow.draft ?? workflow).blob) : parseInput(workflowBlobSchema, given, 'blob');
  const visible = visibleNodes(blob, nodeId);
  if (!visible) throw new ValidationError({ nodeId: ['The workflow has no such node.'] });
  return visible;
}

function refuseOtherWorkflow(seen: { workflowId: number }, workflowId: bigint): void {
  if (BigInt(seen.workflowId) !== workflowId) {
    throw new ValidationError({ runId: ['This is a run of another workflow.'] });
  }
}

/** A stored blob that is no longer valid has no nodes, as in `Workflow.nodes`. */
const readStored = (blob: unknown): WorkflowGraph =>
  workflowBlobSchema.safeParse(blob).data ?? { nodes: [], edges: [] };

async function secretKeys({ database }: NodeDeps, tenantId: string): Promise<string[]> {
  // One more than has entries, so that the tree says if there are others.
  const rows = await database.reader(tenantId).tenantSecret.findMany({
    where: { tenantId },
    select: { key: true },
    orderBy: { key: 'asc' },
    take: scopeLimits.members + 1,
  });
  return rows.map(({ key }) => key);
}

function triggerPart(seen: Seen | null): ScopePart {
  const { trigger } = seen ?? {};
  return {
    name: 'trigger',
    path: 'trigger',
    members: [
      { name: 'payload', path: 'trigger.payload', value: trigger?.payload },
      { name: 'type', path: 'trigger.type', value: trigger?.type, type: 'string' },
      { name: 'handle', path: 'trigger.handle', value: trigger?.handle },
    ],
  };
}

const runPart = (seen: Seen | null): ScopePart => ({
  name: 'run',
  path: 'run',
  members: [
    { name: 'id', path: 'run.id', value: seen?.run.id, type: 'number' },
    { name: 'started_at', path: 'run.started_at', value: seen?.run.started_at, type: 'string' },
  ],
});

/** The outputs that a node left in the run; those of its manifest where it left none. Either way, the error after which the run goes on. */
function outputsPart({ node }: VisibleNode, catalogue: LoadedCatalogue, seen: Seen | null): ScopePart {
  const path = `nodes.${node.id}.outputs`;
  const value = seen && Object.hasOwn(seen.nodes, node.id) ? seen.nodes[node.id]?.outputs : undefined;
  const hasFailed = isObject(value) && Object.hasOwn(value, 'error');
  const otherwise = node.on_error === 'fail' || hasFailed ? [] : [errorPart(path)];
  const part = { name: node.id, path, otherwise };
  if (value !== undefined) return { ...part, value };
  const ports = findManifest(node, catalogue)?.outputs ?? [];
  return {
    ...part,
    isDeclared: true,
    members: ports.map(({ name, type = 'any' }) => ({
      name,
      isDeclared: true,
      path: `${part.path}.${name}`,
      type: type === 'any' ? null : type,
    })),
  };
}

/** What a failed step leaves in the place of its outputs. */
function errorPart(outputs: string): ScopePart {
  const part = { name: 'error', path: `${outputs}.error`, isDeclared: true };
  const members = ['code', 'message'].map((name) => ({
    name,
    path: `${part.path}.${name}`,
    type: 'string' as const,
    isDeclared: true,
  }));
  return { ...part, members };
}

async function itemParts(
  deps: NodeDeps,
  actor: Actor,
  request: object,
  lists: readonly WorkflowNode[],
  seen: Seen | null,
): Promise<ScopePart[]> {
  return [
    { name: 'item', path: 'item', value: seen ? await firstItem(deps, actor, request, lists, seen) : undefined },
    { name: 'index', path: 'index', value: seen ? 0 : undefined, type: 'number' },
  ];
}

/** The first item of the innermost loop or filter, evaluated as a run would. */
async function firstItem(
  deps: NodeDeps,
  actor: Actor,
  request: object,
  lists: readonly WorkflowNode[],
  seen: Seen,
): Promise<unknown> {
  let item: unknown;
  for (const { config } of lists) {
    const scope = { ...seen, item, index: 0 };
    const evaluate = (value: unknown) => evaluated(deps, actor, request, value, scope);
    const { items } = config;
    // What an expression yields is data: a text in it is no expression again.
    item = Array.isArray(items) ? await evaluate(items[0]) : firstItemIn(await evaluate(items));
  }
  return item;
}

const firstItemIn = (list: unknown): unknown => (Array.isArray(list) ? (list[0] as unknown) : list);

/** The texts that the first item of a list depends on. */
function firstTexts(items: unknown): string[] {
  const texts = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : typeof value === 'object' ? Object.values(value ?? {}).flatMap(texts) : [];
  return texts(Array.isArray(items) ? items[0] : items);
}

/** A value of a config with those of its expressions; undefined in place of one that fails. */
async function evaluated(deps: NodeDeps, actor: Actor, request: object, value: unknown, scope: Seen): Promise<unknown> {
  if (typeof value === 'object' && value !== null) {
    const members: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      members.push([name, await evaluated(deps, actor, request, member, scope)]);
    }
    return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
  }
  if (typeof value !== 'string' || !value.includes('{{')) return value;
  const [preview] = await previewWithin(request, deps, actor, [value], scope);
  return preview?.type === null || preview?.type === 'nothing' ? undefined : preview?.value;
}
