import { z } from 'zod';
import { graphTypes } from '#src/infra/graph-types.ts';
import { isStorable, unstorable } from '#src/infra/json.ts';

export const stateLimits = {
  keyChars: 512,
  /** Bytes of a value as JSON text. */
  valueBytes: 256 * 1024,
  /** Levels of objects and arrays. */
  valueDepth: 128,
  ttlSeconds: 10 * 365 * 86_400,
  /** Per namespace; the database enforces these two as well. */
  entries: 100_000,
  bytes: 64 * 1024 * 1024,
  /** Per page of entries, keys and values together. */
  pageBytes: 4 * 1024 * 1024,
  /** Per tenant; the list is read whole. */
  namespaces: 100,
} as const;

/** The names that workflows can declare; no namespace has any other name. */
export const namespacePattern = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

export const stateKey = z.string().min(1).max(stateLimits.keyChars).refine(isStorable, unstorable);

/** The input of an operator's correction. */
export const putEntryInput = z.object({
  value: z.custom<unknown>((value) => value !== undefined, 'A value is required.').describe('Any JSON, null included.'),
  version: z
    .int()
    .min(0)
    .register(graphTypes, { type: 'Long' })
    .nullish()
    .describe('The version you last saw, 0 for none. A stale one answers a ConflictError.'),
});
