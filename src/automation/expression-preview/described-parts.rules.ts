import type { ValueType } from '#src/automation/expressions/value-type.ts';
import type { ExpectedMessage } from '#src/automation/firings/message-fit.rules.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { type ScopePart, scopeLimits, stepTo } from './expression-scope.rules.ts';

const types: readonly string[] = ['string', 'number', 'boolean', 'object', 'array', 'null'] satisfies ValueType[];

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The part of a scope for a value whose schema alone is known: its members, or the first item of a list. */
function describedPart(name: string, path: string, schema: JsonSchema, depth = 0): ScopePart {
  const named = [schema['type']].flat().find((type) => type !== 'null');
  const type = named === 'integer' ? 'number' : named;
  const members = depth < scopeLimits.depth ? describedMembers(path, schema, depth + 1) : [];
  return {
    name,
    path,
    isDeclared: true,
    type: typeof type === 'string' && types.includes(type) ? (type as ValueType) : null,
    ...(members.length > 0 && { members }),
  };
}

function describedMembers(path: string, { properties, items, anyOf }: JsonSchema, depth: number): ScopePart[] {
  if (isSchema(items)) return [describedPart('[0]', `${path}[0]`, items, depth)];
  const own = (isSchema(properties) ? Object.entries(properties) : []).flatMap(([name, inner]): ScopePart[] => {
    const step = isSchema(inner) ? stepTo(name) : undefined;
    return step !== undefined && isSchema(inner) ? [describedPart(name, path + step, inner, depth)] : [];
  });
  const shapes = Array.isArray(anyOf) ? anyOf.filter(isSchema) : [];
  const others = shapes.flatMap((shape) => describedMembers(path, shape, depth));
  return [...new Map([...others, ...own].map((part) => [part.path, part])).values()];
}

/** The members of a webhook payload if triggers expect described messages; undefined if none does. */
export function describedPayload(path: string, configs: readonly unknown[]): ScopePart | undefined {
  const schemas = configs.flatMap((config) => {
    const { message } = (config ?? {}) as { message?: ExpectedMessage };
    return message === undefined ? [] : [message.schema];
  });
  const [only, ...others] = schemas;
  if (only === undefined) return undefined;
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      body: others.length === 0 ? only : { anyOf: schemas },
      query: { type: 'object' },
      headers: { type: 'object' },
      method: { type: 'string' },
    },
  };
  return describedPart('payload', path, schema);
}
