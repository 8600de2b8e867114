import fc from 'fast-check';
import { type Definitions, resolveSchema } from '#src/automation/connectors/packages/resolve-schema.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';

const texts: Readonly<Record<string, string>> = {
  'date-time': '2026-03-01T12:00:00Z',
  date: '2026-03-01',
  uuid: '0b5f3c1e-8a44-4d67-9d53-1f2a7c6b9e10',
  email: 'ada@shop.example',
};

const maxDepth = 4;
const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

/** A value that a schema allows, with all described members. `isEmpty`: lists have no items. Links and cursors are null. */
export function sampleAnswer(
  given: JsonSchema,
  definitions: Definitions,
  { isEmpty, depth = 0 }: { isEmpty: boolean; depth?: number },
): unknown {
  const { schema } = resolveSchema(given, definitions);
  const [choice] = [schema['oneOf'], schema['anyOf']].find(Array.isArray) ?? [];
  if (isSchema(choice) && !isSchema(schema['properties'])) return sampleAnswer(choice, definitions, { isEmpty, depth });
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [type] = [schema['type']].flat().filter((each) => each !== 'null');
  if (type === 'array' || isSchema(schema['items'])) {
    if (isEmpty || depth >= maxDepth) return [];
    return isSchema(schema['items']) ? [sampleAnswer(schema['items'], definitions, { isEmpty, depth: depth + 1 })] : [];
  }
  if (type === 'object' || isSchema(schema['properties'])) {
    if (depth >= maxDepth) return {};
    const members = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
    return Object.fromEntries(
      members.map(([name, member]) => [
        name,
        /next|cursor|link/i.test(name) && !isSchema(member['properties'])
          ? null
          : sampleAnswer(member, definitions, { isEmpty, depth: depth + 1 }),
      ]),
    );
  }
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return false;
  const { pattern } = schema;
  if (typeof pattern === 'string')
    return fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { numRuns: 1, seed: 7 })[0];
  return texts[String(schema['format'])] ?? 'text';
}
