import { z } from 'zod';
import { type LoadedCatalogue, findManifest } from '#src/automation/blob/blob-nodes.rules.ts';
import { type WorkflowGraph, workflowBlobSchema } from '#src/automation/blob/blob.inputs.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { loadCatalogue } from '#src/automation/workflows/node-catalogue.reads.ts';
import { isObject } from '#src/automation/workflows/revision-diff.rules.ts';
import type { Actor } from '#src/infra/deps.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { redacted } from '#src/infra/logs/redact.ts';
import { describedPayload } from './described-parts.rules.ts';
import { chosenItem, itemParts, itemTexts } from './expression-items.service.ts';
import { pathsToRead, readRunScope, type Seen } from './expression-preview.service.ts';
import {
  type ScopeEntry,
  scopeEntries,
  scopeLimits,
  type ScopePart,
  type VisibleNode,
  visibleNodes,
} from './expression-scope.rules.ts';

export const nodePathInput = z.string().max(400, 'A path of node ids has at most 400 characters.');

export const itemsInput = z
  .array(z.int().min(0, 'Items are counted from 0.'))
  .max(20, 'Give at most 20 items, one for each loop.');

export interface ScopeQuestion {
  workflowId: bigint;
  /** The path of a node's ids: `each/send`. */
  nodeId: string | null;
  runId: bigint | null;
  /** Read the blob of its draft, if it has one. */
  isOfDraft: boolean;
  /** Used instead of a stored blob. */
  blob?: unknown;
  /** Which item of each loop is in scope, from the outermost, counted from 0; the first where there is no number. */
  items?: readonly number[];
}

/**
 * What the expressions of a node see, with the values of a run where there is one. Null for a workflow that the tenant does not have.
 * Throws NotFoundError for a run that is not there, and a ValidationError for a node that is not, or a run of another workflow.
 */
export async function readExpressionScope(
  deps: NodeDeps,
  actor: Actor,
  request: object,
  question: ScopeQuestion,
): Promise<ScopeEntry[] | null> {
  const { database } = deps;
  const { tenantId } = actor;
  const { workflowId, runId, items = [] } = question;
  const visible = await readVisible(deps, actor, question);
  if (!visible) return null;
  const paths = new Map(visible.nodes.map(({ node, stepPath }) => [stepPath, node.id]));
  const [catalogue, secrets, seen, configs] = await Promise.all([
    loadCatalogue(deps, { nodes: visible.nodes.map(({ node }) => node), edges: [] }),
    secretKeys(deps, tenantId),
    runId === null ? null : readRunScope(database, tenantId, runId, paths),
    runId === null ? readWebhookConfigs(deps, tenantId, workflowId) : [],
  ]);
  if (seen) refuseOtherWorkflow(seen, workflowId);
  const item = visible.lists.length === 0 ? [] : await itemParts({ deps, actor, request }, visible.lists, seen, items);
  return scopeEntries([
    triggerPart(seen, configs),
    {
      name: 'nodes',
      path: 'nodes',
      members: visible.nodes.map((each) => outputsPart(each, catalogue, seen)),
    },
    runPart(seen),
    ...item,
    {
      name: 'secrets',
      path: 'secrets',
      members: secrets.map((key) => ({ name: key, path: `secrets.${key}`, value: redacted })),
    },
  ]);
}

/**
 * What the expressions of a node read of a run, for their evaluation: of outputs, those that they name; inside a loop, one of its items.
 * Throws NotFoundError for a workflow or a run that is not there, and a ValidationError like `readExpressionScope`.
 */
export async function readNodeScope(
  deps: NodeDeps,
  actor: Actor,
  request: object,
  { expressions, ...question }: Omit<ScopeQuestion, 'isOfDraft'> & { runId: bigint; expressions: readonly string[] },
): Promise<Seen> {
  const { workflowId, runId, items = [] } = question;
  const visible = await readVisible(deps, actor, { ...question, isOfDraft: false });
  if (!visible) throw new NotFoundError();
  const named = pathsToRead([...expressions, ...itemTexts(visible.lists, items)]);
  const read = visible.nodes.filter(({ node }) => named === undefined || named.has(node.id));
  const paths = new Map(read.map(({ node, stepPath }) => [stepPath, node.id]));
  const seen = await readRunScope(deps.database, actor.tenantId, runId, paths);
  refuseOtherWorkflow(seen, workflowId);
  if (visible.lists.length === 0) return seen;
  const { item, index } = await chosenItem({ deps, actor, request }, visible.lists, seen, items);
  return { ...seen, item, index };
}

/** A loop around a node, or the node itself where it is a filter. */
export interface ItemSource {
  /** The path of the node's ids. */
  nodeId: string;
  /** How many items it has in the run; null where its list yields none, or there is no run. */
  count: number | null;
}

/** The loops that put an item in the scope of a node, from the outermost. Answers and throws as `readExpressionScope` does. */
export async function readItemSources(
  deps: NodeDeps,
  actor: Actor,
  request: object,
  question: ScopeQuestion,
): Promise<ItemSource[] | null> {
  const { workflowId, runId, items = [] } = question;
  const visible = await readVisible(deps, actor, question);
  if (!visible) return null;
  const { lists, nodes } = visible;
  if (lists.length === 0 || runId === null) return lists.map(({ path }) => ({ nodeId: path, count: null }));
  const named = pathsToRead(itemTexts(lists, items));
  const read = nodes.filter(({ node }) => named === undefined || named.has(node.id));
  const seen = await readRunScope(
    deps.database,
    actor.tenantId,
    runId,
    new Map(read.map(({ node, stepPath }) => [stepPath, node.id])),
  );
  refuseOtherWorkflow(seen, workflowId);
  const { counts } = await chosenItem({ deps, actor, request }, lists, seen, items);
  return lists.map(({ path }, place) => ({ nodeId: path, count: counts[place] ?? null }));
}

/** The nodes that a node can read, and the lists of the loops around it; null for a workflow that the tenant does not have. */
async function readVisible(
  { database }: NodeDeps,
  { tenantId }: Actor,
  { workflowId, nodeId, isOfDraft, blob: given, items }: Omit<ScopeQuestion, 'runId'>,
) {
  const workflow = await database.reader(tenantId).workflow.findFirst({
    where: { tenantId, id: workflowId, deletedAt: null },
    select: { id: true, blob: given === undefined, draft: isOfDraft && { select: { blob: true } } },
  });
  if (!workflow) return null;
  const blob: WorkflowGraph =
    given === undefined ? readStored((workflow.draft ?? workflow).blob) : parseInput(workflowBlobSchema, given, 'blob');
  const visible = visibleNodes(blob, nodeId, items);
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

/** The configs of the webhook triggers of a workflow, which may name the messages that they expect. */
async function readWebhookConfigs(
  { database }: NodeDeps,
  tenantId: string,
  workflowId: bigint,
): Promise<readonly unknown[]> {
  const rows = await database
    .reader(tenantId)
    .trigger.findMany({ where: { tenantId, workflowId, type: 'webhook' }, select: { config: true }, take: 100 });
  return rows.map(({ config }) => config);
}

function triggerPart(seen: Seen | null, configs: readonly unknown[]): ScopePart {
  const { trigger } = seen ?? {};
  const path = 'trigger.payload';
  return {
    name: 'trigger',
    path: 'trigger',
    members: [
      describedPayload(path, configs) ?? { name: 'payload', path, value: trigger?.payload },
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
