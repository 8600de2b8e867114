import type { JsonSchema } from './replies.ts';

/** A resource as a JSON Schema, with the components that it refers to. */
export interface Resource {
  schema: JsonSchema;
  components: Record<string, JsonSchema>;
}

/** The member of a resource by its name; for a list, that of its items. Undefined if it has none. */
export function findMember(resource: Resource | undefined, name: string): Resource | undefined {
  if (!resource) return undefined;
  const { components } = resource;
  const found = variants(resource).flatMap((variant) => {
    const { properties, items } = variant as { properties?: Record<string, JsonSchema>; items?: JsonSchema };
    const member = items ?? properties?.[name];
    return member ? [member] : [];
  });
  return found.length > 0 ? { schema: { anyOf: found }, components } : undefined;
}

function variants({ schema, components }: Resource): JsonSchema[] {
  const { $ref: ref, anyOf } = schema as { $ref?: string; anyOf?: JsonSchema[] };
  if (anyOf) return anyOf.flatMap((each) => variants({ schema: each, components }));
  if (ref === undefined) return [schema];
  const component = components[ref.slice(ref.lastIndexOf('/') + 1)];
  return component ? variants({ schema: component, components }) : [];
}
