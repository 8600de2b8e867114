import type { ApiCall, CallParameter } from '#src/automation/node-api/api-call.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { encodePath, encodeText } from './percent.ts';
import { writeText } from './styles.ts';
import { invalid, readValue, type Values } from './values.ts';

const place = /\{([^{}]*)\}/;
/** True for `.` and `..`, also with percent-encoded dots: a URL parser would use them to leave the path. */
const isDotSegment = (segment: string): boolean => /^(?:\.|%2e){1,2}$/i.test(segment);

/**
 * Builds the path of a call with its parameters, and with the part of the query that the description fixes. It is empty or begins with `/`
 * or `?`.
 */
export function buildPath(call: ApiCall, values: Values): string {
  const [template = ''] = call.path.split('#', 1);
  // Literal texts and names of parameters alternate.
  const pieces = template
    .split(place)
    .map((piece, index) => (index % 2 === 0 ? piece : writePlace(call, piece, values)));
  const path = pieces.join('');
  // In an http URL a backslash separates segments too. It is encoded in values, but the path in a manifest may contain one.
  if ((path.split('?', 1)[0] ?? '').split(/[/\\]/).some(isDotSegment)) {
    const fields = call.parameters.filter((parameter) => parameter.in === 'path').map(({ field }) => field);
    if (fields.length === 0) throw new NodeError('INVALID_CONFIG', 'The path of the call has a segment "." or "..".');
    throw invalid(fields.join(', config.'), 'would change the path of the request; "." and ".." cannot be sent in it.');
  }
  // The path is empty for an API with a single address, for example shop.php: its base URL names it.
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
