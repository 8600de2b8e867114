import type { Actor } from '#src/infra/deps.ts';
import { readCause, type StoredCause } from '#src/infra/tracing/cause.ts';

/** Whoever replays a dead letter, with the trace and the request of what fired the trigger; with their own where it had none. */
export const continueCause = (letter: StoredCause, actor: Actor): Actor => ({ ...actor, ...readCause(letter) });
