import { type Fingerprint, fingerprint } from '#src/journal/error-groups/error-fingerprint.rules.ts';

/** Failures of two destinations are two problems: the destination stands where a run names its node. */
const group = (destinationId: number, code: string, message: string): Fingerprint =>
  fingerprint({ kind: 'webhook_delivery', node: `destination:${destinationId}`, code, message });

/** The group of a delivery that was given up after an attempt with this answer. */
export const groupGivenUp = (
  destinationId: number,
  { httpCode, error }: { httpCode: number | null; error: string | null },
): Fingerprint =>
  httpCode === null
    ? group(destinationId, 'NO_ANSWER', error ?? '')
    : group(destinationId, `HTTP_${httpCode}`, error ?? 'The receiver refused it.');

/** The group of a delivery that is held because the filter of its destination failed. */
export const groupFilterFault = (destinationId: number, reason: string): Fingerprint =>
  group(destinationId, 'FILTER_FAILED', reason);
