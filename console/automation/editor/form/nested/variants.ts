import { isObject, type Json } from '#console/automation/editor/model/graph.ts';
import { type Field, memberFields, type Shape, listShapes } from './field.ts';
import { fits, isOfKind } from './fits.ts';
import { readMember } from './members.ts';
import { startValue } from './start-value.ts';

/**
 * Finds the shape of a value: the one that its discriminator names, else the first that fits, else the one that shares most members with
 * it.
 */
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

/** Converts a value to another shape. Members that only the old shape has are removed. `kept` is an earlier value in the new shape. */
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
