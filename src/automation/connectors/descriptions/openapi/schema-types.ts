import { isBinary } from '#src/automation/connectors/descriptions/media-types.ts';
import { member, type JsonObject } from '#src/automation/connectors/descriptions/untrusted-json.ts';

const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** Types that do not exist in JSON Schema, with the types that their authors mean. */
const mended: Readonly<Record<string, { type: string; format?: string }>> = {
  file: { type: 'string', format: 'binary' },
  binary: { type: 'string', format: 'binary' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  'date-time': { type: 'string', format: 'date-time' },
  uuid: { type: 'string', format: 'uuid' },
  text: { type: 'string' },
  str: { type: 'string' },
  int: { type: 'integer' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  long: { type: 'integer', format: 'int64' },
  float: { type: 'number', format: 'float' },
  double: { type: 'number', format: 'double' },
  decimal: { type: 'number' },
  bool: { type: 'boolean' },
  list: { type: 'array' },
  map: { type: 'object' },
};

/**
 * Reads the type of a schema and the format that the type implies; empty without a type. Content of files has the format `binary` in every
 * version.
 */
export function readType(raw: JsonObject): { type?: string | string[]; format?: string } {
  const written = member(raw, 'type');
  if (Array.isArray(written)) {
    const known = [...new Set(written.filter((type): type is string => types.has(type as string)))];
    return known.length === 0 ? {} : withFormat(raw, { type: known.length === 1 ? (known[0] as string) : known });
  }
  if (typeof written !== 'string') return isFile(raw) ? { type: 'string', format: 'binary' } : {};
  const type = written.toLowerCase();
  if (types.has(type)) return withFormat(raw, { type });
  return Object.hasOwn(mended, type) ? { ...mended[type] } : {};
}

const withFormat = <T extends { type: string | string[] }>(raw: JsonObject, typed: T): T & { format?: string } =>
  isFile(raw) && [typed.type].flat().includes('string') ? { ...typed, format: 'binary' } : typed;

const isFile = (raw: JsonObject): boolean => {
  const content = member(raw, 'contentMediaType');
  return typeof content === 'string' && isBinary(content) && member(raw, 'contentEncoding') === undefined;
};
