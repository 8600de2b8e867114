import { useContext, useEffect, useMemo, useState } from 'react';
import { type Client, type CombinedError, useQuery } from 'urql';
import { writeBlob } from '#console/automation/editor/model/blob.ts';
import { filterNode, type Graph, loopNode, type NodeUnit } from '#console/automation/editor/model/graph.ts';
import { itemSources } from '#console/automation/editor/sample/use-loop-items.ts';
import { useWrittenPayload } from '#console/automation/editor/sample/written-payload.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import type { ResultOf, VariablesOf } from '#console/graph/graphql.ts';
import { UncachedClient } from '#console/graph/uncached.ts';
import { useLater } from '#console/ui/use-later.ts';
import type { Completed, ScopeEntry } from './completions.ts';
import { type Evaluation, Evaluator } from './evaluator.ts';
import { Evaluate, Functions, type ItemSourceRow, NodeScope } from './expressions.documents.ts';
import { payloadPath, readPayload, withPayload } from './payload-entries.ts';
import { pinnedOutputs, withPins } from './pinned-entries.ts';
import { shortJson } from './short-json.ts';

/** A loop around a node or a filter, and how many items it has in the run; null without a run, and until it is read. */
export type ItemSource = ResultOf<typeof ItemSourceRow>;

/** What the fields of a node can read, and what their expressions yield. */
export interface NodeData extends Completed {
  evaluator: Evaluator;
  /** The values that are known in full, by the paths of their entries: a written payload and pinned outputs. */
  values: ReadonlyMap<string, unknown>;
  /** Whether there is a run to take values from. */
  hasRun: boolean;
  /** The loops whose items the node sees, from the outermost. */
  sources: readonly ItemSource[];
  /** Set where the run is not there, or the tree cannot be read. */
  isMissing: boolean;
}

const scopePauseMs = 300;

/** The data of one node of the draft, with the values of the sample. */
export function useNodeData({ graph, sample, triggers }: Editing, workflowId: string, path: string): NodeData {
  const client = useContext(UncachedClient) as Client;
  const {
    runId,
    items: { itemOf },
  } = sample;
  const [written] = useWrittenPayload(workflowId);
  const payload = useMemo(
    () => (runId === undefined && written !== undefined ? readPayload(written) : undefined),
    [runId, written],
  );
  const shape = useLater(
    useMemo(() => JSON.stringify(writeBlob(scopeGraph(graph))), [graph]),
    scopePauseMs,
  );
  const chosen = itemSources(graph, path).map(itemOf);
  const hasItem = chosen.length > 0;
  const items = chosen.join(' ');
  const reading = useMemo(
    () => ({
      workflowId,
      nodeId: path,
      runId: runId ?? null,
      items: hasItem ? items.split(' ').map(Number) : [],
      blob: JSON.parse(shape) as unknown,
    }),
    [workflowId, path, runId, hasItem, items, shape],
  );
  // What an item is depends on the nodes around; all else of a run is there without them.
  const reads = hasItem ? reading : runId;
  const evaluator = useMemo(
    () => new Evaluator((texts) => evaluate(client, texts, reads, payload)),
    [client, reads, payload],
  );
  const { data, error } = useScope(client, reading, hasItem);
  const [{ data: help }] = useQuery({ query: Functions });
  // The tree stays while its successor is read.
  const [last, setLast] = useState<readonly ScopeEntry[]>([]);
  const read = data?.expressionScope;
  if (read && read !== last) setLast(read);
  const entries = useMemo(
    () => withPins(runId === undefined ? withPayload(last, payload, triggers) : last, graph, path),
    [last, payload, triggers, runId, graph, path],
  );
  const values = useMemo(
    () =>
      new Map([
        ...(payload === undefined ? [] : [[payloadPath, payload] as const]),
        ...pinnedOutputs(last, graph, path),
      ]),
    [last, payload, graph, path],
  );
  return {
    entries,
    values,
    functions: help?.expressionFunctions ?? [],
    evaluator,
    hasRun: runId !== undefined,
    sources: data?.expressionItemSources ?? [],
    isMissing: error !== undefined || read === null,
  };
}

/** The scope of a node; that of the variables before stays until it is read, and where it cannot be. */
function useScope(client: Client, reading: Omit<VariablesOf<typeof NodeScope>, 'hasItem'>, hasItem: boolean) {
  const [answer, setAnswer] = useState<{ data?: ResultOf<typeof NodeScope> | undefined; error?: CombinedError }>({});
  useEffect(() => {
    let isCurrent = true;
    void client
      .query(NodeScope, { ...reading, hasItem })
      .toPromise()
      .then(
        ({ data, error }) =>
          isCurrent && setAnswer((before) => ({ data: data ?? before.data, ...(error && { error }) })),
      );
    return () => {
      isCurrent = false;
    };
  }, [client, reading, hasItem]);
  return answer;
}

/** What a scope depends on: nodes and edges, what follows a failure, and the lists of loops and filters. It stays the same while other fields are typed. */
function scopeGraph(graph: Graph): Graph {
  const kept = [...graph].flatMap(([key, value]): [string, unknown][] => {
    if (key.startsWith('edge:')) return [[key, value]];
    if (key === 'member:version') return [[key, value]];
    if (!key.startsWith('node:')) return [];
    const { node, version, config, on_error } = value as NodeUnit;
    const hasItems = node === loopNode || node === filterNode;
    const unit = { node, version, config: hasItems && 'items' in config ? { items: config['items'] } : {} };
    return [[key, on_error === undefined ? unit : { ...unit, on_error }]];
  });
  return new Map(kept);
}

/** A run, or the node that reads it. */
type Reads =
  | string
  | undefined
  | { workflowId: string; nodeId: string; runId: string | null; items: number[]; blob: unknown };

/** Without a run, the payload that somebody gave, the functions and what is written in the text itself yield values. */
async function evaluate(client: Client, expressions: readonly string[], reads: Reads, payload: unknown) {
  const runId = typeof reads === 'object' ? reads.runId : reads;
  const scope =
    runId == null
      ? { sample: { triggerType: 'MANUAL' as const, ...(payload !== undefined && { payload }) } }
      : typeof reads === 'object'
        ? { node: { ...reads, runId } }
        : { runId };
  const variables = { expressions: [...expressions], scope };
  const { data, error } = await client.query(Evaluate, variables).toPromise();
  if (!data) throw error ?? new Error('No answer.');
  return data.evaluateExpressions.map(({ value, type, error: fault }): Evaluation => {
    if (fault) return { kind: 'fault', message: fault.message, position: fault.position };
    if (type === 'NOTHING' || type === null) return { kind: 'nothing' };
    // Only what is shown is kept of large values.
    return { kind: 'value', text: shortJson(value), type };
  });
}
