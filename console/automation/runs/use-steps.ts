import { useCallback, useEffect, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { RunSteps, RunStepsFollowed } from './steps.documents.ts';
import { type Attempt, type AttemptFilter, matchesFilter } from './timeline-rows.ts';

interface Loaded {
  attempts: ReadonlyMap<string, Attempt>;
  /** Where the next page begins; null when all have been read. */
  next: string | null;
  isReady: boolean;
  error?: CombinedError | undefined;
}

const nothing: Loaded = { attempts: new Map(), next: null, isReady: false };

/** The attempts of a run that a filter leaves, page by page, with their changes until the run has ended. */
export function useSteps(run: string, filter: AttemptFilter, hasEnded: boolean) {
  const client = useClient();
  const key = JSON.stringify({ run, filter });
  const [loaded, setLoaded] = useState({ key, ...nothing });
  const current = loaded.key === key ? loaded : { key, ...nothing };
  const update = useCallback(
    (change: (before: Loaded) => Loaded) =>
      setLoaded((before) => ({ key, ...change(before.key === key ? before : nothing) })),
    [key],
  );
  const read = useCallback(
    async (after: string | null) => {
      const { data, error } = await client
        .query(RunSteps, { ...variablesOf(key), after }, { requestPolicy: 'network-only' })
        .toPromise();
      const page = data?.run?.stepConnection;
      update((before) => ({
        attempts: merge(before.attempts, page?.edges.map(({ node }) => node) ?? []),
        // Reading the first page again leaves the place up to which was read.
        next:
          after === null && before.isReady ? before.next : page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null,
        isReady: true,
        error,
      }));
    },
    [client, key, update],
  );
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- at its end a run is read once more, as nothing is followed after it
  useEffect(() => void read(null), [read, hasEnded]);
  useEffect(() => {
    if (hasEnded) return undefined;
    const { id, filter } = variablesOf(key);
    let changed: Attempt[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      timer = undefined;
      const steps = changed;
      changed = [];
      update((before) => ({ ...before, attempts: apply(before, steps, filter) }));
    };
    // The first events are the steps as they are, up to 2,000: they are taken together.
    const followed = client.subscription(RunStepsFollowed, { id }).subscribe(({ data }) => {
      if (!data?.stepUpdated) return;
      changed.push(data.stepUpdated);
      timer ??= setTimeout(flush, 16);
    });
    return () => {
      clearTimeout(timer);
      followed.unsubscribe();
    };
  }, [client, key, hasEnded, update]);
  const loadMore = () => void (current.next !== null && read(current.next));
  return { ...current, loadMore, reload: () => void read(null) };
}

const variablesOf = (key: string): { id: string; filter: AttemptFilter & { status?: never[] } } => {
  const { run, filter } = JSON.parse(key) as { run: string; filter: AttemptFilter & { status?: never[] } };
  return { id: run, filter };
};

const merge = (before: ReadonlyMap<string, Attempt>, steps: readonly Attempt[]): ReadonlyMap<string, Attempt> =>
  new Map([...before, ...steps.map((step) => [step.id, step] as const)]);

/** Changes of the steps that are shown; others are added where no page is left that will bring them. */
function apply({ attempts, next }: Loaded, steps: readonly Attempt[], filter: AttemptFilter) {
  const after = new Map(attempts);
  for (const step of steps) {
    if (!matchesFilter(step, filter)) after.delete(step.id);
    else if (next === null || after.has(step.id)) after.set(step.id, step);
  }
  return after;
}
