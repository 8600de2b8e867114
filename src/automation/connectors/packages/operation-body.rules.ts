import type {
  ApiContent,
  ApiDescription,
  ApiOperation,
} from '#src/automation/connectors/descriptions/api-description.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import type { CallBody, MemberEncoding } from '#src/automation/node-api/api-call.ts';
import type { ConfigField, JsonSchema } from '#src/automation/node-api/manifest.ts';
import { type FieldBudget, makeField, withoutNull } from './field-of-schema.rules.ts';
import { type Definitions, isSchema, resolveSchema } from './resolve-schema.ts';

const kinds: readonly (readonly [RegExp, CallBody['as']])[] = [
  [/^application\/([\w.+-]+\+)?json\b/i, 'json'],
  [/^application\/x-www-form-urlencoded\b/i, 'form'],
  [/^multipart\/form-data\b/i, 'multipart'],
  [/^(application|text)\/([\w.+-]+\+)?xml\b/i, 'xml'],
  [/^text\//i, 'text'],
  [/./, 'bytes'],
];

/** Returns the rank of a media type. Types that a form can describe in more detail come first. */
export const findKind = (mediaType: string): number => kinds.findIndex(([pattern]) => pattern.test(mediaType));

/** Chooses the media type of a body that a form can describe in most detail. */
export const chooseBody = ({ body }: ApiOperation): ApiContent | undefined =>
  body?.content.toSorted((one, other) => findKind(one.mediaType) - findKind(other.mediaType))[0];

export function describeBody(
  { isChangeSet }: ApiOperation,
  { mediaType, encoding, schema }: ApiContent,
  definitions: Definitions,
): CallBody {
  const as = isChangeSet === true ? 'change_set' : (kinds[findKind(mediaType)]?.[1] ?? 'bytes');
  const members: Record<string, MemberEncoding> = {};
  for (const [name, { contentType, style, explode }] of Object.entries(encoding)) {
    members[name] = {
      ...(contentType !== undefined && { content_type: contentType }),
      ...(style && { style }),
      ...(explode !== undefined && { explode }),
    };
  }
  if (as === 'multipart')
    for (const name of listFiles(schema, definitions)) members[name] = { ...members[name], file: true };
  const { xml } = schema;
  const root = typeof xml === 'object' && xml !== null && 'name' in xml ? String(xml.name) : undefined;
  // A range such as */* cannot be sent.
  const sent = mediaType.includes('*') ? 'application/octet-stream' : mediaType;
  return {
    field: 'body',
    media_type: sent,
    as,
    ...(as === 'xml' && root !== undefined && { root }),
    ...(Object.keys(members).length > 0 && { encoding: members }),
  };
}

/** Lists the members that are files. */
function listFiles(schema: JsonSchema, definitions: Definitions): string[] {
  const { properties } = resolveSchema(schema, definitions).schema;
  if (!isSchema(properties)) return [];
  return Object.entries(properties).flatMap(([name, member]) => {
    if (!isSchema(member)) return [];
    const found = resolveSchema(member, definitions).schema;
    const items = isSchema(found['items']) ? resolveSchema(found['items'], definitions).schema : found;
    const isFile =
      items['format'] === 'binary' ||
      items['contentEncoding'] === 'base64' ||
      items['contentMediaType'] === 'application/octet-stream';
    return isFile ? [name] : [];
  });
}

export function makeBodyField(
  { body, fixedBody, isChangeSet }: ApiOperation,
  content: ApiContent,
  definitions: ApiDescription['definitions'],
  budget: FieldBudget,
): ConfigField {
  const isText = isChangeSet !== true && ['text', 'bytes'].includes(kinds[findKind(content.mediaType)]?.[1] ?? '');
  const field: ConfigField = isText
    ? { key: 'body', type: 'text' }
    : withoutNull(makeField('body', content.schema, definitions, budget));
  const help = plainText(body?.description ?? '', 300) || field.help;
  return {
    ...field,
    label: field.label ?? 'Body',
    ...(help !== undefined && help !== '' && { help }),
    ...(body?.required === true && fixedBody === undefined && { required: true }),
  };
}
