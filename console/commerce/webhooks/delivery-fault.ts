import { deliveryWords as w } from './deliveries/deliveries.words.ts';

interface Faulty {
  status: string;
  reason: string | null;
  lastAttempt: { httpCode: number | null; error: string | null } | null;
}

/** Why a delivery has not arrived: what holds it, or how its last attempt ended; empty for one that has, or was not attempted. */
export function deliveryFault({ status, reason, lastAttempt }: Faulty): string {
  if (reason !== null) return reason;
  if (status === 'DELIVERED' || !lastAttempt) return '';
  const { httpCode, error } = lastAttempt;
  return httpCode === null ? (error ?? '') : w.answered(String(httpCode));
}
