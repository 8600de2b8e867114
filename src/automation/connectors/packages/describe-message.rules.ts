import type { ApiMessage } from '#src/automation/connectors/descriptions/api-description.ts';
import type { MessageManifest } from '#src/automation/node-api/manifest.ts';
import { outputSchemaFor } from './output-schema.rules.ts';
import type { Definitions } from './resolve-schema.ts';

/** Makes the document of a message that the API sends. */
export const describeMessage = (
  { name, title, summary, headers, signatureHeader, schema }: ApiMessage,
  definitions: Definitions,
  namespace: string,
): MessageManifest => ({
  slug: `${namespace}:${name}`,
  version: '1.0.0',
  name: title || name,
  ...(summary !== '' && { description: summary }),
  ...(headers.length > 0 && { headers }),
  ...(signatureHeader !== undefined && { signature_header: signatureHeader }),
  schema: outputSchemaFor(schema, definitions),
});
