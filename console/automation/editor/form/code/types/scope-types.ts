import type { ScopeEntry } from '#console/automation/editor/expressions/completions.ts';
import { isExpression } from '#console/automation/editor/form/config-value.ts';
import { objectShape, type Shape, unknownShape, valueShape, writeType } from './shape.ts';

/** What the types of the names in scope are made from. */
export interface ScopeSample {
  entries: readonly ScopeEntry[];
  /** Values that are known in full, by their path in `entries`. */
  values: ReadonlyMap<string, unknown>;
  /** The field `values` of the node. */
  config: unknown;
  /** The ids of the nodes whose edges lead to the node. */
  inputs: readonly string[];
}

interface Known {
  entry: ScopeEntry | undefined;
  members: Map<string, Known>;
}

/** The declarations of the names whose types depend on the sample. */
export function writeScope({ entries, values, config, inputs }: ScopeSample): string {
  const root = readTree(entries);
  const shapes = [...root.members]
    .filter(([name]) => name !== 'secrets' && name !== 'nodes')
    .map(([name, known]): [string, Shape] => [name, entryShape(known, values)]);
  const nodes = root.members.get('nodes');
  return [
    ...shapes.map(([name, shape]) => `declare const ${name}: ${writeType(shape)};`),
    // Which nodes have run differs from run to run.
    `declare const nodes: ${writeType(nodes ? { ...entryShape(nodes, values), isOpen: true } : unknownShape)};`,
    `declare const inputs: { ${inputs.map(inputType).join(' ')} [node: string]: any };`,
    `declare const values: ${writeType(valueShape(config ?? {}, expressionShape))};`,
    // Without a tree, it is not known whether the node is in a loop.
    ...(entries.length === 0 ? ['trigger', 'run', 'item', 'index'].map((name) => `declare const ${name}: any;`) : []),
  ].join('\n');
}

const inputType = (id: string): string => {
  const name = JSON.stringify(id);
  return `${name}: (typeof nodes)[${name}]["outputs"];`;
};

/** An expression may yield anything. */
const expressionShape = (text: string): Shape => (isExpression(text) ? unknownShape : { kinds: new Set(['string']) });

function readTree(entries: readonly ScopeEntry[]): Known {
  const root: Known = { entry: undefined, members: new Map() };
  for (const entry of entries) {
    let at = root;
    for (const name of pathNames(entry.path)) {
      const next = at.members.get(name) ?? { entry: undefined, members: new Map() };
      at.members.set(name, next);
      at = next;
    }
    at.entry = entry;
  }
  return root;
}

/** The names of the members on a path; `[0]` for the items of a list. */
const pathNames = (path: string): string[] =>
  path.match(/`[^`]*`|\[\d+\]|[^.`[\]]+/g)?.map((part) => (part.startsWith('`') ? part.slice(1, -1) : part)) ?? [];

const primitives = { STRING: 'string', NUMBER: 'number', BOOLEAN: 'boolean', NULL: 'null' } as const;

function entryShape({ entry, members }: Known, values: ReadonlyMap<string, unknown>): Shape {
  if (entry && values.has(entry.path)) return valueShape(values.get(entry.path));
  const item = members.get('[0]');
  if (entry?.type === 'ARRAY') return { kinds: new Set(), item: item ? entryShape(item, values) : unknownShape };
  if (members.size > 0) {
    const shape = objectShape([...members], (member) => entryShape(member, values));
    return entry?.hasMore === true ? { ...shape, isOpen: true } : shape;
  }
  if (!entry?.type || !Object.hasOwn(primitives, entry.type)) return unknownShape;
  return { kinds: new Set([primitives[entry.type as keyof typeof primitives]]) };
}
