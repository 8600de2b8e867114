import { z } from 'zod';
import { fileReference, isFileReference } from '#src/automation/node-api/file-reference.ts';
import type { FilesPort } from '#src/automation/node-api/ports.ts';
import type { Part } from './multipart.ts';

const writtenFile = z
  .object({
    filename: z.string().max(255).optional(),
    content_type: z
      .string()
      .max(256)
      .regex(/^[\w.+-]+\/[\w.+-]+(;\s*[\w-]+=("[^"\r\n]*"|[\w.+-]+))*$/, 'must be a media type, such as text/csv.')
      .optional(),
    content: z.union([z.string(), fileReference]).optional(),
    content_base64: z
      .string()
      .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be base64.')
      .optional(),
  })
  .refine(
    ({ content, content_base64: bytes }) => (content === undefined) !== (bytes === undefined),
    'needs exactly one of content and content_base64.',
  );

/** A file of a multipart form in a config: a reference, or an object whose content is a reference, text or base64. */
export const formFile = z.union([fileReference, writtenFile]);

export async function filePart(name: string, given: z.output<typeof formFile>, files: FilesPort): Promise<Part> {
  const written: z.output<typeof writtenFile> = isFileReference(given) ? { content: given } : given;
  const { filename, content_type: contentType, content, content_base64: bytes } = written;
  if (typeof content !== 'object')
    return { name, filename, contentType, content: content ?? Buffer.from(bytes ?? '', 'base64') };
  const file = await files.open(content);
  const body = { bytes: file.size, open: file.stream };
  return { name, filename: filename ?? file.name, contentType: contentType ?? file.type, content: body };
}
