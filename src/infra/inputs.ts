import type { z } from 'zod';
import { type FieldErrors, NotFoundError, ValidationError } from './errors.ts';
import { inputSentence } from './input-messages.ts';
import { isStorable, unstorable } from './json.ts';

/**
 * Parses `value`, or throws a ValidationError keyed by the dotted paths under `prefix`. Text that Postgres cannot store is
 * reported at its field.
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown, prefix = ''): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: inputSentence(prefix) });
  if (!parsed.success) throw new ValidationError(fieldErrors(parsed.error, prefix));
  if (!isStorable(parsed.data)) throw new ValidationError(unstorableFields(parsed.data, prefix));
  return parsed.data;
}

function unstorableFields(data: unknown, prefix: string): FieldErrors {
  const members = typeof data === 'object' && data !== null && !Array.isArray(data) ? Object.entries(data) : [];
  const at = members.filter(([key, value]) => isStorable(key) && !isStorable(value)).map(([key]) => key);
  if (at.length === 0) return { [prefix || 'body']: [unstorable] };
  return Object.fromEntries(at.slice(0, 100).map((key) => [prefix === '' ? key : `${prefix}.${key}`, [unstorable]]));
}

/** Reports at most 100 fields, so that a hostile body cannot choose the size of its response. */
function fieldErrors(error: z.ZodError, prefix = ''): FieldErrors {
  const fields: FieldErrors = {};
  for (const issue of error.issues.slice(0, 100)) {
    const path = [prefix, ...issue.path.map(String)].filter((part) => part !== '').join('.') || 'body';
    (fields[path] ??= []).push(issue.message);
  }
  return fields;
}

const maxId = 2n ** 63n - 1n;

/**
 * A database id from a Relay global id of type `typeName`, or from a plain integer, which REST uses. Throws NotFoundError
 * for anything else.
 */
export function readId(typeName: string, value: string | number): bigint {
  const text = String(value);
  const digits = /^\d{1,19}$/.test(text) ? text : fromGlobalId(typeName, text);
  if (digits === undefined || !/^\d{1,19}$/.test(digits)) throw new NotFoundError();
  const id = BigInt(digits);
  if (id > maxId) throw new NotFoundError();
  return id;
}

function fromGlobalId(typeName: string, text: string): string | undefined {
  const [name, id] = Buffer.from(text, 'base64').toString('utf8').split(':', 2);
  return name === typeName ? id : undefined;
}

/** The same for keys that are text: the key in a global id of the type; other text is returned unchanged. */
export const readKey = (typeName: string, text: string): string => fromGlobalId(typeName, text) ?? text;

/** The same for keys that are UUIDs. Throws NotFoundError for anything else. */
export function readUuid(typeName: string, text: string): string {
  const key = readKey(typeName, text);
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(key)) throw new NotFoundError();
  return key.toLowerCase();
}
