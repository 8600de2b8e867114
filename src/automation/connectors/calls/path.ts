import type { ApiCall, CallParameter } from '#src/automation/node-api/api-call.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { encodePath, encodeText } from './percent.ts';
import { writeText } from './styles.ts';
import { invalid, readValue, type Values } from './values.ts';

const place = /\{([^{}]*)\}/;
/** A URL's parser goes up a level for these, also when their points are percent-encoded. */
const isDotSegment = (segment: string): boolean => /^(?:\.|%2e){1,2}$/i.test(segment);

/** The path of a call with its parameters, and the part of the query that its description fixes; begins with a slash, or is empty. */
export function buildPath(call: ApiCall, values: Values): string {
  const [template = ''] = call.path.split('#', 1);
  // Literal texts and names of parameters alternate.
  const pieces = template
    .split(place)
    .map((piece, index) => (index % 2 === 0 ? piece : writePlace(call, piece, values)));
  const path = pieces.join('');
  // In an http URL a backslash separates segments, too; of values it is encoded, but a manifest may have one.
  if ((path.split('?', 1)[0] ?? '').split(/[/\\]/).some(isDotSegment)) {
    const fields = call.parameters.filter((parameter) => parameter.in === 'path').map(({ field }) => field);
    if (fields.length === 0) throw new NodeError('INVALID_CONFIG', 'The path of the call has a segment "." or "..".');
    throw invalid(fields.join(', config.'), 'would change the path of the request; "." and ".." cannot be sent in it.');
  }
  // An API may have one address for all, such as shop.php, which its base names.
  return path === '' || /^[/?]/.test(path) ? path : `/${path}`;
}

function writePlace(call: ApiCall, name: string, values: Values): string {
  const parameter = call.parameters.find((each) => each.in === 'path' && each.name === name);
  if (!parameter) throw new NodeError('INVALID_CONFIG', `The path of the call has no parameter for {${name}}.`);
  const value = readValue(values, parameter.field);
  const text = value === undefined ? '' : writeText(parameter, value, chooseEncoding(parameter));
  // An empty segment would name another resource: the list instead of its item.
  if (isBlank(value, text)) throw invalid(parameter.field, 'is required, as it is part of the path of the request.');
  return text;
}

const isBlank = (value: unknown, text: string): boolean =>
  text === '' || (typeof value === 'object' && value !== null && Object.values(value).every((each) => each == null));

const chooseEncoding = ({ allow_reserved: isReserved }: CallParameter) =>
  isReserved === true ? encodePath : encodeText;
