import {
  assertRange,
  type Interval,
  intervals,
  maxDays,
  type StatisticsRange,
  type TimeBucket,
} from '#src/infra/time-buckets.ts';
import { builder } from './builder.ts';
import { defineEnum } from './enums.ts';

// Here because statistics of several slices use them.

export const StatsInterval = defineEnum('StatsInterval', intervals, {
  description: 'How long a bucket is.',
  values: { hour: 'Hours of UTC.', day: 'Days of `timeZone`; one with a clock change is longer or shorter.' },
});

/** For descriptions: the longest range of each interval. */
export const rangeLimits = `By the hour over at most ${maxDays.hour} days, by the day over at most ${maxDays.day}.`;

export const timeZoneArg = {
  required: true,
  defaultValue: 'UTC',
  description: 'The IANA zone whose days are counted; it must be half-hours away from UTC.',
} as const;

interface RangeArgs {
  filter: { since: Date | string; until?: Date | string | null };
  interval: Interval;
  timeZone: string;
}

/** The range of a request. Throws a ValidationError for one that cannot be counted. */
export function readRange({ filter: { since, until }, interval, timeZone }: RangeArgs): StatisticsRange {
  const range = { since: new Date(since), until: until == null ? new Date() : new Date(until), interval, timeZone };
  assertRange(range);
  return range;
}

type CountFields<Counts> = Parameters<ReturnType<typeof builder.interfaceRef<Counts>>['implement']>[0]['fields'];

/** Defines the types of a statistic: `<name>Total` and `<name>Bucket`, which share the fields of `<name>Counts`. */
export function defineCounts<Counts extends object>(name: string, description: string, fields: CountFields<Counts>) {
  const counts = builder.interfaceRef<Counts>(`${name}Counts`).implement({ description, fields });
  const Total = builder
    .objectRef<Counts>(`${name}Total`)
    .implement({ description: 'All buckets together.', interfaces: [counts as never] });
  const Bucket = builder.objectRef<Counts & TimeBucket>(`${name}Bucket`).implement({
    description: 'What belongs to one hour or day.',
    interfaces: [counts as never],
    fields: (t) => ({
      from: t.field({ type: 'DateTime', description: 'Its start.', resolve: ({ from }) => new Date(from) }),
      until: t.field({
        type: 'DateTime',
        description: 'The start of the next.',
        resolve: ({ until }) => new Date(until),
      }),
    }),
  });
  return { Total, Bucket };
}
