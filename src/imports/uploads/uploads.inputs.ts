import { z } from 'zod';

/** Bytes of a file, at most. */
export const maxUploadBytes = 1024 * 1024 * 1024;

export const createUploadInput = z.object({
  filename: z.string().trim().min(1).max(191).describe('For people; at most 191 characters.'),
  contentType: z
    .string()
    .trim()
    .max(191)
    .regex(/^[\w.+-]+\/[\w.+-]+(\s*;.*)?$/, 'Use a media type such as text/csv.')
    .describe('The media type, such as `text/csv`.'),
  size: z
    .int()
    .min(0)
    .max(maxUploadBytes, `Use at most ${maxUploadBytes} bytes.`)
    .nullish()
    .describe('Bytes. A file of another size is then refused.'),
});
