import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { ResultOf } from '#console/graph/graphql.ts';
import { fromAddressId, toAddressId } from '#console/ui/address-id.ts';
import { type SampleRun, SampleRuns } from './sample.documents.ts';
import { type LoopItems, useLoopItems } from './use-loop-items.ts';

type Run = ResultOf<typeof SampleRun>;

/** The run whose data stands beside the fields, the canvas and the steps. */
export interface Sample {
  /** The chosen run, else the last that is not running; undefined where the workflow has none, or it is not read yet. */
  runId: string | undefined;
  /** Whether somebody chose it; otherwise it is the last. */
  isChosen: boolean;
  /** The runs to choose from, newest first; a chosen run may be older than all of these. */
  runs: readonly Run[];
  /** Which items of its loops are shown. */
  items: LoopItems;
  /** Puts a run into the address; undefined means the last again. */
  choose: (runId: string | undefined) => void;
  /** Reads the last runs again, such as after one that was tried. */
  reload: () => void;
}

/** The runs that are offered. */
const lastRuns = 25;
/** A run has data to show once it has ended, or waits. */
const withData = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'WAITING'];

/** The sample of the editor of a workflow; the address holds which run it is. */
export function useSample(workflowId: string): Sample {
  const { run: address }: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const variables = useMemo(() => ({ first: lastRuns, filter: { workflowId, status: withData } }), [workflowId]);
  const [{ data }, reload] = useQuery({ query: SampleRuns, variables, requestPolicy: 'cache-and-network' });
  const runs = useMemo(() => data?.runs.edges.map(({ node }) => node) ?? [], [data]);
  const chosen = address === undefined ? undefined : fromAddressId(address);
  const runId = chosen ?? runs[0]?.id;
  const items = useLoopItems(runId);
  return {
    runId,
    items,
    isChosen: chosen !== undefined,
    runs,
    choose: (next) =>
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => ({
          ...before,
          run: next === undefined ? undefined : toAddressId(next),
        }),
        replace: true,
        state: true,
      }),
    reload: () => reload({ requestPolicy: 'network-only' }),
  };
}
