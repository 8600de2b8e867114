import type { ReactNode } from 'react';
import { Age } from '#console/ui/age.tsx';
import { ListLink } from '#console/ui/object-link.tsx';
import { State, type Tone } from '#console/ui/state.tsx';
import { durationText, numberText } from '#console/words/values.ts';
import type { OverviewData } from './overview.documents.ts';
import { overviewWords as w } from './overview.words.ts';

/** An event that is older than this waits for somebody, in seconds. */
const lateSeconds = 10;
const states = ['queued', 'running', 'waiting', 'failed'] as const;

/** Workers, queue, events and version, and how many runs are in which state. */
export function HealthRow({ data: { health, runSummary } }: { data: OverviewData }) {
  const { workers, eventLagSeconds, oldestQueuedAt, version } = health;
  const isLate = eventLagSeconds > lateSeconds;
  return (
    <dl className="health">
      <Fact label={w.workers} tone={workers > 0 ? undefined : 'failed'}>
        {workers > 0 ? numberText(workers) : w.noWorkers}
      </Fact>
      <Fact label={w.queue}>{oldestQueuedAt ? <Age at={oldestQueuedAt} /> : w.noQueue}</Fact>
      <Fact label={w.eventLag} tone={isLate ? 'waiting' : undefined}>
        {isLate ? w.lag(durationText(eventLagSeconds * 1_000)) : w.noLag}
      </Fact>
      <Fact label={w.version}>{version}</Fact>
      {states.map((state) => (
        <div key={state} className="health-fact">
          <dt>
            <State value={state.toUpperCase()} />
          </dt>
          <dd>
            <ListLink noun="runs" search={{ status: state.toUpperCase() }}>
              {numberText(runSummary.byStatus[state])}
            </ListLink>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Fact({ label, tone, children }: { label: string; tone?: Tone | undefined; children: ReactNode }) {
  return (
    <div className="health-fact">
      <dt className="quiet">{label}</dt>
      <dd className={tone && `state-${tone}`}>{children}</dd>
    </div>
  );
}
