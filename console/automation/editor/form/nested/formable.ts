import { isObject } from '#console/automation/editor/model/graph.ts';
import { type Field, hasInner } from './field.ts';
import { isOfKind } from './fits.ts';
import { findShape } from './variants.ts';

/** True if a form can show the inner fields of a value. Any other value, for example text where an object belongs, is shown as JSON. */
export function isFormable(field: Field, value: unknown): boolean {
  if (!hasInner(field)) return false;
  if (value === undefined) return true;
  if (field.type !== 'VARIANT' || isObject(value)) return isOfKind(value, field);
  return isOfKind(value, field) && findShape(field, value) !== undefined;
}
