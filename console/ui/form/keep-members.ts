import type { FormMember } from './field-props.ts';

/**
 * The values without what was entered for members that are no longer asked for, since another choice hides them. A group within a group is
 * left out where nothing was entered in it.
 */
export function keepMembers(
  fields: readonly FormMember[],
  values: Readonly<Record<string, unknown>>,
  isWithin = false,
): Record<string, unknown> {
  const kept: Record<string, unknown> = { ...values };
  for (const { name, members } of fields) {
    const value = kept[name];
    if (!members || typeof value !== 'object' || value === null) continue;
    const names = new Set(members.map((member) => member.name));
    const asked = Object.fromEntries(Object.entries(value).filter(([key]) => names.has(key)));
    const inner = keepMembers(members, asked, true);
    if (isWithin && Object.keys(inner).length === 0) delete kept[name];
    else kept[name] = inner;
  }
  return kept;
}
