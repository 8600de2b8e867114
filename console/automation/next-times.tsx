import { useQuery } from 'urql';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { timeText, zonedTimeText } from '#console/words/values.ts';
import { NextTicks } from './next-times.documents.ts';
import { nextTimesWords as w } from './next-times.words.ts';

interface Props {
  cron: string;
  timezone: string;
  count: number;
  /** The schedule is still being typed, so it may not be valid yet. */
  isTyped?: true;
}

/** When a schedule fires next, in its own zone; the reader's time on hover. */
export function NextTimes({ cron, timezone, count, isTyped }: Props) {
  const [{ data, error }, read] = useQuery({
    query: NextTicks,
    variables: { cron, timezone, count },
    requestPolicy: 'network-only',
  });
  if (error?.graphQLErrors.length && isTyped) return <p className="field-help">{w.notYet}</p>;
  if (error && !data) return <LoadFailed error={error} retry={() => read()} />;
  if (!data) return <Skeleton rows={count} />;
  if (data.nextTicks.length === 0) return <p className="quiet">{w.none}</p>;
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
