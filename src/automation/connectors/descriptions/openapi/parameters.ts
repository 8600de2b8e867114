import type { ApiParameter } from '#src/automation/connectors/descriptions/api-description.ts';
import { isJson } from '#src/automation/connectors/descriptions/media-types.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import { Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import {
  isTrue,
  member,
  objectMember,
  textMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { ParameterStyle } from '#src/automation/node-api/api-call.ts';
import type { OperationContext } from './context.ts';

const maxParameters = 300;
const maxName = 200;

type Place = Exclude<ApiParameter['in'], 'envelope'>;

/** The styles allowed for each place of a parameter, the default first. */
const styles: Readonly<Record<Place, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Headers that OpenAPI ignores as parameters, because bodies, answers and security describe them. */
const ownHeaders = new Set(['accept', 'content-type', 'authorization']);

/** Swagger 2.0's formats for lists in a query or a form. Later versions have no equivalent in paths and headers, except for commas. */
const collectionFormats: Readonly<Record<string, { style: ParameterStyle; explode: boolean }>> = {
  csv: { style: 'form', explode: false },
  multi: { style: 'form', explode: true },
  ssv: { style: 'spaceDelimited', explode: false },
  pipes: { style: 'pipeDelimited', explode: false },
};

/** Lists the parameters of an operation as written: its own first, then those of its path that it does not replace. */
export function listParameters(
  own: readonly unknown[],
  shared: readonly unknown[],
  context: OperationContext,
): JsonObject[] {
  if (own.length + shared.length > maxParameters) {
    throw new Unsupported(`It has more than ${maxParameters} parameters.`);
  }
  const found = new Map<string, JsonObject>();
  for (const written of [...own, ...shared]) {
    const parameter = context.references.follow(written);
    const key = JSON.stringify([parameter['in'], parameter['name']]);
    if (!found.has(key)) found.set(key, parameter);
  }
  return [...found.values()];
}

/** Reads the parameters that are not part of a body. A parameter that the path names but the description does not describe is text. */
export function readParameters(
  written: readonly JsonObject[],
  path: string,
  context: OperationContext,
): ApiParameter[] {
  const described = written.flatMap((parameter) => {
    const place = textMember(parameter, 'in');
    return isPlace(place) ? [readParameter(parameter, place, context)] : [];
  });
  const inPath = new Set([...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? ''));
  const used = described.filter(({ in: place, name }) =>
    place === 'path' ? inPath.has(name) : place !== 'header' || !ownHeaders.has(name.toLowerCase()),
  );
  const known = new Set(used.filter(({ in: place }) => place === 'path').map(({ name }) => name));
  return [...used, ...[...inPath].filter((name) => !known.has(name)).map((name) => pathText(checkName(name, 'path')))];
}

const isPlace = (place: string): place is Place => Object.hasOwn(styles, place);

function readParameter(written: JsonObject, place: Place, context: OperationContext): ApiParameter {
  return {
    name: checkName(textMember(written, 'name'), place),
    in: place,
    required: place === 'path' || isTrue(written, 'required'),
    description: plainText(textMember(written, 'description'), 300),
    ...(context.version === '2.0' ? readOldShape(written, place, context) : readShape(written, place, context)),
    allowReserved: isTrue(written, 'allowReserved'),
    deprecated: isTrue(written, 'deprecated'),
  };
}

type Shape = Pick<ApiParameter, 'schema' | 'style' | 'explode'>;

function readShape(written: JsonObject, place: Place, context: OperationContext): Shape {
  const [[mediaType, media] = ['', undefined]] = Object.entries(objectMember(written, 'content'));
  const schema = context.definitions.read(member(written, 'schema') ?? member(media, 'schema'), context.refs);
  if (isJson(mediaType)) return { schema, style: 'json', explode: false };
  const [usual = 'form', ...others] = styles[place];
  const style = others.find((other) => other === written['style']) ?? usual;
  const explode = member(written, 'explode');
  return { schema, style, explode: typeof explode === 'boolean' ? explode : style === 'form' };
}

function readOldShape(written: JsonObject, place: Place, context: OperationContext): Shape {
  // Swagger 2.0 does not allow a schema beside the type here, but some documents have one.
  const schema = context.definitions.read(member(written, 'schema') ?? withoutOwnKeys(written), context.refs);
  if (schema['type'] !== 'array') return { schema, style: styles[place][0] ?? 'form', explode: place === 'query' };
  const { style, explode } = collectionStyle(written);
  if (place === 'query') return { schema, style, explode };
  if (style !== 'form')
    throw new Unsupported(`Its parameter ${quoted(written['name'])} is a list that is not separated by commas.`);
  return { schema, style: styles[place][0] ?? 'simple', explode: false };
}

/** Reads the format in which Swagger 2.0 writes a list in a query or a form. */
export function collectionStyle(written: JsonObject): { style: ParameterStyle; explode: boolean } {
  const format = textMember(written, 'collectionFormat') || 'csv';
  const style = Object.hasOwn(collectionFormats, format) ? collectionFormats[format] : undefined;
  if (style === undefined) {
    throw new Unsupported(
      `Its parameter ${quoted(written['name'])} is a list in the format ${quoted(format)}, which no later version has.`,
    );
  }
  return style;
}

const cache = new WeakMap<JsonObject, JsonObject>();

/** Returns the schema of a parameter of Swagger 2.0. The same parameter gives the same object, so that its schema is converted once. */
export function withoutOwnKeys(written: JsonObject): JsonObject {
  const known = cache.get(written);
  if (known !== undefined) return known;
  const { required: _required, description: _description, ...schema } = written;
  cache.set(written, schema);
  return schema;
}

function checkName(name: string, place: Place): string {
  const isValid = place === 'header' ? /^[\w!#$%&'*+.^`|~-]+$/.test(name) : name !== '' && !/\p{Cc}/u.test(name);
  if (isValid && name.length <= maxName && name !== '__proto__') return name;
  throw new Unsupported(`Its ${place} parameter ${quoted(name)} has a name that cannot be sent.`);
}

const pathText = (name: string): ApiParameter => ({
  name,
  in: 'path',
  required: true,
  description: '',
  schema: { type: 'string' },
  style: 'simple',
  explode: false,
  allowReserved: false,
  deprecated: false,
});

const quoted = (name: unknown): string => JSON.stringify(plainText(String(name), 60));
