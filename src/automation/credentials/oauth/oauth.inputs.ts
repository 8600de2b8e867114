import { z } from 'zod';

const text = (max: number) => z.string().min(1).max(max);

/** The query of a provider's redirect. An invalid member counts as missing, since the response is the same. */
export const callbackQuery = z.object({
  code: text(8_192).optional().catch(undefined),
  /** 32 bytes in base64url. */
  state: z
    .string()
    .regex(/^[\w-]{43}$/)
    .optional()
    .catch(undefined),
  iss: text(2_048).optional().catch(undefined),
  error: text(256).optional().catch(undefined),
});

/** The same as the graph takes it: a redirect brings a code, or the error for which there is none. */
export const callbackInput = callbackQuery.omit({ code: true, error: true }).extend({
  outcome: z.union([
    z.strictObject(callbackQuery.pick({ code: true }).shape),
    z.strictObject(callbackQuery.pick({ error: true }).shape),
  ]),
});
