import type { Actor } from '#src/infra/deps.ts';
import { readTraceparent } from '#src/infra/tracing/trace-context.ts';

/** Whoever replays a dead letter, in the trace of what fired the trigger; in their own where that was not traced. */
export const continueTrace = ({ traceparent }: { traceparent: string | null }, actor: Actor): Actor => ({
  ...actor,
  trace: readTraceparent(traceparent) ?? actor.trace,
});
