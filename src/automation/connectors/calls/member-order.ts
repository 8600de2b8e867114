import { setOwn } from '#src/automation/expressions/json-value.ts';
import type { ConfigField } from '#src/automation/node-api/manifest.ts';

/**
 * Sorts the members of a value into the order of their fields, with any others last. The order matters in XML documents, and stored configs
 * lose it because jsonb sorts the names of members.
 */
export function inFieldOrder(field: ConfigField, value: unknown): unknown {
  const { fields, items, variants = [], discriminator } = field;
  if (Array.isArray(value)) return items ? value.map((item) => inFieldOrder(items, item)) : (value as unknown[]);
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Readonly<Record<string, unknown>>;
  const shape = discriminator && variants.find(({ name }) => name === members[discriminator]);
  if (shape) return inFieldOrder(shape.field, value);
  if (!fields) return value;
  const ordered: Record<string, unknown> = {};
  for (const member of fields) {
    if (Object.hasOwn(members, member.key)) setOwn(ordered, member.key, inFieldOrder(member, members[member.key]));
  }
  for (const [name, member] of Object.entries(members)) {
    if (!Object.hasOwn(ordered, name)) setOwn(ordered, name, member);
  }
  return ordered;
}
