import { hash } from 'node:crypto';
import { AppError } from '#src/infra/errors.ts';
import type { ApiDescription } from './api-description.ts';
import { descriptionKinds } from './description-kinds.ts';
import { descriptionText, parseDocument } from './parse-document.ts';

/**
 * Reads a description of an API of any known kind. `from` is its URL, which resolves relative servers. Nothing is fetched. Throws
 * UNPROCESSABLE for a file that is not a description or exceeds a limit. Operations that cannot become nodes are skipped instead.
 */
export async function readDescription(
  bytes: Uint8Array,
  { from = '' }: { from?: string } = {},
): Promise<ApiDescription> {
  const text = descriptionText(bytes);
  const source = { hash: hash('sha256', bytes), from };
  const { languages, documents } = descriptionKinds;
  const language = languages.find(({ isKind }) => isKind(text));
  if (language !== undefined) return await language.read(text, source);
  const document = parseDocument(text);
  const kind = documents.find(({ isKind }) => isKind(document));
  if (kind !== undefined) return await kind.read(document, source);
  const names = [...documents, ...languages].map(({ name }) => name).join('; ');
  throw new AppError('UNPROCESSABLE', `The file is no description of a known kind. Use one of: ${names}.`);
}
