import { type Chore, hourMs, inBatches, minuteMs } from '#src/infra/chores.ts';
import { noticeExpiries } from './credentials/expiry-notices.service.ts';
import { sweepStates } from './credentials/oauth/oauth-states.store.ts';
import { sweepChains } from './firings/event-firing.store.ts';
import { sweepUntilDone } from './retention/retention-round.service.ts';
import { reconcileSchedules } from './schedules/schedule-upkeep.service.ts';
import { sweepTicks } from './schedules/schedule-upkeep.store.ts';
import { purgeExpiredState } from './state/state-purge.service.ts';

/** The repeating work of automation. */
export const automationChores: readonly Chore[] = [
  {
    // An authorisation that was not completed is worthless long before.
    name: 'sweep-oauth-states',
    everyMs: hourMs,
    work: inBatches(sweepStates),
    fault: 'Expired OAuth states could not be deleted.',
  },
  {
    name: 'notice-credential-expiries',
    everyMs: hourMs,
    work: inBatches(noticeExpiries),
    fault: 'Events for credentials that expire soon could not be published.',
  },
  {
    // An expired entry counts towards the limits of its namespace until it is deleted.
    name: 'purge-state',
    everyMs: minuteMs,
    work: (deps) => purgeExpiredState(deps),
    fault: 'Expired state could not be deleted.',
  },
  {
    name: 'sweep-event-chains',
    everyMs: hourMs,
    work: inBatches(({ database }) => sweepChains(database.system)),
    fault: 'Old counts of event chains could not be deleted.',
  },
  {
    name: 'reconcile-schedules',
    everyMs: 10_000,
    work: inBatches(async (deps) => {
      const made = await reconcileSchedules(deps);
      if (made.resent > 0) deps.log.warn(made, 'Due schedules had no job; each was given a new one.');
      return made.more;
    }),
    fault: 'Schedules could not be reconciled with their jobs.',
  },
  {
    name: 'sweep-ticks',
    everyMs: hourMs,
    work: inBatches(sweepTicks),
    fault: 'Old schedule ticks could not be deleted.',
  },
  {
    name: 'sweep-retention',
    everyMs: hourMs,
    firstMs: minuteMs,
    work: sweepUntilDone,
    fault: 'Retention could not finish its sweep.',
  },
];
