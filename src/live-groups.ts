import { createHash } from 'node:crypto';
import { execute, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Context } from './context.ts';
import { nextFrame } from './socket-frames.ts';

/** An event of one group: executed and serialised once, whoever gets it. */
export interface SharedEvent {
  /** The execution result as JSON bytes; undefined until it is there. */
  payload?: Buffer;
  /** The frame made last: clients that number their operations alike get the same bytes. */
  frame?: Buffer;
  prefix?: Buffer;
}

/** Subscribers of the same operation with the same rights. */
export interface LiveGroup {
  /** The event as this group sees it; equal events are the same object and share one execution. */
  share(event: object): SharedEvent;
  /** `pump` is called when payloads have become ready. Answers how to leave. */
  join(pump: () => void): () => void;
}

export type LiveArgs = ExecutionArgs & { contextValue: Context };

const executionsAtOnce = 32;

export const frameOf = (event: SharedEvent, payload: Buffer, prefix: Buffer): Buffer => {
  if (event.frame && event.prefix?.equals(prefix)) return event.frame;
  event.prefix = prefix;
  return (event.frame = nextFrame(prefix, payload));
};

/**
 * Groups of identical subscriptions. What a subscription can reach must depend on tenant and roles alone, never on who the
 * viewer is: the first member's context stands for all.
 */
export function createLiveGroups(finish: (result: ExecutionResult, context: Context) => ExecutionResult) {
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
        share: executor,
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

export type LiveGroups = ReturnType<typeof createLiveGroups>;

function groupKey(query: string, { operationName, variableValues, contextValue }: LiveArgs): string {
  const { viewer, tenant } = contextValue;
  const rights = [tenant?.orgId, tenant?.id, viewer?.roles.toSorted(), viewer === null];
  const text = JSON.stringify([query, operationName ?? null, variableValues ?? null, rights]);
  return createHash('sha256').update(text).digest('base64');
}

function createExecutor(
  args: LiveArgs,
  finish: (result: ExecutionResult, context: Context) => ExecutionResult,
  ready: () => void,
): (event: object) => SharedEvent {
  const shared = new WeakMap<object, SharedEvent>();
  const waiting: { event: object; entry: SharedEvent }[] = [];
  let active = 0;
  let scheduled = false;

  async function run({ event, entry }: { event: object; entry: SharedEvent }): Promise<void> {
    // Caches hang on the context object; one of its own keeps an event from being answered with an earlier event's.
    const contextValue = { ...args.contextValue };
    let result: ExecutionResult;
    try {
      result = finish(await execute({ ...args, contextValue, rootValue: event }), contextValue);
    } catch (error) {
      result = finish({ errors: [error as never] }, contextValue);
    }
    entry.payload = Buffer.from(JSON.stringify(result));
  }

  function start(): void {
    while (active < executionsAtOnce && waiting.length > 0) {
      active += 1;
      void run(waiting.shift() as { event: object; entry: SharedEvent }).then(() => {
        active -= 1;
        if (waiting.length > 0) start();
        if (scheduled) return;
        scheduled = true;
        // What is executed in one turn of the event loop goes out in one write a socket.
        setImmediate(() => {
          scheduled = false;
          ready();
        });
      });
    }
  }

  return (event) => {
    const known = shared.get(event);
    if (known) return known;
    const entry: SharedEvent = {};
    shared.set(event, entry);
    waiting.push({ event, entry });
    start();
    return entry;
  };
}
