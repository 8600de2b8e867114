import type { z } from 'zod';
import { type FieldErrors, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { RequestError, snakeCaseFields } from './errors.ts';

/** Parses input. Throws one RequestError with all of its faults: `unknown`, the messages for unknown names, and those of `schema`. */
export function parseKnown<Schema extends z.ZodType>(
  schema: Schema,
  sent: unknown,
  unknown: FieldErrors,
): z.output<Schema> {
  try {
    const parsed = parseInput(schema, sent);
    if (Object.keys(unknown).length === 0) return parsed;
  } catch (error) {
    if (error instanceof ValidationError) throw new RequestError({ ...unknown, ...snakeCaseFields(error.fields) });
    throw error;
  }
  throw new RequestError(unknown);
}
