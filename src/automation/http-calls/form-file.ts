import { z } from 'zod';
import type { Part } from './multipart.ts';

/** A file of a multipart form, as written in a config. */
export const formFile = z
  .object({
    filename: z.string().max(255).optional(),
    content_type: z
      .string()
      .max(256)
      .regex(/^[\w.+-]+\/[\w.+-]+(;\s*[\w-]+=("[^"\r\n]*"|[\w.+-]+))*$/, 'must be a media type, such as text/csv.')
      .optional(),
    content: z.string().optional(),
    content_base64: z
      .string()
      .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be base64.')
      .optional(),
  })
  .refine(
    ({ content, content_base64: bytes }) => (content === undefined) !== (bytes === undefined),
    'needs exactly one of content and content_base64.',
  );

export function filePart(name: string, file: z.output<typeof formFile>): Part {
  const { filename, content_type: contentType, content, content_base64: bytes } = file;
  return { name, filename, contentType, content: content ?? Buffer.from(bytes ?? '', 'base64') };
}
