import { isObject, type Json } from '#console/automation/editor/model/graph.ts';
import { type Field, memberFields, type Shape, listShapes } from './field.ts';
import { fits, isOfKind } from './fits.ts';
import { readMember } from './members.ts';
import { startValue } from './start-value.ts';

/** The shape of a value: the one that its discriminator names, else the first that fits, else the one with most of its members. */
export function findShape(field: Field, value: unknown): Shape | undefined {
  if (value === undefined) return undefined;
  const shapes = listShapes(field);
  const discriminator = field.nested?.discriminator;
  if (discriminator !== undefined) return shapes.find(({ name }) => name === readMember(value, discriminator));
  const fitting = shapes.find((shape) => fits(value, shape.field));
  if (fitting) return fitting;
  const known = shapes
    .filter((shape) => isOfKind(value, shape.field))
    .map((shape) => ({ shape, count: countMembers(shape, value) }));
  return known.toSorted((one, other) => other.count - one.count)[0]?.shape;
}

const countMembers = ({ field }: Shape, value: unknown): number =>
  memberFields(field).filter(({ key }) => readMember(value, key) !== undefined).length;

/** The value in another shape. Members that only the shape before has are left out; `kept` has what the value was in the new one. */
export function inShape(field: Field, value: unknown, to: Shape, kept?: unknown): unknown {
  const discriminator = field.nested?.discriminator;
  const from = findShape(field, value);
  if (to.field.type !== 'OBJECT') return kept ?? startValue(to.field);
  const dropped = new Set(from ? memberFields(from.field).map(({ key }) => key) : []);
  for (const { key } of memberFields(to.field)) dropped.delete(key);
  if (discriminator !== undefined) dropped.delete(discriminator);
  const stays = isObject(value) ? Object.entries(value).filter(([key]) => !dropped.has(key)) : [];
  const members: Json = { ...(isObject(kept) ? kept : {}), ...Object.fromEntries(stays) };
  return discriminator === undefined ? members : { ...members, [discriminator]: to.name };
}
