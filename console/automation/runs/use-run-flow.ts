import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { ResultOf } from '#console/graph/graphql.ts';
import { flowOf } from './run-flow.ts';
import { type RunPage, TestedBlob } from './run.documents.ts';
import { testedGraph } from './tested-graph.ts';

/** The graph of a run: that of its revision, or of the draft that a test run was given. */
export function useRunFlow(run: NonNullable<ResultOf<typeof RunPage>['run']>): ReturnType<typeof flowOf> {
  const [{ data }] = useQuery({ query: TestedBlob, variables: { id: run.id }, pause: !run.isTest });
  const tested = data?.run;
  const graph = useMemo(
    () => (tested?.blob == null ? null : testedGraph(tested.blob, tested.workflow?.triggers ?? [])),
    [tested],
  );
  return flowOf(run.isTest ? { ...run, workflowRevision: graph } : run);
}
