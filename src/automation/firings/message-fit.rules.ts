import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import type { WebhookMessage } from './firings.inputs.ts';
import type { Target } from './firings.store.ts';

/** A message as a trigger's config stores it. */
export interface ExpectedMessage extends WebhookMessage {
  version: string;
  schema: JsonSchema;
}

/** Numbers that a double cannot hold arrive as text. */
const largeNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: (value) => Array.isArray(value),
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  number: (value) => typeof value === 'number' || (typeof value === 'string' && largeNumber.test(value)),
  integer: (value) => Number.isInteger(value) || (typeof value === 'string' && /^-?\d{16,}$/.test(value)),
};

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Finds the first place at which a body does not fit the schema of a message, as a sentence; undefined if it fits. Checks the keywords that
 * schemas of messages use, so that no firing waits for the compilation of a schema.
 */
export function findMisfit(schema: JsonSchema, value: unknown, place = 'body'): string | undefined {
  const { type, enum: values, required, properties, items, anyOf } = schema;
  const types = [type].flat().filter((each): each is string => typeof each === 'string' && Object.hasOwn(fits, each));
  if (types.length > 0 && !types.some((each) => fits[each]?.(value) === true))
    return `${place} must be ${types.join(' or ')}.`;
  if (Array.isArray(values) && typeof value !== 'object' && !(values as unknown[]).includes(value))
    return `${place} is none of the described values.`;
  if (Array.isArray(anyOf)) {
    const shapes = anyOf.filter(isSchema);
    if (shapes.length > 0 && value !== null && shapes.every((shape) => findMisfit(shape, value, place) !== undefined))
      return `${place} has none of the described shapes.`;
  }
  if (Array.isArray(value)) {
    if (!isSchema(items)) return undefined;
    for (const [index, item] of value.entries()) {
      const misfit = findMisfit(items, item, `${place}[${index}]`);
      if (misfit !== undefined) return misfit;
    }
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  const missing = Array.isArray(required)
    ? required.find((name) => typeof name === 'string' && !Object.hasOwn(members, name))
    : undefined;
  if (missing !== undefined) return `${place} needs the member "${String(missing).slice(0, 100)}".`;
  for (const [name, inner] of isSchema(properties) ? Object.entries(properties) : []) {
    if (!Object.hasOwn(members, name) || !isSchema(inner)) continue;
    const misfit = findMisfit(inner, members[name], `${place}.${name.slice(0, 100)}`);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

/** Compares the body of a firing with the message that its webhook trigger expects. Undefined if it fits or no message is expected. */
export function findMessageMisfit(
  { type, config }: Pick<Target, 'type' | 'config'>,
  payload: unknown,
): { reason: string; isRefused: boolean } | undefined {
  const { message } = (config ?? {}) as { message?: ExpectedMessage };
  if (type !== 'webhook' || message === undefined) return undefined;
  const { body = null } = (payload ?? {}) as { body?: unknown };
  const misfit = findMisfit(message.schema, body);
  if (misfit === undefined) return undefined;
  return {
    reason: `The body does not fit the message ${message.slug}: ${misfit}`,
    isRefused: message.on_mismatch === 'refuse',
  };
}
