import type { ConfigField } from './manifest.ts';
import { checkValue, type FieldWork, missing } from './value-checks.rules.ts';

export interface FieldIssue {
  key: string;
  /** The place in the field's value, as the members and indexes that lead there. */
  path: (string | number)[];
  isMissing: boolean;
  message: string;
}

type Values = Readonly<Record<string, unknown>>;

/** Characters times instructions of their patterns, over all values of one config: about half a second. */
const maxWork = 16 * 1024 * 1024;

/** The budget for checking one config, or several that share it. */
export const fieldWork = (): FieldWork => ({ work: maxWork, patterns: new Map() });

const given = (values: Values, key: string): unknown => {
  const value = Object.hasOwn(values, key) ? values[key] : undefined;
  return value === '' || value === null ? undefined : value;
};

/**
 * The faults in a credential's or a node's config, by field; ignores values without a field. With `expressions`, text that
 * contains `{{ }}` passes for any type, since its result is not known yet.
 */
export function checkFieldValues(
  fields: readonly ConfigField[],
  values: Values,
  { expressions = false, budget = fieldWork() }: { expressions?: boolean; budget?: FieldWork } = {},
): FieldIssue[] {
  return fields.flatMap((field) => {
    const { key, label = key, required } = field;
    const value = given(values, key) ?? field.default;
    if (value === undefined)
      return required === true
        ? [{ key, path: [], isMissing: true, message: `The field "${label}" is required.` }]
        : [];
    return checkValue(value, field, { expressions, budget }).map(({ path, fault }) => ({
      key,
      path,
      isMissing: fault === missing,
      message: `The field "${[label, ...path.map(placeName)].join(' › ')}" ${fault}.`,
    }));
  });
}

/** Messages for people count the items of a list from 1. */
const placeName = (step: string | number): string => (typeof step === 'number' ? String(step + 1) : step);

/** A node's config with the defaults of empty fields filled in. */
export const withDefaults = (fields: readonly ConfigField[], values: Values): Record<string, unknown> => ({
  ...values,
  ...fieldValues(fields, values),
});

/** Which of these fields have no value: missing, null or empty text. */
export const emptyFields = (keys: readonly string[], values: Values): string[] =>
  keys.filter((key) => given(values, key) === undefined);

/** The values that belong to a field, with defaults filled in. */
export function fieldValues(fields: readonly ConfigField[], values: Values): Record<string, unknown> {
  const known = fields.map(({ key, default: byDefault }) => [key, given(values, key) ?? byDefault] as const);
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}

/** The values of fields that are not secret: the visible part of a credential. */
export const publicValues = (fields: readonly ConfigField[], values: Values): Record<string, unknown> =>
  fieldValues(
    fields.filter(({ type }) => type !== 'secret'),
    values,
  );
