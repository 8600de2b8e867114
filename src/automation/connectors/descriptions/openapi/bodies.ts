import type { ApiBody } from '#src/automation/connectors/descriptions/api-description.ts';
import { essence } from '#src/automation/connectors/descriptions/media-types.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import { Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import {
  isTrue,
  listMember,
  member,
  textMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { readOwnContent, readContent } from './content.ts';
import type { OperationContext } from './context.ts';
import { collectionStyle, withoutOwnKeys } from './parameters.ts';

const multipart = 'multipart/form-data';
const urlEncoded = 'application/x-www-form-urlencoded';

/** Reads the body of an operation of OpenAPI 3. */
export function readBody(operation: JsonObject, context: OperationContext): ApiBody | undefined {
  if (!Object.hasOwn(operation, 'requestBody')) return undefined;
  const written = context.references.follow(operation['requestBody']);
  const content = readContent(written, context);
  if (content.length > 0) return readOwnBody(written, content);
  if (isTrue(written, 'required')) throw new Unsupported('Its body has no media type that can be sent.');
  return undefined;
}

/** Reads the body of an operation of Swagger 2.0: its body parameter, or its form fields. */
export function readOldBody(
  operation: JsonObject,
  parameters: readonly JsonObject[],
  context: OperationContext,
): ApiBody | undefined {
  const own = listMember(operation, 'consumes');
  const consumes = Object.hasOwn(operation, 'consumes') ? own : listMember(context.document, 'consumes');
  const body = parameters.find((parameter) => parameter['in'] === 'body');
  if (body !== undefined) {
    const schema = context.definitions.read(member(body, 'schema'), context.refs);
    const content = readOwnContent(consumes, schema);
    return readOwnBody(body, content.length > 0 ? content : readOwnContent(['application/json'], schema));
  }
  const fields = parameters.filter(
    (parameter) => parameter['in'] === 'formData' && textMember(parameter, 'name') !== '__proto__',
  );
  return fields.length === 0 ? undefined : readForm(fields, consumes, context);
}

const readOwnBody = (written: JsonObject, content: ApiBody['content']): ApiBody => ({
  required: isTrue(written, 'required'),
  description: plainText(textMember(written, 'description'), 300),
  content,
});

function readForm(fields: readonly JsonObject[], consumes: readonly unknown[], context: OperationContext): ApiBody {
  const properties = fields.map<[string, JsonSchema]>((field) => {
    const description = plainText(textMember(field, 'description'), 300);
    const schema = context.definitions.read(withoutOwnKeys(field), context.refs);
    return [textMember(field, 'name'), description === '' ? schema : { ...schema, description }];
  });
  const required = fields.filter((field) => isTrue(field, 'required')).map((field) => textMember(field, 'name'));
  const hasFile = properties.some(([, schema]) => schema['format'] === 'binary');
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
  const encoding = Object.fromEntries(
    fields
      .filter((field) => field['type'] === 'array')
      .map((field) => [textMember(field, 'name'), collectionStyle(field)]),
  );
  const stated = readOwnContent(consumes, schema).filter(({ mediaType }) =>
    hasFile ? essence(mediaType) === multipart : [multipart, urlEncoded].includes(essence(mediaType)),
  );
  const content = stated.length > 0 ? stated : readOwnContent([hasFile ? multipart : urlEncoded], schema);
  return { required: required.length > 0, description: '', content: content.map((one) => ({ ...one, encoding })) };
}
