import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { Definition } from '#console/automation/editor/node-shape.ts';
import type { Field, Nested } from './field.ts';
import { NestedFields } from './nested.documents.ts';

/** Returns the fields of a definition, with their inner structures once those are loaded. Without a definition there is nothing to load. */
export function useNestedFields(definition: Definition | undefined): { fields: readonly Field[]; isRead: boolean } {
  const { slug = '', version = '' } = definition ?? {};
  const [{ data, error }] = useQuery({ query: NestedFields, variables: { slug, version }, pause: !definition });
  return useMemo(() => {
    const isRead = !definition || data !== undefined || error !== undefined;
    const inner = new Map(data?.nodeDefinition?.fields.map((field) => [field.key, field]));
    const fields = (definition?.fields ?? []).map((field): Field => {
      const { nullable = false, format = null, nested = null } = inner.get(field.key) ?? {};
      return { ...field, nullable, format, nested: nested as Nested | null };
    });
    // Structures are left out until their fields are loaded. Otherwise a JSON editor would disappear while the user types in it.
    return { fields: fields.filter(({ type }) => isRead || (type !== 'OBJECT' && type !== 'VARIANT')), isRead };
  }, [definition, data, error]);
}
