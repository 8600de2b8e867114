// oxlint-disable-next-line node/no-process-env -- the long variant is asked for from outside
export const isLong = process.env['CHAOS'] === 'long';

/** How much of each: by default enough that what is tested can fail, and with `npm run chaos` as much as may meet rarer moments. */
const volumes = {
  workerKills: { usual: 1, long: 30 },
  workerStops: { usual: 1, long: 4 },
  runsPerKill: { usual: 20, long: 50 },
  ordersOfClient: { usual: 12, long: 60 },
  backlogOfTenant: { usual: 1_000, long: 5_000 },
  importedRows: { usual: 42_000, long: 60_000 },
  schedulerKills: { usual: 2, long: 20 },
} satisfies Record<string, { usual: number; long: number }>;

export const volume = (of: keyof typeof volumes): number => volumes[of][isLong ? 'long' : 'usual'];
