import { NodeError } from './node-error.ts';

/** Consumers are chosen by the topic of an event, so a secret in it is refused rather than redacted. */
export function assertTopicHoldsNoSecret(topic: string, holdsSecret: (value: unknown) => boolean): void {
  if (!holdsSecret(topic)) return;
  throw new NodeError(
    'SECRET_IN_TOPIC',
    'The topic contains a secret, which everyone who receives the event would see. Name the event without it.',
  );
}
