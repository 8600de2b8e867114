import { ExpressionError } from '#src/automation/expressions/expression-error.ts';
import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import { compileTemplate } from '#src/automation/expressions/template.ts';
import { isTrue } from '#src/automation/expressions/truth.ts';
import type { OutboxEvent } from '#src/journal/outbox/outbox.ts';

/** The part of an event that a trigger receives: `trigger.payload` of its run and in its filter. */
export interface EventEnvelope {
  id: string;
  topic: string;
  /** ISO 8601. */
  time: string;
  tenant_id: string;
  data: unknown;
  metadata: Record<string, unknown>;
}

export const toEnvelope = (event: OutboxEvent): EventEnvelope => ({
  id: event.eventId,
  topic: event.topic,
  time: event.createdAt.toISOString(),
  tenant_id: event.tenantId,
  data: event.data,
  metadata: event.metadata,
});

export type Verdict = 'pass' | 'drop' | { refusal: string };

/**
 * True when the event passes a trigger's filter, an expression with `trigger.payload` (the envelope), `trigger.type` and
 * `trigger.handle` in scope. There is no run yet, so nodes and secrets are not available. A filter that cannot be
 * evaluated yields a refusal with its reason rather than false, so that the event is kept as a dead letter.
 */
export async function passesFilter(
  filter: string | undefined,
  handle: string,
  envelope: EventEnvelope,
): Promise<Verdict> {
  if (filter === undefined) return 'pass';
  const scope: ExpressionScope = {
    trigger: { payload: envelope, type: 'event', handle },
    nodes: {},
    run: { id: 0, started_at: envelope.time },
    secrets: () => {
      throw new ExpressionError('failed', 'A filter reads the event; secrets are not in its scope.');
    },
  };
  try {
    const compiled = compileTemplate({ filter }, { deferred: ['filter'] }).deferred('filter');
    return isTrue(await compiled.evaluate(scope)) ? 'pass' : 'drop';
  } catch (error) {
    if (error instanceof ExpressionError) return { refusal: `The trigger's filter failed: ${error.reason}` };
    throw error;
  }
}
