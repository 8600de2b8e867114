import { channels } from '#src/automation/runs/run-notices.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { OpenLive } from '#src/infra/live/live-stream.ts';
import type { Channel } from '#src/infra/live/pubsub-topic.ts';
import { readUntilAnswered } from '#src/infra/live/shared-reader.ts';

/** A firing that was captured: the entry of a notice, so that all listeners share the same object. */
export type Captured = [tenantId: string, deadLetterId: number];

export const deadLettersChannel: Channel<Captured> = {
  name: channels.deadLetters,
  parse(raw) {
    if (!Array.isArray(raw)) return undefined;
    const [tenantId, id] = raw as unknown[];
    return typeof tenantId === 'string' && Number.isSafeInteger(id) ? (raw as Captured) : undefined;
  },
  keys: ([tenantId]) => [tenantId],
};

const remembered = 1_000;

/**
 * Every firing captured from now on, once each, and one captured just before whose notice is still on its way. After a lost
 * connection, those that were captured meanwhile are read by id. The last thousand ids are remembered, because ids are not
 * committed in order.
 */
export const watchDeadLetters =
  (deps: Deps, tenantId: string): OpenLive<Captured> =>
  (sink) => {
    const seen = new Set<number>();
    /** All later ids have been seen or are new; undefined until it has been read. */
    let since: number | undefined;
    let closed = false;
    let catching: Promise<void> | undefined;

    function take(captured: Captured): void {
      const [, id] = captured;
      if (closed || seen.has(id)) return;
      if (seen.size >= remembered) {
        const oldest = seen.values().next().value as number;
        seen.delete(oldest);
        since = Math.max(since ?? 0, oldest);
      }
      seen.add(id);
      sink.event(captured);
    }

    async function newest(): Promise<number> {
      const { _max: max } = await deps.database
        .reader(tenantId)
        .deadLetter.aggregate({ where: { tenantId }, _max: { id: true } });
      return Number(max.id ?? 0);
    }

    async function missed(after: number): Promise<number[]> {
      const where = { tenantId, id: { gt: BigInt(after) } };
      const rows = await deps.database
        .reader(tenantId)
        .deadLetter.findMany({ where, select: { id: true }, orderBy: { id: 'desc' }, take: remembered });
      return rows.map(({ id }) => Number(id)).toReversed();
    }

    const again = <Value>(read: () => Promise<Value>): Promise<Value | undefined> =>
      readUntilAnswered(
        read,
        () => closed,
        (error) => deps.log.warn({ err: error }, 'the captured firings could not be read'),
      );

    async function catchUp(): Promise<void> {
      const from = await begun;
      const ids = await again(() => missed(since ?? from ?? 0));
      for (const id of ids ?? []) take([tenantId, id]);
    }

    const detach = deps.live.subscribe(deadLettersChannel, tenantId, {
      onEntry: take,
      onResync() {
        catching ??= catchUp().finally(() => {
          catching = undefined;
        });
      },
    });
    const begun = again(newest);
    return {
      close() {
        closed = true;
        detach();
      },
    };
  };
