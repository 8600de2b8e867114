import { z } from 'zod';

/** Bytes of a file, at most. */
export const maxUploadBytes = 1024 * 1024 * 1024;

export const createUploadInput = z.object({
  filename: z.string().trim().min(1).max(191),
  contentType: z
    .string()
    .trim()
    .max(191)
    .regex(/^[\w.+-]+\/[\w.+-]+(\s*;.*)?$/, 'Use a media type such as text/csv.'),
  /** Bytes; a file of another size is then refused. */
  size: z.int().min(0).max(maxUploadBytes, `Use at most ${maxUploadBytes} bytes.`).nullish(),
});
