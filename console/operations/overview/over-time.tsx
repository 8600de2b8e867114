import type { ReactNode } from 'react';
import { Chart, type Series } from '#console/ui/chart.tsx';
import { ListLink } from '#console/ui/object-link.tsx';
import { ToneShape } from '#console/ui/state.tsx';
import { enumWord } from '#console/words/enums.ts';
import { durationText, moneyText, numberText } from '#console/words/values.ts';
import type { OverviewData } from './overview.documents.ts';
import { overviewWords as w } from './overview.words.ts';

/** Runs, their durations, deliveries and orders over time. Each number leads to its list. */
export function OverTime({ data, span }: { data: OverviewData; span: string }) {
  const [runs] = data.runStats;
  const [deliveries] = data.deliveryStats;
  const runBuckets = runs?.buckets ?? [];
  const deliveryBuckets = deliveries?.buckets ?? [];
  const runLink = (status: string, count: number) => (
    <ListLink noun="runs" search={{ status, time: span }}>
      {numberText(count)}
    </ListLink>
  );
  return (
    <div className="charts">
      <Figure
        title={w.runs}
        kind="bars"
        times={runBuckets.map(({ from }) => from)}
        series={[
          { label: enumWord('SUCCEEDED'), tone: 'succeeded', values: runBuckets.map(({ succeeded }) => succeeded) },
          { label: enumWord('FAILED'), tone: 'failed', values: runBuckets.map(({ failed }) => failed) },
          { label: enumWord('CANCELLED'), tone: 'cancelled', values: runBuckets.map(({ cancelled }) => cancelled) },
        ]}
        totals={[
          runLink('SUCCEEDED', runs?.total.succeeded ?? 0),
          runLink('FAILED', runs?.total.failed ?? 0),
          runLink('CANCELLED', runs?.total.cancelled ?? 0),
        ]}
      />
      <Figure
        title={w.durations}
        kind="lines"
        write={durationText}
        times={runBuckets.map(({ from }) => from)}
        series={[
          { label: w.median, tone: 'running', values: runBuckets.map(({ p50Ms }) => p50Ms) },
          { label: w.p95, tone: 'waiting', values: runBuckets.map(({ p95Ms }) => p95Ms) },
        ]}
        totals={[runs?.total.p50Ms, runs?.total.p95Ms].map((ms) => (ms == null ? '–' : durationText(ms)))}
      />
      <Figure
        title={w.deliveries}
        kind="bars"
        times={deliveryBuckets.map(({ from }) => from)}
        series={[
          {
            label: enumWord('DELIVERED'),
            tone: 'succeeded',
            values: deliveryBuckets.map(({ delivered }) => delivered),
          },
          { label: enumWord('PENDING'), tone: 'waiting', values: deliveryBuckets.map(({ pending }) => pending) },
          { label: enumWord('FAILED'), tone: 'failed', values: deliveryBuckets.map(({ failed }) => failed) },
        ]}
        totals={(['delivered', 'pending', 'failed'] as const).map((status) => (
          <ListLink key={status} noun="deliveries" search={{ status: status.toUpperCase(), time: span }}>
            {numberText(deliveries?.total[status] ?? 0)}
          </ListLink>
        ))}
      />
      <Figure
        title={w.orders}
        kind="bars"
        times={data.orderStats[0]?.buckets.map(({ from }) => from) ?? []}
        series={data.orderStats.slice(0, 3).map(({ currency, buckets }, index) => ({
          label: currency,
          tone: (['running', 'succeeded', 'waiting'] as const)[index] ?? 'cancelled',
          values: buckets.map(({ orders }) => orders),
        }))}
        totals={data.orderStats.slice(0, 3).map(({ currency, total }) => (
          <ListLink key={currency} noun="orders" search={{ placed: span }}>
            {numberText(total.orders)} · {moneyText(total.gross, currency)}
          </ListLink>
        ))}
      />
    </div>
  );
}

interface FigureProps {
  title: string;
  kind: 'bars' | 'lines';
  times: readonly string[];
  series: readonly Series[];
  totals: readonly ReactNode[];
  write?: (value: number) => string;
}

function Figure({ title, totals, series, ...chart }: FigureProps) {
  return (
    <figure className="figure">
      <h2>{title}</h2>
      <p className="figure-totals">
        {series.map(({ label, tone }, index) => (
          <span key={label} className="figure-total">
            <ToneShape tone={tone} /> {label} {totals[index]}
          </span>
        ))}
      </p>
      <Chart label={title} series={series} {...chart} />
    </figure>
  );
}
