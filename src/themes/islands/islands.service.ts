import { LRUCache } from 'lru-cache';
import { createCountedCache } from '#src/infra/memory.ts';
import type { Pin, PinnedBlock } from '#src/themes/blocks/pinned-blocks.rules.ts';
import { type Sanitiser, TooSlowError, UnreadableError } from '#src/themes/sanitiser/sanitiser.ts';
import { TooDeepError } from '#src/themes/sanitiser/too-deep-error.ts';
import { breakerMs, type Empty, fairMs, freshMs, keptMs, type Rendering } from './islands.rules.ts';
import type { Props } from './props.rules.ts';
import { IslandError, type SiteRequests } from './site-requests.service.ts';

/** Renders islands, and caches their results for every tenant that pins the same version. */
export interface Islands {
  /** Resolves by `until` (of `performance.now()`): a block is empty if its extension has not responded. */
  render(block: PinnedBlock, props: Props, until: number): Promise<Rendering>;
  /** Returns a function that reads the cached HTML: null if there is none, or if it is not fresh. */
  findKept(block: PinnedBlock, props: Props): () => Buffer | null;
  /** True while the extension is not called because it was too slow. */
  isBroken(extensionId: number): boolean;
}

interface Kept {
  html: Buffer;
  /** When its island was requested. */
  at: number;
}

/** Bytes of HTML that a process keeps. */
const maxKept = 32 * 1024 * 1024;

/** `origin` is that of the pages; `now` is in milliseconds, as `until` is. */
export function createIslands(
  requests: SiteRequests,
  sanitiser: Sanitiser,
  origin: string,
  now: () => number = () => performance.now(),
): Islands {
  const kept = new LRUCache<string, Kept>({
    maxSize: maxKept,
    sizeCalculation: ({ html }, key) => html.length + key.length + 1,
  });
  /** Until when an extension is not called, by its id. */
  const broken = createCountedCache<number, number>(10_000);
  /**
   * Results of requests before this time are ignored, by the id of the extension: searching the cache for them took time in proportion to
   * its size.
   */
  const forgotten = createCountedCache<number, number>(10_000);
  const fetching = new Map<string, Promise<Rendering>>();

  const isBroken = (extensionId: number): boolean => now() < (broken.get(extensionId) ?? 0);

  async function fetchIsland(
    { pin, block }: PinnedBlock,
    props: Props,
    key: string,
    until: number,
  ): Promise<Rendering> {
    const at = now();
    try {
      const { html, version } = await requests.island(pin, block.island, props, until);
      if (version !== pin.version) {
        forgotten.set(pin.extensionId, now());
        return { status: 'empty', reason: 'version_mismatch', why: `It runs ${version || 'no version'}.` };
      }
      const sanitised = await sanitiser.sanitise(html, { vendor: pin.vendor, origin }, until);
      kept.set(key, { html: sanitised, at });
      return { status: 'rendered', html: sanitised };
    } catch (error) {
      const failure = toFailure(error);
      // An island with little time, because the page had used it up, does not count as slow.
      if (failure.isSlow && until - at >= fairMs) broken.set(pin.extensionId, now() + breakerMs);
      return failure.rendering;
    }
  }

  /** One fetch for all concurrent callers with the same key. */
  function fetchOnce(block: PinnedBlock, props: Props, key: string, until: number): Promise<Rendering> {
    const present = fetching.get(key);
    if (present) return present;
    if (isBroken(block.pin.extensionId)) {
      return Promise.resolve({ status: 'empty', reason: 'timeout', why: 'It timed out a moment ago.' });
    }
    const started = fetchIsland(block, props, key, until).finally(() => fetching.delete(key));
    fetching.set(key, started);
    return started;
  }

  function measureAge(found: Kept | undefined, { extensionId }: Pin): number {
    const isForgotten = found !== undefined && found.at <= (forgotten.get(extensionId) ?? -Infinity);
    return found && !isForgotten ? now() - found.at : Infinity;
  }

  return {
    isBroken,
    async render(block, props, until) {
      const key = blockKey(block, props);
      const found = kept.get(key);
      const age = measureAge(found, block.pin);
      if (!found || age >= keptMs) return fetchOnce(block, props, key, until);
      // It is served once more during a new request, whose result is for the next caller.
      if (age >= freshMs) void fetchOnce(block, props, key, until).catch(() => undefined);
      return { status: 'rendered', html: found.html };
    },
    findKept(block, props) {
      const key = blockKey(block, props);
      return () => {
        const found = kept.get(key);
        return found && measureAge(found, block.pin) < freshMs ? found.html : null;
      };
    },
  };
}

const blockKey = ({ pin, block }: PinnedBlock, props: Props): string =>
  `${pin.extensionId}/${block.island}/${JSON.stringify(props)}`;

interface Failure {
  rendering: Empty;
  /** True if the extension itself took too long. */
  isSlow: boolean;
}

/** Why an island is left empty. A failure of one fragment does not affect the other blocks of its page. */
function toFailure(error: unknown): Failure {
  const failure = (rendering: Omit<Empty, 'status'>, isSlow = false): Failure => ({
    rendering: { status: 'empty', ...rendering },
    isSlow,
  });
  if (error instanceof IslandError) {
    const { reason, message: why } = error;
    return failure({ reason, why }, reason === 'timeout');
  }
  if (error instanceof TooDeepError) return failure({ reason: 'too_large', why: error.message });
  if (error instanceof TooSlowError) return failure({ reason: 'timeout', why: error.message }, error.isHeavy);
  if (error instanceof UnreadableError) return failure({ reason: 'not_html', err: error });
  throw error;
}
