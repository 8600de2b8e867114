import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { AttributeType } from '#prisma/enums.ts';
import { type FieldErrors, ValidationError } from '#src/infra/errors.ts';
import { inputSentence } from '#src/infra/input-messages.ts';

/** Values by the code of their attribute. */
export type AttributeValues = Record<string, unknown>;

export interface Definition {
  code: string;
  label: string;
  type: AttributeType;
  options: string[];
  required: boolean;
}

const maxBytes = { json: 16_384, all: 65_536 };

/** A number whose digits a float keeps. */
const number = z
  .number()
  .refine((value) => Math.abs(value) < 1e15 && /^-?\d+(\.\d{1,6})?$/.test(String(value)) && countDigits(value) <= 15, {
    error: 'Use at most 15 digits, 6 of them after the point.',
  });
const countDigits = (value: number): number => String(value).replace(/\D/g, '').replace(/^0+/, '').length;

const schemas: Record<AttributeType, (definition: Definition) => z.ZodType> = {
  text: () => z.string().max(4_000),
  number: () => number,
  boolean: () => z.boolean(),
  date: () => z.iso.date(),
  select: ({ options }) => z.enum(options),
  json: () =>
    z.unknown().refine((value) => measureSize(value) <= maxBytes.json, `Use at most ${maxBytes.json} bytes of JSON.`),
};

const measureSize = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * The values of a resource after a write: its former values, overwritten by the given ones; null clears one. Values that the tenant no
 * longer defines are dropped. Throws a ValidationError keyed by `attributes.<code>`, also for a required one that the resource would lack.
 */
export function mergeAttributes(
  definitions: readonly Definition[],
  given: AttributeValues | null | undefined,
  before: AttributeValues = {},
): AttributeValues {
  const errors: FieldErrors = {};
  const byCode = new Map(definitions.map((definition) => [definition.code, definition]));
  for (const [code, value] of Object.entries(given ?? {})) {
    const definition = byCode.get(code);
    const faults = definition ? findFaults(definition, value) : ['There is no attribute of this code.'];
    // Limits the errors, so that a body cannot choose the size of its response.
    if (faults.length > 0 && Object.keys(errors).length < 100) errors[fieldPath(code)] = faults;
  }
  const merged = Object.fromEntries(
    Object.entries({ ...before, ...given }).filter(([code, value]) => byCode.has(code) && value !== null),
  );
  for (const { code, required } of definitions) {
    if (required && !Object.hasOwn(merged, code))
      errors[fieldPath(code)] ??= [`The field ${fieldPath(code)} is required.`];
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  if (measureSize(merged) > maxBytes.all) {
    throw new ValidationError({
      attributes: [`Use at most ${maxBytes.all} bytes of JSON for all attributes together.`],
    });
  }
  return isDeepStrictEqual(merged, before) ? before : merged;
}

const fieldPath = (code: string): string => `attributes.${code.slice(0, 64)}`;

function findFaults(definition: Definition, value: unknown): string[] {
  if (value === null) return [];
  const named = inputSentence(fieldPath(definition.code));
  const { error } = schemas[definition.type](definition).safeParse(value, { error: named });
  return error ? error.issues.slice(0, 1).map(({ message }) => message) : [];
}

/** A list's filter on an attribute, with its value in Postgres's text form. */
export interface AttributeFilter {
  code: string;
  text: string;
}

const maxFilters = 10;

/**
 * Parses a list's attribute filters: values as in JSON, or as text of a query. Throws a ValidationError for a code that is not defined, and
 * for a value that no resource could have.
 */
export function readAttributeFilters(definitions: readonly Definition[], given: AttributeValues): AttributeFilter[] {
  const entries = Object.entries(given);
  if (entries.length > maxFilters) {
    throw new ValidationError({ attributes: [`Narrow by at most ${maxFilters} attributes.`] });
  }
  return entries.map(([code, value]) => {
    const definition = definitions.find((each) => each.code === code);
    if (!definition) throw new ValidationError({ [fieldPath(code)]: ['There is no attribute of this code.'] });
    if (definition.type === 'json') {
      throw new ValidationError({ [fieldPath(code)]: ['Lists cannot be narrowed by an attribute of type JSON.'] });
    }
    const meant = typeof value === 'string' ? readText(definition.type, value) : value;
    const [fault] = meant === null ? ['Name a value.'] : findFaults(definition, meant);
    if (fault !== undefined) throw new ValidationError({ [fieldPath(code)]: [fault] });
    return { code, text: String(meant) };
  });
}

function readText(type: AttributeType, text: string): unknown {
  if (type === 'boolean') return { true: true, false: false }[text] ?? text;
  if (type === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  return text;
}

/** The JSON Schema of a target's attributes. None is required: a resource may be older than its attribute. */
export const attributesSchema = (definitions: readonly Definition[]): Record<string, unknown> => ({
  type: 'object',
  properties: Object.fromEntries(definitions.map((definition) => [definition.code, describe(definition)])),
});

function describe(definition: Definition): Record<string, unknown> {
  const { label, type, required } = definition;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(schemas[type](definition));
  return { ...schema, title: label, ...(required && { description: 'Every write needs it.' }) };
}
