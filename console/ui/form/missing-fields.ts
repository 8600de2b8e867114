import type { InputCatalogue } from '#console/graph/input-types.ts';
import type { FormMember } from './field-props.ts';

type Values = Readonly<Record<string, unknown>>;

/** The paths of members that have to be entered and are not. A box that is not ticked says no. */
export const missingFields = (
  catalogue: Pick<InputCatalogue, 'inputs'>,
  fields: readonly FormMember[],
  values: Values,
  path = '',
): string[] =>
  fields.flatMap((field) => {
    const value = values[field.name];
    const place = path + field.name;
    const members = field.isList ? undefined : (field.members ?? catalogue.inputs[field.type]);
    if (members && (isObject(value) || field.members))
      return missingFields(catalogue, members, isObject(value) ? value : {}, `${place}.`);
    const isMissing =
      field.isRequired && value === undefined && field.type !== 'Boolean' && field.default === undefined;
    return isMissing ? [place] : [];
  });

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
