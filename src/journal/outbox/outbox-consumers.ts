import { eventTriggers } from '#src/automation/firings/event-firing.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { OutboxConsumer } from './outbox.ts';

/** Everyone who reads the outbox. Whoever is new here begins with the oldest event that is kept. */
export const outboxConsumers = (deps: Deps): OutboxConsumer[] => [eventTriggers(deps)];
