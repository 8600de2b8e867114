import { useQuery } from 'urql';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { timeText, zonedTimeText } from '#console/words/values.ts';
import { NextTicks } from './firings.documents.ts';
import { triggerWords as w } from './triggers.words.ts';

/** When a schedule fires next, in its own zone; the reader's time on hover. */
export function NextTimes({ cron, timezone }: { cron: string; timezone: string }) {
  const [{ data, error }, read] = useQuery({
    query: NextTicks,
    variables: { cron, timezone },
    requestPolicy: 'network-only',
  });
  if (error && !data) return <LoadFailed error={error} retry={() => read()} />;
  if (!data) return <Skeleton rows={4} />;
  if (data.nextTicks.length === 0) return <p className="quiet">{w.noNextTimes}</p>;
  return (
    <ol className="next-times">
      {data.nextTicks.map((at) => (
        <li key={at}>
          <time dateTime={at} title={timeText(at)}>
            {zonedTimeText(at, timezone)}
          </time>
        </li>
      ))}
    </ol>
  );
}
