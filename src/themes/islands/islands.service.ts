import { LRUCache } from 'lru-cache';
import { createCountedCache } from '#src/infra/memory.ts';
import type { Pin, PinnedBlock } from '#src/themes/blocks/pinned-blocks.rules.ts';
import { type Sanitiser, TooSlowError, UnreadableError } from '#src/themes/sanitiser/sanitiser.ts';
import { TooDeepError } from '#src/themes/sanitiser/too-deep-error.ts';
import { breakerMs, type Empty, fairMs, freshMs, keptMs, type Rendering } from './islands.rules.ts';
import type { Props } from './props.rules.ts';
import { IslandError, type SiteRequests } from './site-requests.service.ts';

/** Renders islands, and keeps what they rendered for every tenant that pins the same version. */
export interface Islands {
  /** Answers by `until` (of `performance.now()`): a block is empty where its extension has not answered. */
  render(block: PinnedBlock, props: Props, until: number): Promise<Rendering>;
  /** Looks for what is kept of it: null where nothing is, or nothing that is fresh. */
  keptOf(block: PinnedBlock, props: Props): () => Buffer | null;
}

interface Kept {
  html: Buffer;
  /** When its island was asked for. */
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
  /** Until when an extension is not asked, by its id. */
  const broken = createCountedCache<number, number>(10_000);
  /** What was asked for before is not shown any more, by the id of the extension: looking for it took as long as there was of it. */
  const forgotten = createCountedCache<number, number>(10_000);
  const fetching = new Map<string, Promise<Rendering>>();

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
      const failure = failureOf(error);
      // What was given little time, because the page had used it up, has not shown that it is slow.
      if (failure.isSlow && until - at >= fairMs) broken.set(pin.extensionId, now() + breakerMs);
      return failure.rendering;
    }
  }

  /** One fetch for all who ask for the same. */
  function fetchOnce(block: PinnedBlock, props: Props, key: string, until: number): Promise<Rendering> {
    const present = fetching.get(key);
    if (present) return present;
    if (now() < (broken.get(block.pin.extensionId) ?? 0)) {
      return Promise.resolve({ status: 'empty', reason: 'timeout', why: 'It timed out a moment ago.' });
    }
    const started = fetchIsland(block, props, key, until).finally(() => fetching.delete(key));
    fetching.set(key, started);
    return started;
  }

  function ageOf(found: Kept | undefined, { extensionId }: Pin): number {
    const isForgotten = found !== undefined && found.at <= (forgotten.get(extensionId) ?? -Infinity);
    return found && !isForgotten ? now() - found.at : Infinity;
  }

  return {
    async render(block, props, until) {
      const key = keyOf(block, props);
      const found = kept.get(key);
      const age = ageOf(found, block.pin);
      if (!found || age >= keptMs) return fetchOnce(block, props, key, until);
      // It is shown once more while it is asked for again; what that finds is for the next.
      if (age >= freshMs) void fetchOnce(block, props, key, until).catch(() => undefined);
      return { status: 'rendered', html: found.html };
    },
    keptOf(block, props) {
      const key = keyOf(block, props);
      return () => {
        const found = kept.get(key);
        return found && ageOf(found, block.pin) < freshMs ? found.html : null;
      };
    },
  };
}

const keyOf = ({ pin, block }: PinnedBlock, props: Props): string =>
  `${pin.extensionId}/${block.island}/${JSON.stringify(props)}`;

interface Failure {
  rendering: Empty;
  /** Whether the extension is what took too long. */
  isSlow: boolean;
}

/** Why an island is left empty. Whatever goes wrong with a fragment, the other blocks of its page stand. */
function failureOf(error: unknown): Failure {
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
