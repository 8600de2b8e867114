import { randomBytes } from 'node:crypto';
import { ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { publicConfigs, secretMembers, type Verifier, verifierConfigs } from '#src/infra/signing/verifier-configs.ts';
import { messageSecretFault } from '#src/infra/signing/webhook-signatures.ts';
import { type EndpointPreset, endpointPresets } from './endpoint-presets.inputs.ts';

/** The last part of an endpoint's URL: 192 random bits. */
export const makeEndpointId = (): string => randomBytes(24).toString('base64url');
export const endpointIdPattern = /^[A-Za-z0-9_-]{32}$/;

/** How an endpoint verifies its sender: the part that may be shown, and the secret. */
export interface SenderConfig {
  verifier: Verifier;
  config: object;
  secret: string;
}

/** The config of a new endpoint. Throws a ValidationError at `config.<member>`. */
export function readSender(
  given: { verifier?: Verifier | null | undefined; config?: object | null | undefined },
  preset?: EndpointPreset | null,
): SenderConfig {
  const from = preset ? endpointPresets[preset] : undefined;
  const verifier = given.verifier ?? from?.verifier ?? 'platform_v0';
  const defaults = from?.verifier === verifier ? from.config : {};
  return splitSecret(verifier, parseInput(verifierConfigs[verifier], { ...defaults, ...given.config }, 'config'));
}

/**
 * The config of an endpoint after a change: absent members stay, and so does the secret. Another verifier needs a complete config, because
 * the former one does not fit it.
 */
export function changeSender(
  stored: SenderConfig,
  given: { verifier?: Verifier | null | undefined; config?: object | null | undefined },
): SenderConfig {
  if (given.verifier != null && given.verifier !== stored.verifier) return readSender(given);
  const { verifier, config, secret } = stored;
  const changed = { ...config, ...given.config };
  if (secretMembers[verifier] in changed) {
    return splitSecret(verifier, parseInput(verifierConfigs[verifier], changed, 'config'));
  }
  return { verifier, config: parseInput(publicConfigs[verifier], changed, 'config'), secret };
}

/** Throws a ValidationError at `secret` if the verifier cannot use it. */
export function assertSecretFits(verifier: Verifier, secret: string): void {
  const fault = verifier === 'standard_webhooks' ? messageSecretFault(secret) : null;
  if (fault !== null) throw new ValidationError({ secret: [fault] });
}

function splitSecret(verifier: Verifier, whole: Record<string, unknown>): SenderConfig {
  const { [secretMembers[verifier]]: secret, ...config } = whole;
  return { verifier, config, secret: secret as string };
}

/** The effect of an endpoint's calls: a webhook trigger fires, or an event is published. */
export type Binding = { triggerHandle: string; topic: null } | { triggerHandle: null; topic: string };

/** The topic of a destination's test event; no domain publishes it. */
const pingTopic = 'webhook.ping';

/**
 * The reason why calls may not publish events of a topic; undefined if they may. Receivers take an event such as `order.created` as a fact
 * of this server, so no sender may publish one, however well it authenticates.
 */
export const topicRefusal = (topic: string | null, ownTopics: ReadonlySet<string>): string | undefined =>
  topic !== null && (topic === pingTopic || ownTopics.has(topic))
    ? `Only this server publishes ${topic}. Bind the endpoint to a topic of your own, such as erp.${topic}.`
    : undefined;

/** Throws a ValidationError at `topic` if calls may not publish its events. */
export function assertForeignTopic({ topic }: Binding, ownTopics: ReadonlySet<string>): void {
  const refused = topicRefusal(topic, ownTopics);
  if (refused !== undefined) throw new ValidationError({ topic: [refused] });
}

export const toBinding = (target: { triggerHandle: string } | { topic: string }): Binding =>
  'topic' in target
    ? { triggerHandle: null, topic: target.topic }
    : { triggerHandle: target.triggerHandle.toLowerCase(), topic: null };
