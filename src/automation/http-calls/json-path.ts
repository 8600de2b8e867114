/** The location of a value in a response: names joined by dots, or a list of names if one contains a dot. */
export type JsonPath = string | readonly string[];

type Found = { value: unknown } | { missing: string };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The own members that the text may begin with, the longest first: `@odata.nextLink` is one name. */
function step(value: Record<string, unknown>, path: string): { name: string; rest: string } | undefined {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const name = path.slice(0, end);
    if (Object.hasOwn(value, name)) return { name, rest: path.slice(end + 1) };
  }
  return undefined;
}

/** The value at a path, or the first name that is not there. */
export function valueAt(from: unknown, path: JsonPath): Found {
  let value = from;
  if (typeof path !== 'string') {
    for (const name of path) {
      if (!isObject(value) || !Object.hasOwn(value, name)) return { missing: name };
      value = value[name];
    }
    return { value };
  }
  for (let rest = path; rest !== '';) {
    const next = isObject(value) ? step(value, rest) : undefined;
    if (!next) return { missing: rest.split('.', 1)[0] ?? rest };
    value = (value as Record<string, unknown>)[next.name];
    rest = next.rest;
  }
  return { value };
}

/** A copy of an object with another value at a path; objects on the way are made. */
export function withValueAt(target: unknown, path: JsonPath, value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = typeof path === 'string' ? path.split('.') : path;
  const members = isObject(target) && !Array.isArray(target) ? target : {};
  const member = Object.hasOwn(members, name) ? members[name] : undefined;
  return Object.fromEntries([
    ...Object.entries(members).filter(([key]) => key !== name),
    [name, rest.length === 0 ? value : withValueAt(member, rest, value)],
  ]);
}
