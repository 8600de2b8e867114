import type { z } from 'zod';
import type { FieldErrors } from '#src/infra/errors.ts';
import { suggestion } from '#src/infra/text/suggestion.ts';
import { findMember, type Resource } from './resource.ts';

/** Reports at most this many names, and lists as many known ones: a hostile body must not choose the size of its response. */
const maxNames = 20;

interface UnknownName {
  path: string[];
  /** The names that the schema declares at that level. */
  known: string[];
}

/** Fields of most resources: clients that send back an object need not know which resources have them. */
const ofEveryResource: ReadonlySet<string> = new Set(['id', 'tenant_id', 'org_id', 'created_at', 'updated_at']);

/**
 * Messages, by dotted path, for the members of a body that `schema` does not declare, at any depth. The fields of `resource` may be sent
 * back. Zod drops unknown members without a message; its strict objects support neither suggestions nor these fields.
 */
export const unknownFields = (schema: z.ZodType, body: unknown, resource?: Resource): FieldErrors =>
  messagesFor(
    'field',
    findUnknown(schema, body, resource).filter(({ path }) => path.length > 1 || !ofEveryResource.has(String(path[0]))),
  );

/** The same for the parameters of a query; `others` are known as well. Clients use parameters that begin with `_` to get past caches. */
export function unknownParameters(schema: z.ZodType, query: object, others: readonly string[] = []): FieldErrors {
  const names = Object.keys(query).filter((name) => !name.startsWith('_') && !others.includes(name));
  return messagesFor('parameter', findUnknown(schema, Object.fromEntries(names.map((name) => [name, null]))));
}

function messagesFor(kind: 'field' | 'parameter', found: UnknownName[]): FieldErrors {
  const entries = found.slice(0, maxNames).map(({ path, known }): [string, string[]] => {
    const name = path.at(-1) as string;
    const shown = [...path.slice(0, -1), name.slice(0, 64)].join('.');
    const help = suggestion(name, known) || listed(kind, known);
    return [shown, [`The ${kind} ${shown} is not known here.${help}`]];
  });
  return Object.fromEntries(entries);
}

function listed(kind: 'field' | 'parameter', known: string[]): string {
  if (known.length === 0) return ` There is no ${kind} to send here.`;
  const more = known.length > maxNames ? ', ...' : '.';
  return ` Known: ${known.slice(0, maxNames).join(', ')}${more}`;
}

const membersNot = (known: string[], names: string[]): UnknownName[] =>
  names.slice(0, maxNames).map((name) => ({ path: [name], known }));

/** The parts of a zod schema's definition that are read here. */
type Definition =
  | ObjectDefinition
  | { type: 'array'; element: z.ZodType }
  | { type: 'pipe'; in: z.ZodType; out: z.ZodType }
  | { type: 'union'; options: readonly z.ZodType[] }
  | {
      type: 'optional' | 'nullable' | 'default' | 'prefault' | 'nonoptional' | 'readonly' | 'catch';
      innerType: z.ZodType;
    }
  | { type: 'transform' | 'record' | 'string' };

interface ObjectDefinition {
  type: 'object';
  shape: Record<string, z.ZodType>;
  catchall?: z.ZodType;
}

const readDefinition = (schema: z.ZodType): Definition => schema.def as unknown as Definition;

function findUnknown(schema: z.ZodType, value: unknown, resource?: Resource): UnknownName[] {
  if (typeof value !== 'object' || value === null) return [];
  const definition = readDefinition(schema);
  switch (definition.type) {
    case 'object':
      return Array.isArray(value) ? [] : inObject(definition, value as Record<string, unknown>, resource);
    case 'array':
      return Array.isArray(value) ? inArray(definition.element, value, resource) : [];
    case 'pipe': {
      const { in: first, out } = definition;
      return findUnknown(readDefinition(first).type === 'transform' ? out : first, value, resource);
    }
    case 'union':
      return definition.options
        .map((option) => findUnknown(option, value, resource))
        .reduce((fewest, each) => (each.length < fewest.length ? each : fewest));
    default:
      return 'innerType' in definition ? findUnknown(definition.innerType, value, resource) : [];
  }
}

function inObject(
  { shape, catchall }: ObjectDefinition,
  value: Record<string, unknown>,
  resource?: Resource,
): UnknownName[] {
  const known = Object.keys(shape);
  const names = Object.keys(value).filter(
    (name) => !Object.hasOwn(shape, name) && !takesOthers(catchall, name) && !findMember(resource, name),
  );
  const inner = known
    .filter((name) => typeof value[name] === 'object' && value[name] !== null)
    .flatMap((name) => below(name, findUnknown(shape[name] as z.ZodType, value[name], findMember(resource, name))));
  return [...membersNot(known, names), ...inner].slice(0, maxNames);
}

/** True if an object takes members beyond its shape. A strict object does not, but reports them itself. */
function takesOthers(catchall: z.ZodType | undefined, name: string): boolean {
  if (!catchall) return false;
  const { under } = (catchall.meta() ?? {}) as { under?: string };
  return under === undefined || name.startsWith(under);
}

function inArray(element: z.ZodType, items: unknown[], resource?: Resource): UnknownName[] {
  const found: UnknownName[] = [];
  const member = findMember(resource, '0');
  for (const [index, item] of items.entries()) {
    found.push(...below(String(index), findUnknown(element, item, member)));
    if (found.length >= maxNames) break;
  }
  return found;
}

const below = (name: string, found: UnknownName[]): UnknownName[] =>
  found.map(({ path, known }) => ({ path: [name, ...path], known }));
