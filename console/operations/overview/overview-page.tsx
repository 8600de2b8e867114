import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { useQuery } from 'urql';
import { Choices } from '#console/ui/choices.tsx';
import { serverNow } from '#console/ui/clock.ts';
import { LiveMark } from '#console/ui/live-mark.tsx';
import { LoadFailed, RereadFailed } from '#console/ui/load-failed.tsx';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { usePolled } from '#console/ui/use-polled.ts';
import { useReadAt } from '#console/ui/use-read-at.ts';
import { common } from '#console/words/common.words.ts';
import { Attention } from './attention.tsx';
import { FirstSteps } from './first-steps.tsx';
import { HealthRow } from './health-row.tsx';
import { OverTime } from './over-time.tsx';
import { Overview } from './overview.documents.ts';
import { overviewWords as w } from './overview.words.ts';

const everyMs = 60_000;
const hourMs = 3_600_000;
const spans: Readonly<Record<string, number>> = { '24h': 24, '7d': 168, '30d': 720 };
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What runs, waits and fails in the tenant, and what needs a person. */
export function OverviewPage() {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const span = spans[address['time'] ?? ''] === undefined ? '24h' : (address['time'] ?? '24h');
  const variables = useMemo(() => {
    const since = new Date(Math.floor(serverNow() / hourMs - (spans[span] ?? 24) + 1) * hourMs).toISOString();
    return { since, interval: span === '24h' ? ('HOUR' as const) : ('DAY' as const), zone };
  }, [span]);
  const [result, read] = useQuery({
    query: Overview,
    variables,
    requestPolicy: 'cache-and-network',
  });
  const { data, error } = result;
  const reload = useCallback(() => read({ requestPolicy: 'network-only' }), [read]);
  usePolled(reload, everyMs);
  const readAt = useReadAt(result);
  if (error && !data) return <LoadFailed error={error} retry={reload} />;
  const options = Object.keys(spans).map((value) => ({ value, label: common.span(value) }));
  return (
    <div className="overview">
      <header className="page-head">
        <div className="page-title">
          <PageHeading text={w.overview} />
          <LiveMark readAt={readAt} reload={reload} />
          <span className="page-actions">
            <Choices
              label={w.range}
              options={options}
              chosen={[span]}
              many={false}
              choose={([time]) => void navigate({ to: '.', search: time ? { time } : {}, replace: true })}
            />
          </span>
        </div>
      </header>
      {error && <RereadFailed error={error} retry={reload} />}
      {data ? (
        <div className="overview-parts">
          {data.first.edges.length === 0 && <FirstSteps />}
          <HealthRow data={data} />
          <Attention items={data.attention} />
          <OverTime data={data} span={span} />
        </div>
      ) : (
        <Skeleton rows={16} />
      )}
    </div>
  );
}
