import { createCountedCache } from '#src/infra/memory.ts';

/** Number of addresses, and of wrong keys, that a process remembers. */
const remembered = 10_000;
const perMinuteMs = 60_000;

export interface WrongKeys {
  /** Counts a wrong key. Returns 0, or the milliseconds until another one from the address would be within the limit. */
  count(address: string, hashed: string): number;
  /** The same for a key that is known to be wrong, while its address is over the limit; otherwise 0. Saves the lookup. */
  requiredWait(address: string, hashed: string): number;
}

/**
 * Counts wrong keys by source address, in a bucket of `perMinute` that is refilled within a minute; 0 means no limit. Valid keys are never
 * counted, so that clients behind the same proxy or office network are not affected by each other.
 */
export function createWrongKeys(perMinute: number, now: () => number = () => performance.now()): WrongKeys {
  const refillMs = perMinuteMs / perMinute;
  /** The time at which the bucket of each address is full again. */
  const fullAt = createCountedCache<string, number>(remembered);
  const known = createCountedCache<string, true>(remembered);
  const computeExcess = (full: number): number => Math.max(0, full - now() - perMinuteMs);

  return {
    count(address, hashed) {
      if (perMinute === 0) return 0;
      const network = readNetwork(address);
      const full = Math.max(fullAt.get(network) ?? 0, now()) + refillMs;
      known.set(hashed, true);
      // Refused attempts are not counted; otherwise an address that keeps trying would never be let in again.
      if (computeExcess(full) === 0) fullAt.set(network, full);
      return computeExcess(full);
    },
    requiredWait(address, hashed) {
      if (perMinute === 0 || !known.has(hashed)) return 0;
      return computeExcess((fullAt.get(readNetwork(address)) ?? 0) + refillMs);
    },
  };
}

/** The address; for IPv6 its first 64 bits, which belong to one customer of a provider. */
function readNetwork(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address.slice(0, 64);
  const [head = '', tail] = address.split('::');
  const parts = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - parts.length - (tail === '' ? 0 : tail.split(':').length);
  return [...parts, ...Array.from({ length: missing }, () => '0'), ...(tail ?? '').split(':')].slice(0, 4).join(':');
}
