import { deadLetterChangesChannel } from '#src/automation/dead-letters/live-dead-letters.service.ts';
import { runsChannel } from '#src/automation/runs/live/run-feed.service.ts';
import { ordersChannel } from '#src/commerce/orders/live-orders.service.ts';
import { deliveriesChannel } from '#src/commerce/webhooks/delivery-changes.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import type { OpenLive, Superseding } from '#src/infra/live/live-stream.ts';
import { readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import { readStoryMark } from './order-story.reads.ts';

/** The story of an order changed. */
export interface StoryChange extends Superseding {
  orderId: number;
}

/** A busy tenant changes hundreds of runs a second; a story looks for its own among them this often, in milliseconds. */
const lookMs = 500;

/** The changes of an order's story. NotFoundError where the tenant has no such order. */
export async function openOrderStory(deps: Deps, tenantId: string, orderId: number): Promise<OpenLive<StoryChange>> {
  if ((await readStoryMark(deps.database, tenantId, orderId)) === undefined) throw new NotFoundError();
  return watchOrderStory(deps, tenantId, orderId);
}

/**
 * Tells that the story of an order changed: the order itself, a run, a dead letter or a delivery. The first event comes at the beginning, so that a reader
 * who reads the story after each event misses nothing.
 * It ends where the order is gone.
 */
const watchOrderStory =
  (deps: Deps, tenantId: string, orderId: number): OpenLive<StoryChange> =>
  (sink) => {
    let mark: string | undefined;
    let isClosed = false;
    let isLooking = false;
    let isDue = false;
    let timer: ReturnType<typeof setTimeout> | undefined;

    async function look(): Promise<void> {
      isDue = true;
      if (isLooking) return;
      isLooking = true;
      isDue = false;
      const read = await readUntilAnswered(
        () => readStoryMark(deps.database, tenantId, orderId),
        () => isClosed,
        (error) => deps.log.warn({ err: error }, 'The story of an order could not be read.'),
      );
      if (isClosed) return;
      if (read === undefined) {
        close();
        return sink.end();
      }
      if (read !== mark) sink.event({ orderId, supersedes: `order-story/${orderId}` });
      mark = read;
      timer = setTimeout(() => {
        isLooking = false;
        if (isDue) void look();
      }, lookMs);
    }

    const again = { onEntry: () => void look(), onResync: () => void look() };
    const leave = [
      deps.live.subscribe(deadLetterChangesChannel, tenantId, again),
      deps.live.subscribe(ordersChannel, `${tenantId}/${orderId}`, again),
      deps.live.subscribe(runsChannel, tenantId, again),
      deps.live.subscribe(deliveriesChannel, tenantId, again),
    ];

    function close(): void {
      isClosed = true;
      clearTimeout(timer);
      for (const each of leave) each();
    }

    void look();
    return { close };
  };
