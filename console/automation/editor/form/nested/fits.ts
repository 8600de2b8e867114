import { isExpression } from '#console/automation/editor/form/config-value.ts';
import { isObject } from '#console/automation/editor/model/graph.ts';
import { ExactNumber } from '#console/graph/exact-numbers.ts';
import { type Field, itemField, memberFields, listShapes } from './field.ts';
import { readMember } from './members.ts';

const isText = (value: unknown): boolean => typeof value === 'string';

const kinds: Readonly<Partial<Record<Field['type'], (value: unknown) => boolean>>> = {
  STRING: isText,
  TEXT: isText,
  SECRET: isText,
  URL: isText,
  // Whole numbers that a double cannot hold are stored as text.
  NUMBER: (value) =>
    typeof value === 'number' ||
    value instanceof ExactNumber ||
    (typeof value === 'string' && /^-?\d{16,64}$/.test(value)),
  BOOLEAN: (value) => typeof value === 'boolean',
  SELECT: (value) => !isObject(value) && !Array.isArray(value),
  OBJECT: isObject,
  LIST: Array.isArray,
};

/** True if the control of a field can show a value. Does not look inside the value. */
export const isOfKind = (value: unknown, field: Field): boolean =>
  field.type === 'VARIANT'
    ? field.nested?.discriminator === undefined || isObject(value)
    : (kinds[field.type]?.(value) ?? true);

/** True if a value has the types, members and options that a field asks for. Only the server checks patterns and formats. */
export function fits(value: unknown, field: Field): boolean {
  if (isExpression(value) || (value === null && field.nullable)) return true;
  if (!isOfKind(value, field)) return false;
  if (field.type === 'SELECT') return field.options.some((option) => option.value === value);
  if (field.type === 'OBJECT') {
    return memberFields(field).every((member) => {
      const inner = readMember(value, member.key);
      return inner === undefined ? !member.required : fits(inner, member);
    });
  }
  const item = itemField(field);
  if (field.type === 'LIST' && item) return (value as unknown[]).every((each) => fits(each, item));
  const shapes = listShapes(field);
  return field.type !== 'VARIANT' || shapes.length === 0 || shapes.some((shape) => fits(value, shape.field));
}
