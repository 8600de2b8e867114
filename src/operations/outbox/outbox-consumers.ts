import { eventTriggers } from '#src/automation/triggers/event-firing.service.ts';
import type { Deps } from '#src/platform/deps.ts';
import type { OutboxConsumer } from '#src/platform/outbox.ts';

/** Everyone who reads the outbox. Whoever is new here begins with the oldest event that is kept. */
export const outboxConsumers = (deps: Deps): OutboxConsumer[] => [eventTriggers(deps)];
