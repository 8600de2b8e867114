import { LRUCache } from 'lru-cache';
import type { PinnedBlock } from '#src/themes/blocks/pinned-blocks.rules.ts';
import { sanitiseFragment, TooDeepError } from '#src/themes/sanitiser/sanitise-fragment.ts';
import { breakerMs, freshMs, keptMs, type Rendering } from './islands.rules.ts';
import type { Props } from './props.rules.ts';
import { IslandError, type SiteRequests } from './site-requests.service.ts';

/** Renders islands, and keeps what they rendered for every tenant that pins the same version. */
export interface Islands {
  /** Answers by `until` (of `performance.now()`): a block is empty where its extension has not answered. */
  render(block: PinnedBlock, props: Props, until: number): Promise<Rendering>;
}

interface Kept {
  html: Buffer;
  /** When its island was asked for. */
  at: number;
}

/** Bytes of HTML that a process keeps. */
const mostKept = 32 * 1024 * 1024;

/** `origin` is that of the pages; `now` is in milliseconds, as `until` is. */
export function createIslands(
  requests: SiteRequests,
  origin: string,
  now: () => number = () => performance.now(),
): Islands {
  const kept = new LRUCache<string, Kept>({
    maxSize: mostKept,
    sizeCalculation: ({ html }, key) => html.length + key.length + 1,
  });
  const broken = new LRUCache<number, number>({ max: 10_000 });
  const fetching = new Map<string, Promise<Rendering>>();

  function forget(prefix: string): void {
    for (const key of kept.keys()) if (key.startsWith(prefix)) kept.delete(key);
  }

  async function fetchIsland(
    { pin, block }: PinnedBlock,
    props: Props,
    key: string,
    until: number,
  ): Promise<Rendering> {
    const at = now();
    const prefix = `${pin.extensionId}/`;
    try {
      const { html, version } = await requests.island(pin, block.island, props, until);
      if (version !== pin.version) {
        forget(prefix);
        return { status: 'empty', reason: 'version_mismatch' };
      }
      const sanitised = Buffer.from(sanitiseFragment(html, { vendor: pin.vendor, origin }));
      kept.set(key, { html: sanitised, at });
      return { status: 'rendered', html: sanitised };
    } catch (error) {
      if (error instanceof TooDeepError) return { status: 'empty', reason: 'too_large' };
      if (!(error instanceof IslandError)) throw error;
      if (error.reason === 'timeout') broken.set(pin.extensionId, now() + breakerMs);
      return { status: 'empty', reason: error.reason };
    }
  }

  /** One fetch for all who ask for the same. */
  function fetchOnce(block: PinnedBlock, props: Props, key: string, until: number): Promise<Rendering> {
    const present = fetching.get(key);
    if (present) return present;
    if (now() < (broken.get(block.pin.extensionId) ?? 0)) {
      return Promise.resolve({ status: 'empty', reason: 'timeout' });
    }
    const started = fetchIsland(block, props, key, until).finally(() => fetching.delete(key));
    fetching.set(key, started);
    return started;
  }

  return {
    async render(block, props, until) {
      const key = `${block.pin.extensionId}/${block.block.island}/${JSON.stringify(props)}`;
      const found = kept.get(key);
      const age = found ? now() - found.at : Infinity;
      if (!found || age >= keptMs) return fetchOnce(block, props, key, until);
      // It is shown once more while it is asked for again; what that finds is for the next.
      if (age >= freshMs) void fetchOnce(block, props, key, until).catch(() => undefined);
      return { status: 'rendered', html: found.html };
    },
  };
}
