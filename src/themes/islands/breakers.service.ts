import type { Deps } from '#src/infra/deps.ts';
import { createCountedCache } from '#src/infra/memory.ts';
import { recordOpening } from './breakers.store.ts';
import { breakerMs } from './islands.rules.ts';

/** Records which extensions are not called because they are too slow, for the list of what needs attention. */
export interface Breakers {
  /** Records it in the background, at most once per `breakerMs` for each extension and tenant. */
  note(tenantId: string, extensionId: number): void;
  /** Resolves when everything is recorded. */
  close(): Promise<void>;
}

export function createBreakers(
  { database, log }: Pick<Deps, 'database' | 'log'>,
  now: () => number = () => performance.now(),
): Breakers {
  const notedAt = createCountedCache<string, number>(10_000);
  const pending = new Set<Promise<void>>();
  return {
    note(tenantId, extensionId) {
      const key = `${tenantId}/${extensionId}`;
      if (now() - (notedAt.get(key) ?? -Infinity) < breakerMs) return;
      notedAt.set(key, now());
      const recorded = recordOpening(database, tenantId, extensionId)
        .catch((error: unknown) =>
          log.warn({ err: error, tenantId, extensionId }, 'A slow extension was not recorded.'),
        )
        .finally(() => pending.delete(recorded));
      pending.add(recorded);
    },
    async close() {
      await Promise.all(pending);
    },
  };
}
