/** Changes one place of an OpenAPI description, so that a test knows what differs. */

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A generator of numbers below 1 that depends on its seed alone. */
export function createRandom(seed: number): () => number {
  let state = seed * 2_654_435_761 + 12_345;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_507) ^ Math.imul(state ^ (state >>> 13), 3_266_489_909);
    return ((state ^= state >>> 16) >>> 0) / 2 ** 32;
  };
}

export const pick = <T>(random: () => number, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

export interface Operation {
  path: string;
  method: string;
  operation: Json;
}

export function listOperations({ paths }: Json): Operation[] {
  return Object.entries(paths as Record<string, Json>).flatMap(([path, item]) =>
    ['get', 'post', 'put', 'patch', 'delete'].flatMap((method) =>
      isObject(item[method]) ? [{ path, method, operation: item[method] }] : [],
    ),
  );
}

/** The value at a key, as a copy of its own if it is a reference: other operations keep what they refer to. */
export function own(document: Json, holder: Json, key: string): Json | undefined {
  let value = holder[key];
  for (let count = 0; isObject(value) && typeof value['$ref'] === 'string' && count < 5; count += 1) {
    const steps = value['$ref'].slice(2).split('/');
    value = steps.reduce<unknown>((at, step) => (isObject(at) ? at[step.replaceAll('~1', '/')] : undefined), document);
  }
  if (!isObject(value)) return undefined;
  const copy = structuredClone(value);
  holder[key] = copy;
  return copy;
}

/** The schema of the JSON in a body or an answer; undefined if there is another notation to choose, which may have another schema. */
export function jsonSchema(document: Json, content: Json | undefined): Json | undefined {
  const types = content?.['content'];
  const media = isObject(types) && Object.keys(types).length === 1 ? types['application/json'] : undefined;
  return isObject(media) ? own(document, media, 'schema') : undefined;
}

export function answerSchema(document: Json, { operation }: Operation): Json | undefined {
  const answers = operation['responses'];
  if (!isObject(answers)) return undefined;
  const status = Object.keys(answers).find((name) => name.startsWith('2'));
  return status === undefined ? undefined : jsonSchema(document, own(document, answers, status));
}

export const bodySchema = (document: Json, { operation }: Operation): Json | undefined =>
  jsonSchema(document, own(document, operation, 'requestBody'));

/** A member of an object's schema, and the way there. */
export interface Member {
  /** The object's schema. */
  holder: Json;
  name: string;
  schema: Json;
  path: string[];
}

/** The members of a plain object schema down to a depth; those of lists are passed through with `*`. */
export function listMembers(document: Json, schema: Json, depth = 2, path: string[] = []): Member[] {
  const { properties } = schema;
  if (!isObject(properties) || schema['allOf'] !== undefined) return [];
  return Object.keys(properties).flatMap((name): Member[] => {
    const member = own(document, properties, name);
    if (!member || ['allOf', 'oneOf', 'anyOf'].some((key) => member[key] !== undefined)) return [];
    const here = { holder: schema, name, schema: member, path: [...path, name] };
    return [here, ...(depth > 1 ? listMembers(document, member, depth - 1, here.path) : [])];
  });
}

export const requiredIn = (schema: Json): string[] =>
  Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
