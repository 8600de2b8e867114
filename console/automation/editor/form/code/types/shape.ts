import { isObject } from '#console/automation/editor/model/graph.ts';
import { ExactNumber } from '#console/graph/exact-numbers.ts';

type Kind = 'any' | 'string' | 'number' | 'boolean' | 'null';

/** The type of a value, as far as its samples show it. `kinds` lists its simple types, `item` describes a list, and `members` an object. */
export interface Shape {
  kinds: ReadonlySet<Kind>;
  /** The shape of all items of a list. */
  item?: Shape;
  members?: ReadonlyMap<string, Member>;
  /** True if the object may have members besides these, whose types are unknown. */
  isOpen?: boolean;
}

interface Member {
  shape: Shape;
  isOptional: boolean;
}

/** Enough for what people write code about; a larger sample is known in part. */
const limits = { depth: 8, members: 100, items: 100, name: 200, values: 5_000 };

export const unknownShape: Shape = { kinds: new Set(['any']) };
const nothingKnown: Shape = { kinds: new Set() };

/** Finds the shape of a text of a sample. */
type ReadText = (text: string) => Shape;

const isText: ReadText = () => ({ kinds: new Set(['string']) });

/** The shape of one value of JSON. */
export function valueShape(value: unknown, readText: ReadText = isText): Shape {
  let left = limits.values;
  const read = (inner: unknown, depth: number): Shape => {
    left -= 1;
    if (left < 0 || depth > limits.depth) return unknownShape;
    if (typeof inner === 'string') return readText(inner);
    if (Array.isArray(inner)) {
      const items = inner.slice(0, limits.items).map((item) => read(item, depth + 1));
      const rest = inner.length > limits.items ? [unknownShape] : [];
      return { kinds: new Set(), item: mergeShapes([...items, ...rest]) };
    }
    if (isObject(inner)) return objectShape(Object.entries(inner), (member) => read(member, depth + 1));
    // Outside of the console, a number that a double would round is text.
    if (inner instanceof ExactNumber) return unknownShape;
    return { kinds: new Set([inner === null ? 'null' : (typeof inner as Kind)]) };
  };
  return read(value, 0);
}

export function objectShape<Value>(all: readonly [string, Value][], read: (value: Value) => Shape): Shape {
  const shown = all.filter(([name]) => isShown(name)).slice(0, limits.members);
  return {
    kinds: new Set(),
    members: new Map(shown.map(([name, value]) => [name, { shape: read(value), isOptional: false }])),
    isOpen: shown.length < all.length,
  };
}

/** Every object has members such as `toString` already, and an object without an own one would not fit the type of a sample that has it. */
const isShown = (name: string): boolean => name.length <= limits.name && !(name in Object.prototype);

/** The shape of values that have one of these shapes each. A member that some objects lack is optional. */
export function mergeShapes(shapes: readonly Shape[]): Shape {
  return shapes.reduce((left, right): Shape => {
    const item = left.item && right.item ? mergeShapes([left.item, right.item]) : (left.item ?? right.item);
    const members = left.members && right.members ? mergeMembers(left, right) : (left.members ?? right.members);
    return {
      kinds: new Set([...left.kinds, ...right.kinds]),
      ...(item && { item }),
      ...(members && { members }),
      isOpen: left.isOpen === true || right.isOpen === true,
    };
  }, nothingKnown);
}

function mergeMembers({ members: left = new Map() }: Shape, { members: right = new Map() }: Shape) {
  const names = new Set([...left.keys(), ...right.keys()]);
  return new Map(
    [...names].map((name): [string, Member] => {
      const found = [left.get(name), right.get(name)].filter((member): member is Member => member !== undefined);
      return [
        name,
        {
          shape: mergeShapes(found.map(({ shape }) => shape)),
          isOptional: found.length < 2 || found.some(({ isOptional }) => isOptional),
        },
      ];
    }),
  );
}

/** The type of a shape in TypeScript. Null alone says nothing about the values of other runs, and neither does an empty list or object. */
export function writeType({ kinds, item, members, isOpen }: Shape): string {
  const isNullAlone = kinds.size === 1 && kinds.has('null') && !item && !members;
  if (kinds.has('any') || isNullAlone) return 'any';
  const parts: string[] = [...kinds];
  if (item) parts.push(`Array<${writeType(item)}>`);
  if (members) parts.push(writeObject(members, isOpen === true || members.size === 0));
  return parts.length === 0 ? 'any' : parts.join(' | ');
}

function writeObject(members: ReadonlyMap<string, Member>, isOpen: boolean): string {
  const lines = [...members].map(
    ([name, { shape, isOptional }]) => `${writeName(name)}${isOptional ? '?' : ''}: ${writeType(shape)};`,
  );
  return `{ ${[...lines, ...(isOpen ? ['[name: string]: any;'] : [])].join(' ')} }`;
}

const writeName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
