import { Budget } from '#src/automation/expressions/budget.ts';
import { compileExpression } from '#src/automation/expressions/expression.ts';
import { nodeIdsIn } from '#src/automation/expressions/plain-path.ts';
import { splitSegments } from '#src/automation/expressions/segments.ts';
import type { Port } from '#src/automation/node-api/manifest.ts';
import type { NodeCatalogue } from './blob-nodes.rules.ts';
import { findManifest, walkNodes, resolveVersion } from './blob-nodes.rules.ts';
import type { WorkflowBlob, WorkflowGraph, WorkflowNode } from './blob.inputs.ts';
import { alwaysFailsRun } from './graph.rules.ts';
import { type BlobIssue, type IssueCode, type IssueFix, remove, setTo } from './issues.rules.ts';
import { findReadMistakes, type Readable } from './read-mistakes.rules.ts';

const warning = (code: IssueCode, path: string, message: string, fix?: IssueFix): BlobIssue => ({
  severity: 'warning',
  code,
  path,
  message,
  ...(fix && { fix }),
});

/** An expression, and where it stands: in a member of the config, at a place in the text of that. */
interface Source {
  text: string;
  path: string;
  whole: string;
  position: number;
}

/** Every expression of a node's config. The body of a loop is left out, as its nodes have configs of their own. */
function* findExpressions(node: WorkflowNode, place: string, catalogue: NodeCatalogue): Generator<Source> {
  const { deferred: bare = [], verbatim = [] } = catalogue.builtin(node.node) ?? {};
  for (const [key, value] of Object.entries(node.config)) {
    if ((key === 'body' && node.node === 'core:for-each') || verbatim.includes(key)) continue;
    const path = `${place}.config.${key}`;
    if (bare.includes(key) && typeof value === 'string' && !value.includes('{{'))
      yield { text: value, path, whole: value, position: 0 };
    else yield* expressionsIn(value, path);
  }
}

function* expressionsIn(value: unknown, path: string): Generator<Source> {
  if (typeof value === 'string' && value.includes('{{')) {
    for (const segment of readSegments(value))
      if ('source' in segment) yield { text: segment.source, path, whole: value, position: segment.position };
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) yield* expressionsIn(inner, `${path}.${key}`);
  }
}

/** None for a text that does not parse, which is an error already. */
function readSegments(text: string): ReturnType<typeof splitSegments> {
  try {
    return splitSegments(text);
  } catch {
    return [];
  }
}

function secretsIn(source: string): readonly string[] {
  try {
    return source.includes('secrets') ? compileExpression(source).secrets : [];
  } catch {
    return [];
  }
}

/** Keys of the secrets that a blob reads, without duplicates. */
export async function listSecretKeys(blob: WorkflowBlob, catalogue: NodeCatalogue): Promise<string[]> {
  const budget = new Budget();
  const keys = new Set<string>();
  for (const { place, node } of walkNodes(blob))
    for (const { text } of findExpressions(node, place, catalogue)) {
      await budget.pause();
      for (const key of secretsIn(text)) keys.add(key);
    }
  return [...keys];
}

/**
 * Expressions that read a node, a member or a secret that is not there, fields that a node does not have, and nodes without
 * any edge. `secrets` are the keys that are set.
 */
export async function* findMistakes(
  blob: WorkflowBlob,
  catalogue: NodeCatalogue,
  secrets: ReadonlySet<string>,
): AsyncGenerator<BlobIssue> {
  const budget = new Budget();
  const nodes = [...walkNodes(blob)];
  const paths = new Set(nodes.map(({ path }) => path));
  const readable = readableBy(nodes, catalogue);
  for (const { path, place, node } of nodes) {
    yield* unknownFields(node, place, catalogue);
    yield* unheededPolicy(node, place);
    for (const source of findExpressions(node, place, catalogue)) {
      await budget.pause();
      for (const id of nodeIdsIn(source.text)) {
        if (isVisible(id, path, paths)) continue;
        yield warning('unknown_reference', source.path, `There is no node "${id}", so this expression finds nothing.`);
      }
      for (const { message, meant } of findReadMistakes(source.text, readable(path, node)))
        yield warning('unknown_member', source.path, message, meant === undefined ? undefined : rewrite(source, meant));
      for (const key of secretsIn(source.text)) {
        if (secrets.has(key)) continue;
        yield warning(
          'missing_secret',
          source.path,
          `The tenant has no secret ${key}; set it before the workflow runs.`,
        );
      }
    }
  }
  yield* detachedNodes(blob);
}

/** Writes another expression in the place of one. */
const rewrite = ({ path, whole, position, text }: Source, meant: string): IssueFix =>
  setTo(path, whole.slice(0, position) + meant + whole.slice(position + text.length));

/** What each node can read; those of one loop read the same. */
function readableBy(nodes: readonly { path: string; node: WorkflowNode }[], catalogue: NodeCatalogue) {
  const loopAround = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const byLoop = Map.groupBy(nodes, ({ path }) => loopAround(path));
  const seen = new Map<string, Readable['outputs']>();
  const outputsIn = (loop: string): Readable['outputs'] => {
    const around = loop === '' ? [] : outputsIn(loopAround(loop));
    const own = (byLoop.get(loop) ?? []).map(({ node }) => [node.id, knownOutputs(node, catalogue)] as const);
    const outputs = seen.get(loop) ?? new Map([...around, ...own]);
    seen.set(loop, outputs);
    return outputs;
  };
  return (path: string, node: WorkflowNode): Readable => ({
    outputs: outputsIn(loopAround(path)),
    hasItem: path.includes('/') || node.node === 'core:filter',
  });
}

/** The outputs that a node is known to have: those of its manifest, or the members of what `core:set` computes. */
function knownOutputs(node: WorkflowNode, catalogue: NodeCatalogue): readonly Port[] {
  const { values } = node.config;
  if (node.node !== 'core:set') return findManifest(node, catalogue)?.outputs ?? [];
  return typeof values === 'object' && values !== null ? Object.keys(values).map((name) => ({ name })) : [];
}

/** A node sees those of its own graph and of the graphs around it. */
function isVisible(id: string, from: string, paths: ReadonlySet<string>): boolean {
  const around = from.split('/').slice(0, -1);
  return [...around.keys(), around.length].some((depth) => paths.has([...around.slice(0, depth), id].join('/')));
}

function* unknownFields(node: WorkflowNode, place: string, catalogue: NodeCatalogue): Generator<BlobIssue> {
  const version = resolveVersion(node.version, catalogue.versions(node.node));
  const fields = version === undefined ? undefined : catalogue.manifest(node.node, version)?.config;
  if (!fields) return;
  const known = fields.map(({ key }) => key);
  for (const key of Object.keys(node.config)) {
    if (known.includes(key)) continue;
    const has = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
    const path = `${place}.config.${key}`;
    yield warning('unknown_field', path, `${node.node} has no such field and ignores it; ${has}.`, remove(path));
  }
}

function* unheededPolicy(node: WorkflowNode, place: string): Generator<BlobIssue> {
  if (!alwaysFailsRun(node) || node.on_error === 'fail') return;
  const path = `${place}.on_error`;
  yield warning('unknown_field', path, `${node.node} fails the run whatever its on_error says.`, remove(path));
}

/** If no edge names a trigger, nodes without incoming edges run at the start, so a node without any edge was probably forgotten. */
function* detachedNodes({ nodes, edges }: WorkflowGraph): Generator<BlobIssue> {
  if (edges.length === 0 || edges.some(({ from }) => 'trigger' in from)) return;
  const joined = new Set(edges.flatMap(({ from, to }) => ('node' in from ? [from.node, to] : [to])));
  for (const [index, { id }] of nodes.entries()) {
    if (joined.has(id)) continue;
    yield warning('detached', `blob.nodes.${index}`, 'No edge leads here, so it runs at the start of every run.');
  }
}
