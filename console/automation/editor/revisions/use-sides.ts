import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { Workflow } from '#console/automation/editor/canvas/canvas-elements.ts';
import { readBlob } from '#console/automation/editor/model/blob.ts';
import type { Graph } from '#console/automation/editor/model/graph.ts';
import { EditorRevision } from './revisions.documents.ts';

/** A revision by its number, or the draft as it is on the screen. */
export type SideName = number | 'draft';

interface SideOfComparison {
  name: SideName;
  /** Undefined until it is read, and where it is not kept any more. */
  graph: Graph | undefined;
  isMissing: boolean;
}

/** What the address compares: `?from=3&to=draft`; without it, what runs with the draft. */
export function useSides(workflow: Workflow, draft: Graph): { from: SideOfComparison; to: SideOfComparison } {
  const address: Record<string, unknown> = useSearch({ strict: false });
  const sources = { workflow, draft };
  return {
    from: useSide(readName(address['from'], workflow.revision), sources),
    to: useSide(readName(address['to'], 'draft'), sources),
  };
}

function readName(text: unknown, otherwise: SideName): SideName {
  if (text === 'draft') return 'draft';
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : otherwise;
}

function useSide(name: SideName, { workflow, draft }: { workflow: Workflow; draft: Graph }): SideOfComparison {
  const isHere = name === 'draft' || name === workflow.revision;
  const [{ data, fetching, stale }] = useQuery({
    query: EditorRevision,
    variables: { workflowId: workflow.id, revision: name === 'draft' ? 0 : name },
    pause: isHere,
  });
  const found = isHere ? workflow.blob : data?.workflowRevision?.blob;
  const read = useMemo(() => (found === undefined ? undefined : readBlob(found)), [found]);
  const isMissing = !isHere && !fetching && !stale && data?.workflowRevision === null;
  return { name, graph: name === 'draft' ? draft : read, isMissing };
}
