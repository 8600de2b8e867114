import { z } from 'zod';
import { isStorable, unstorable } from '#src/infra/json.ts';

export const secretLimits = {
  /** Bytes of UTF-8. */
  value: 64 * 1024,
  /** Per tenant; the list is read whole. */
  number: 1_000,
} as const;

export const secretKeyPattern = /^[A-Z][A-Z0-9_]{0,127}$/;

export const secretKey = z
  .string()
  .regex(secretKeyPattern, 'Name a secret in capitals, digits and underscores, beginning with a letter: ERP_TOKEN.');

const secretValue = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= secretLimits.value, `A secret has at most ${secretLimits.value} bytes.`)
  .refine(isStorable, unstorable);

export const putSecretInput = z.object({
  key: secretKey.describe('A capital letter, then up to 127 capitals, digits and underscores: `ERP_TOKEN`.'),
  value: secretValue.describe('1 byte to 64 KiB of UTF-8; it is stored encrypted and never answered.'),
});
