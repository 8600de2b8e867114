import type { FormMember } from './field-props.ts';

/** The values without what was entered for members that are no longer asked for, since another choice hides them. */
export function keepMembers(fields: readonly FormMember[], values: Readonly<Record<string, unknown>>) {
  const kept: Record<string, unknown> = { ...values };
  for (const { name, members } of fields) {
    const value = kept[name];
    if (!members || typeof value !== 'object' || value === null) continue;
    const names = new Set(members.map((member) => member.name));
    const asked = Object.fromEntries(Object.entries(value).filter(([key]) => names.has(key)));
    kept[name] = keepMembers(members, asked);
  }
  return kept;
}
