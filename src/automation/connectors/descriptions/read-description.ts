import { hash } from 'node:crypto';
import { AppError } from '#src/infra/errors.ts';
import type { ApiDescription } from './api-description.ts';
import type { DescriptionSource } from './description-source.ts';
import { readOpenApi } from './openapi/read-openapi.ts';
import { descriptionText, parseDocument } from './parse-document.ts';
import { readPostman } from './postman/read-postman.ts';
import { isObject, objectMember, textMember, type JsonObject } from './untrusted-json.ts';

/** A kind of description that is JSON or YAML. */
interface DocumentKind {
  name: string;
  isKind: (document: JsonObject) => boolean;
  read: (document: JsonObject, source: DescriptionSource) => ApiDescription;
}

const documentKinds: readonly DocumentKind[] = [
  {
    name: 'OpenAPI 2.0 to 3.1',
    isKind: (document) =>
      /^2(?:\.0)?$/.test(textMember(document, 'swagger')) || /^3(?:\.|$)/.test(textMember(document, 'openapi')),
    read: readOpenApi,
  },
  {
    name: 'Postman collections 2.0 and 2.1',
    isKind: (document) =>
      /\/collection\/v2\.[01]\.\d\//.test(textMember(objectMember(document, 'info'), 'schema')) &&
      Array.isArray(document['item']),
    read: readPostman,
  },
];

/**
 * Reads a description of an API, whatever its kind. `from` is the URL that it came from: relative servers are relative to it. Nothing is
 * fetched. Throws UNPROCESSABLE for what is no description or exceeds a limit; operations that cannot become nodes are skipped instead.
 */
export async function readDescription(
  bytes: Uint8Array,
  { from = '' }: { from?: string } = {},
): Promise<ApiDescription> {
  const document = parseDocument(descriptionText(bytes));
  const kind = isObject(document) ? documentKinds.find(({ isKind }) => isKind(document)) : undefined;
  if (kind === undefined || !isObject(document)) {
    throw new AppError(
      'UNPROCESSABLE',
      `The file is no description of a known kind. Use one of: ${documentKinds.map(({ name }) => name).join('; ')}.`,
    );
  }
  return kind.read(document, { hash: hash('sha256', bytes), from });
}
