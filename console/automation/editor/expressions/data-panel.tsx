import { useDeferredValue, useMemo, useState } from 'react';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { enumWord } from '#console/words/enums.ts';
import { timeText } from '#console/words/values.ts';
import type { ScopeEntry } from './completions.ts';
import { expressionWords as w } from './expressions.words.ts';
import { ItemChoice } from './item-choice.tsx';
import { PayloadSample } from './payload-sample.tsx';
import { outputsNode, pinOf } from './pinned-entries.ts';
import { nearestFirst } from './scope-rows.ts';
import { ScopeTree } from './scope-tree.tsx';
import type { NodeData } from './use-node-data.ts';

interface Props {
  editing: Editing;
  workflowId: string;
  path: string;
  data: NodeData;
  insert: (path: string) => void;
}

/** The data that a node can read, where it comes from, and a search in it. */
export function DataPanel({ editing, workflowId, path, data, insert }: Props) {
  const { graph, sample, triggers } = editing;
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search);
  const entries = useMemo(() => nearestFirst(data.entries), [data.entries]);
  const mark = (entry: ScopeEntry) => {
    const id = outputsNode(entry);
    if (id === undefined) return undefined;
    if (pinOf(graph, path, id) !== undefined) return w.pinned;
    return entry.isDeclared ? w.declared : undefined;
  };
  return (
    <section className="editor-data" aria-label={w.data}>
      <SampleChoice editing={editing} />
      {sample.runId === undefined && <PayloadSample {...{ workflowId, triggers }} />}
      {data.sources.map((source) => (
        <ItemChoice key={source.nodeId} source={source} items={sample.items} />
      ))}
      {data.isMissing && <p className="refusal">{w.noData}</p>}
      <input
        className="input"
        type="search"
        aria-label={w.searchData}
        placeholder={w.searchData}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <ScopeTree {...{ entries, search: wanted, insert, mark }} />
      {sample.runId !== undefined && data.entries.some(({ hasMore }) => hasMore) && (
        <p className="quiet">
          {w.isCut}{' '}
          <ObjectLink noun="runs" id={sample.runId}>
            {w.openRun}
          </ObjectLink>
        </p>
      )}
    </section>
  );
}

/** The run that the data is of, and the others that it could be. */
function SampleChoice({ editing: { sample } }: Pick<Props, 'editing'>) {
  const { runs, runId, isChosen, choose, reload } = sample;
  const isOlder = isChosen && runs.every(({ id }) => id !== runId);
  if (runs.length === 0 && runId === undefined) return <p className="quiet">{w.noRun}</p>;
  return (
    <label className="field">
      <span className="field-label">{w.dataFrom}</span>
      <select
        className="input"
        value={isChosen ? runId : ''}
        onFocus={reload}
        onChange={(event) => choose(event.target.value === '' ? undefined : event.target.value)}
      >
        <option value="">{w.lastRun(runs[0] ? `#${runs[0].databaseId}` : '')}</option>
        {isOlder && <option value={runId}>{w.olderRun}</option>}
        {runs.map(({ id, databaseId, status, createdAt, isTest }) => (
          <option key={id} value={id}>
            {w.run({
              id: `#${databaseId}`,
              status: enumWord(status),
              at: timeText(createdAt),
              isTest,
            })}
          </option>
        ))}
      </select>
    </label>
  );
}
