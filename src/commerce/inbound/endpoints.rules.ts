import { randomBytes } from 'node:crypto';
import { type FieldErrors, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { secretMembers, type Verifier, verifierConfigs } from '#src/infra/signing/verifier-configs.ts';
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
 * The config of an endpoint after a change: members that are left out stay, and so does the secret. Another verifier needs a whole
 * config, because the former config does not fit it.
 */
export function changeSender(
  stored: SenderConfig,
  given: { verifier?: Verifier | null | undefined; config?: object | null | undefined },
): SenderConfig {
  if (given.verifier != null && given.verifier !== stored.verifier) return readSender(given);
  const { verifier, config, secret } = stored;
  const whole = { ...config, [secretMembers[verifier]]: secret, ...given.config };
  return splitSecret(verifier, parseInput(verifierConfigs[verifier], whole, 'config'));
}

function splitSecret(verifier: Verifier, whole: Record<string, unknown>): SenderConfig {
  const { [secretMembers[verifier]]: secret, ...config } = whole;
  return { verifier, config, secret: secret as string };
}

/** What the calls of an endpoint cause: a webhook trigger fires, or an event is published. */
export type Binding = { triggerHandle: string; topic: null } | { triggerHandle: null; topic: string };

interface GivenBinding {
  triggerHandle?: string | null | undefined;
  topic?: string | null | undefined;
}

/** A trigger or a topic, exactly one of them. A new one replaces the other; ValidationError where both are given, or neither. */
export function readBinding({ triggerHandle, topic }: GivenBinding, stored?: Binding): Binding {
  if (triggerHandle != null && topic != null)
    throw unbound('Bind the endpoint to a trigger or to a topic, not to both.');
  if (triggerHandle != null) return { triggerHandle: triggerHandle.toLowerCase(), topic: null };
  if (topic != null) return { triggerHandle: null, topic };
  const isCleared = stored && (stored.topic === null ? triggerHandle === null : topic === null);
  if (!stored || isCleared) throw unbound('Name the webhook trigger that calls fire, or the topic of their events.');
  return stored;
}

const unbound = (message: string): ValidationError => {
  const fields: FieldErrors = { triggerHandle: [message], topic: [message] };
  return new ValidationError(fields);
};
