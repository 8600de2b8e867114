import { isObject } from '#console/automation/editor/model/graph.ts';

/** What goes in the place of `{"$placeholder": "<key>"}`, by key. */
export type Filling = Readonly<Record<string, unknown>>;

const placeholderKey = (value: unknown): string | undefined =>
  isObject(value) && Object.keys(value).length === 1 && typeof value['$placeholder'] === 'string'
    ? value['$placeholder']
    : undefined;

/** The blob of a template with its placeholders filled, as the server fills it: one that is left open removes its member. */
export function fillTemplate(value: unknown, filling: Filling): unknown {
  const key = placeholderKey(value);
  if (key !== undefined) return Object.hasOwn(filling, key) ? filling[key] : undefined;
  if (Array.isArray(value)) return value.map((item) => fillTemplate(item, filling));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, fillTemplate(member, filling)] as const)
      .filter(([, member]) => member !== undefined),
  );
}

/** A typed text as the value of a placeholder: JSON where it is written like an object or a list, or where the default is no text. */
export function placeholderValue(text: string, otherwise: unknown): unknown {
  if (text.trim() === '') return undefined;
  const isText = otherwise === null || otherwise === undefined || typeof otherwise === 'string';
  if (isText && !/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
