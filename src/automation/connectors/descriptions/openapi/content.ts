import type { ApiContent } from '#src/automation/connectors/descriptions/api-description.ts';
import { isBinary, readMediaType } from '#src/automation/connectors/descriptions/media-types.ts';
import {
  member,
  objectMember,
  textMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { ParameterStyle } from '#src/automation/node-api/api-call.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import type { OperationContext } from './context.ts';

const maxTypes = 20;

export const bytesSchema: JsonSchema = { type: 'string', format: 'binary' };

/** Reads the `content` of a body or an answer of OpenAPI 3. Invalid media types are left out. */
export function readContent(owner: JsonObject, context: OperationContext): ApiContent[] {
  const found = new Map<string, ApiContent>();
  for (const [written, media] of Object.entries(objectMember(owner, 'content')).slice(0, maxTypes)) {
    const mediaType = readMediaType(written);
    if (mediaType === undefined || found.has(mediaType)) continue;
    const schema = context.definitions.read(member(media, 'schema'), context.refs);
    found.set(mediaType, {
      mediaType,
      schema: isEmpty(schema) && isBinary(mediaType) ? bytesSchema : schema,
      encoding: readEncoding(media),
    });
  }
  return [...found.values()];
}

/** Returns one schema in several media types, as Swagger 2.0 describes them. */
export function readOwnContent(mediaTypes: readonly unknown[], schema: JsonSchema): ApiContent[] {
  const known = mediaTypes
    .slice(0, maxTypes)
    .map((written) => (typeof written === 'string' ? readMediaType(written) : undefined))
    .filter((mediaType) => mediaType !== undefined);
  return [...new Set(known)].map((mediaType) => ({ mediaType, schema, encoding: {} }));
}

function readEncoding(media: unknown): ApiContent['encoding'] {
  const entries = Object.entries(objectMember(media, 'encoding')).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(
    entries.map(([name, written]) => {
      const contentType = textMember(written, 'contentType').split(',', 1)[0]?.trim() ?? '';
      const style = textMember(written, 'style');
      const explode = member(written, 'explode');
      return [
        name,
        {
          ...(readMediaType(contentType) !== undefined && { contentType }),
          ...(isFormStyle(style) && { style }),
          ...(typeof explode === 'boolean' && { explode }),
        },
      ];
    }),
  );
}

const formStyles: ReadonlySet<string> = new Set(['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']);
const isFormStyle = (style: string): style is ParameterStyle => formStyles.has(style);

const isEmpty = (schema: JsonSchema): boolean => Object.keys(schema).length === 0;
