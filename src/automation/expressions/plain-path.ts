/** A name or an index; a path reads them one after another from the scope. */
type Step = string | number;

const member = /^(?:\.([A-Za-z_][A-Za-z0-9_]*)|\.`([^`]+)`|\[(-?\d{1,9})\])/;
const root = /^(trigger|nodes|run|item|index|event|secrets)(?![A-Za-z0-9_$])/;
/** A node's id may begin with a digit and contain dashes, which jsonata would read as a subtraction. */
const nodeId = /^\.([A-Za-z0-9_-]{1,64})(?=\.outputs(?![A-Za-z0-9_]))/;
const keyword = new Set(['and', 'or', 'in']);

/**
 * The steps of a path that only reads properties, such as `trigger.payload.order.id` or `nodes.map.outputs.items[0].sku`;
 * undefined for any other expression.
 */
export function parsePlainPath(source: string): readonly Step[] | undefined {
  const text = source.trim();
  const first = root.exec(text)?.[1];
  if (first === undefined) return undefined;
  const steps: Step[] = [first];
  let at = first.length;
  const id = first === 'nodes' ? nodeId.exec(text.slice(at)) : null;
  if (id?.[1] !== undefined) {
    steps.push(id[1]);
    at += id[0].length;
  }
  while (at < text.length) {
    const found = member.exec(text.slice(at, at + 300));
    if (!found) return undefined;
    const [whole, name, quoted, index] = found;
    if (name !== undefined && keyword.has(name)) return undefined;
    steps.push(index === undefined ? (name ?? quoted ?? '') : Number(index));
    at += whole.length;
  }
  return steps;
}

/** Returned when a value needs jsonata's rules for paths. */
export const needsMapping = Symbol('needs mapping');

/**
 * Reads own properties only. Returns `needsMapping` when jsonata would map over an array, or treat a single value as an array
 * of one, so that a path means the same with or without this shortcut.
 */
export function readPath(scope: object, steps: readonly Step[]): unknown {
  let value: unknown = scope;
  for (const step of steps) {
    if (value === null || typeof value !== 'object') {
      if (value !== undefined && value !== null && typeof step === 'number') return needsMapping;
      return undefined;
    }
    if (typeof step === 'number') {
      if (!Array.isArray(value)) return needsMapping;
      value = value.at(step);
    } else {
      if (Array.isArray(value)) return needsMapping;
      value = Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined;
    }
  }
  return value;
}

const literals = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\bnodes\.([A-Za-z0-9_-]{1,64})(?=\.outputs\b)/g;

/** Quotes the ids of nodes, since jsonata would read `nodes.fetch-order.outputs` as a subtraction. */
export function quoteNodeIds(source: string): string {
  return source.replaceAll(literals, (whole, id: string | undefined) => {
    if (id === undefined || /^[A-Za-z_][A-Za-z0-9_]*$/.test(id)) return whole;
    return `nodes.\`${id}\``;
  });
}

const readNodes =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![.\w])\$?nodes\.(?:`([^`]{1,64})`|([A-Za-z0-9_-]{1,64}))(?=\.outputs\b)/g;

/** Ids of the nodes whose outputs an expression reads, without duplicates. */
export const nodeIdsIn = (source: string): Set<string> =>
  new Set([...source.matchAll(readNodes)].flatMap(([, quoted, id]) => quoted ?? id ?? []));
