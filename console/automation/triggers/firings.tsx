import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { ResultOf } from '#console/graph/graphql.ts';
import { serverNow } from '#console/ui/clock.ts';
import * as format from '#console/ui/formats.tsx';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { ObjectLink } from '#console/ui/object-link.tsx';
import type { Column } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { FiringsOfTrigger } from './firings.documents.ts';
import { triggerWords as w } from './triggers.words.ts';

type Stats = ResultOf<typeof FiringsOfTrigger>['triggerStats'];
type Firing = Stats['last'][number];

const countedMs = 30 * 86_400_000;

const counts: readonly Column<Stats['total']>[] = (
  ['total', 'succeeded', 'failed', 'cancelled', 'unfinished', 'deadLetters'] as const
).map((key) => ({ key, label: w[key], show: format.number((total) => total[key]) }));

/** Links to the run or the dead letter that a firing became. */
export function Became({ run, deadLetter }: { run: Item | null; deadLetter: Item | null }) {
  if (run)
    return (
      <ObjectLink noun="runs" id={run.id}>
        {w.run(run.databaseId)}
      </ObjectLink>
    );
  if (deadLetter)
    return (
      <ObjectLink noun="dead-letters" id={deadLetter.id}>
        {w.deadLetter(deadLetter.databaseId)}
      </ObjectLink>
    );
  return null;
}

interface Item {
  id: string;
  databaseId: number;
}

const lastColumns: readonly Column<Firing>[] = [
  { key: 'fired', label: w.firedAt, show: format.exactTime((firing) => firing.firedAt) },
  { key: 'became', label: w.became, show: { text: () => '', draw: (firing) => <Became {...firing} /> } },
  { key: 'state', label: w.state, show: format.state(({ run, deadLetter }) => run?.status ?? deadLetter?.status) },
  { key: 'duration', label: w.duration, show: format.duration((firing) => firing.run?.durationMs) },
  { key: 'error', label: w.error, show: format.text(({ run, deadLetter }) => run?.error ?? deadLetter?.reason) },
];

/** What became of the firings of a trigger: counts, and the last ones. */
export function Firings({ triggerId }: { triggerId: string }) {
  const since = useMemo(
    () => new Date(Math.floor((serverNow() - countedMs) / 3_600_000) * 3_600_000).toISOString(),
    [],
  );
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const [{ data, error }, read] = useQuery({
    query: FiringsOfTrigger,
    variables: { triggerId, since, timeZone },
    requestPolicy: 'cache-and-network',
  });
  if (error && !data) return <LoadFailed error={error} retry={() => read({ requestPolicy: 'network-only' })} />;
  if (!data) return <Skeleton rows={4} />;
  const { total, last } = data.triggerStats;
  if (last.length === 0) return <p className="quiet">{w.neverFired}</p>;
  return (
    <>
      <Table rows={[total]} columns={counts} label={w.firings} />
      <Table rows={last} columns={lastColumns} label={w.lastFirings} />
    </>
  );
}
