import { createHash } from 'node:crypto';
import { execute, type ExecutionArgs, type ExecutionResult, type GraphQLError } from 'graphql';
import type { Context } from '#src/graphql/context.ts';
import { nextFrame } from './socket-frames.ts';

/** An event of one group: executed and serialised once, for all subscribers that hold it. */
export interface SharedEvent {
  /** The execution result as JSON bytes; undefined until it is ready. */
  payload?: Buffer;
  /** The number of subscribers that hold it. An event without holders is neither executed nor kept. */
  holders: number;
  /** The last frame: clients that use the same operation id get the same bytes. */
  frame?: Buffer;
  prefix?: Buffer;
}

/** Subscribers of the same operation with the same rights. */
export interface LiveGroup {
  /** Holds the event for a subscriber of this group; equal events are the same object and share one execution. */
  hold(event: object): SharedEvent;
  release(event: object): void;
  /** The number of events that a reader may hold at a time, by the size of their payloads. */
  readonly window: number;
  /** `pump` is called when payloads have become ready. Returns the function that leaves the group. */
  join(pump: () => void): () => void;
}

/** Changes an execution's result before it is serialised. */
type Finish = (result: ExecutionResult, context: Context) => ExecutionResult | Promise<ExecutionResult>;

export type LiveArgs = ExecutionArgs & { contextValue: Context };

const executionsAtOnce = 32;
const heldBytes = 512 * 1024;
const heldEvents = 256;

export const sharedFrame = (event: SharedEvent, payload: Buffer, prefix: Buffer): Buffer => {
  if (event.frame && event.prefix?.equals(prefix)) return event.frame;
  event.prefix = prefix;
  return (event.frame = nextFrame(prefix, payload));
};

/**
 * Groups of identical subscriptions. The result of a subscription must depend only on tenant and roles, never on the viewer: the first
 * member's context is used for all.
 */
export function createLiveGroups(finish: Finish) {
  const groups = new Map<string, { group: LiveGroup; members: Set<() => void> }>();

  return {
    get size() {
      return groups.size;
    },
    of(query: string, args: LiveArgs): LiveGroup {
      const key = groupKey(query, args);
      const known = groups.get(key);
      if (known) return known.group;
      const members = new Set<() => void>();
      const executor = createExecutor(args, finish, () => {
        for (const pump of members) pump();
      });
      const group: LiveGroup = {
        hold: (event) => executor.hold(event),
        release: (event) => executor.release(event),
        get window() {
          return executor.window();
        },
        join(pump) {
          members.add(pump);
          // It may have been dropped when its last member left.
          if (!groups.has(key)) groups.set(key, { group, members });
          return () => {
            members.delete(pump);
            if (members.size === 0 && groups.get(key)?.group === group) groups.delete(key);
          };
        },
      };
      groups.set(key, { group, members });
      return group;
    },
  };
}

function groupKey(query: string, { operationName, variableValues, contextValue }: LiveArgs): string {
  const { viewer, tenant } = contextValue;
  const rights = [tenant?.orgId, tenant?.id, viewer?.roles.toSorted(), viewer?.scopes.toSorted(), viewer === null];
  const text = JSON.stringify([query, operationName ?? null, variableValues ?? null, rights]);
  return createHash('sha256').update(text).digest('base64');
}

function createExecutor(args: LiveArgs, finish: Finish, ready: () => void) {
  const shared = new Map<object, SharedEvent>();
  const waiting: { event: object; entry: SharedEvent }[] = [];
  let active = 0;
  let scheduled = false;
  let lastBytes = 0;

  async function run({ event, entry }: { event: object; entry: SharedEvent }): Promise<void> {
    // Caches are keyed by the context object; with a new one for each event, no event gets an earlier event's result.
    const contextValue = { ...args.contextValue };
    let result: ExecutionResult;
    try {
      result = await finish(await execute({ ...args, contextValue, rootValue: event }), contextValue);
    } catch (error) {
      result = await finish({ errors: [error as GraphQLError] }, contextValue);
    }
    entry.payload = Buffer.from(JSON.stringify(result));
    lastBytes = entry.payload.length;
  }

  function start(): void {
    while (active < executionsAtOnce && waiting.length > 0) {
      const next = waiting.shift() as { event: object; entry: SharedEvent };
      if (next.entry.holders === 0) continue;
      active += 1;
      void run(next).then(() => {
        active -= 1;
        if (waiting.length > 0) start();
        if (scheduled) return;
        scheduled = true;
        // Results that are executed in one turn of the event loop leave in one write per socket.
        setImmediate(() => {
          scheduled = false;
          ready();
        });
      });
    }
  }

  return {
    hold(event: object): SharedEvent {
      const known = shared.get(event);
      if (known) {
        known.holders += 1;
        return known;
      }
      const entry: SharedEvent = { holders: 1 };
      shared.set(event, entry);
      waiting.push({ event, entry });
      start();
      return entry;
    },
    release(event: object): void {
      const entry = shared.get(event);
      if (!entry) return;
      entry.holders -= 1;
      if (entry.holders === 0) shared.delete(event);
    },
    window: () => Math.min(heldEvents, Math.max(2, Math.floor(heldBytes / Math.max(1, lastBytes)))),
  };
}
