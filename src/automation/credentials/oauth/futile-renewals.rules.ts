/**
 * Access tokens that replaced a rejected one, and were rejected too: the server refuses more than the token. For a minute they are not
 * replaced again, so that a missing permission does not cost a request to the provider with each call. Per process.
 */
export interface FutileRenewals {
  add(token: string): void;
  has(token: string): boolean;
}

const forMs = 60_000;
const maxTokens = 1_000;

export function createFutileRenewals(now: () => number = () => performance.now()): FutileRenewals {
  const until = new Map<string, number>();
  return {
    add(token) {
      until.delete(token);
      until.set(token, now() + forMs);
      const [oldest] = until.keys();
      if (until.size > maxTokens && oldest !== undefined) until.delete(oldest);
    },
    has: (token) => (until.get(token) ?? 0) > now(),
  };
}
