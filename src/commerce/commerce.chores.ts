import { type Chore, hourMs, inBatches, minuteMs } from '#src/infra/chores.ts';
import { sweepInbound } from './inbound/inbound-sweep.service.ts';
import { releaseExpiredReservations } from './stock/stock-expiry.service.ts';
import { verifyNightly } from './stock/stock-verification.service.ts';
import { lookAfterDestinations } from './webhooks/failing-destinations.service.ts';
import { sweepWebhooks } from './webhooks/webhook-retention.service.ts';

/** The repeating work of commerce. */
export const commerceChores: readonly Chore[] = [
  {
    // Reads and bookings take what has expired for free at once; the ledger is to follow within ten seconds.
    name: 'release-expired-reservations',
    everyMs: 1_000,
    work: inBatches(releaseExpiredReservations),
    fault: 'Expired reservations could not be released.',
  },
  {
    name: 'verify-stock',
    everyMs: hourMs,
    firstMs: minuteMs,
    work: verifyNightly,
    fault: 'Stock could not be compared with its ledger.',
  },
  {
    name: 'sweep-inbound-calls',
    everyMs: hourMs,
    work: inBatches(sweepInbound),
    fault: 'Inbound calls past their thirty days could not be deleted.',
  },
  {
    name: 'look-after-webhooks',
    everyMs: minuteMs,
    work: lookAfterDestinations,
    fault: 'Failing webhook destinations could not be warned of or disabled.',
  },
  {
    name: 'sweep-webhooks',
    everyMs: hourMs,
    firstMs: minuteMs,
    work: sweepWebhooks,
    fault: 'Old webhook deliveries could not be deleted.',
  },
];
