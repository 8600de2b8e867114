import { z } from 'zod';

const text = (max: number) => z.string().min(1).max(max);

/** What a provider's redirect brings. A member that is not as it must be counts as missing: the answer is the same. */
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
