import { RE2JS } from 're2js';
import type { ConfigField } from './manifest.ts';

export interface FieldIssue {
  key: string;
  message: string;
}

type Values = Readonly<Record<string, unknown>>;

export const maxTextLength = 65_536;
/** Characters times instructions of their patterns, over all values of one config: about half a second. */
const maxWork = 16 * 1024 * 1024;

export interface FieldWork {
  work: number;
}

/** The budget for checking one config, or several that share it. */
export const fieldWork = (): FieldWork => ({ work: maxWork });

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
    const value = given(values, field.key) ?? field.default;
    const label = field.label ?? field.key;
    if (value === undefined) {
      return field.required === true ? [{ key: field.key, message: `The field "${label}" is required.` }] : [];
    }
    if (expressions && typeof value === 'string' && value.includes('{{')) return [];
    const fault = checks[field.type](value, field, budget);
    return fault === undefined ? [] : [{ key: field.key, message: `The field "${label}" ${fault}.` }];
  });
}

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

type FieldCheck = (value: unknown, field: ConfigField, budget: FieldWork) => string | undefined;

const text: FieldCheck = (value, { pattern }, budget) => {
  if (typeof value !== 'string') return 'must be text';
  if (value.length > maxTextLength) return `must not be longer than ${maxTextLength} characters`;
  if (pattern === undefined) return undefined;
  const compiled = RE2JS.compile(pattern);
  // Matching is linear in the text, but with a factor that a pattern of a few characters can raise to two thousand.
  const work = value.length * compiled.re2().numberOfInstructions();
  if (work > budget.work) return `is too long to be matched against ${pattern}`;
  budget.work -= work;
  return compiled.matcher(value).find() ? undefined : `must match ${pattern}`;
};

const anything: FieldCheck = () => undefined;

/** Messages never repeat the value, which may be a secret. */
const checks: Readonly<Record<ConfigField['type'], FieldCheck>> = {
  string: text,
  text,
  secret: text,
  url: (value, field, budget) => {
    const url = typeof value === 'string' && /^https?:\/\//i.test(value) ? URL.parse(value) : null;
    if (!url) return 'must be an http or https URL';
    // Credentials in a URL would be stored and shown as plain text, and requests would not send them anyway.
    if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
    return text(value, field, budget);
  },
  number: (value) => (typeof value === 'number' && Number.isFinite(value) ? undefined : 'must be a number'),
  boolean: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  select: (value, { options = [], dynamic }) =>
    dynamic === true || options.some((option) => option.value === value)
      ? undefined
      : `must be one of ${options.map((option) => JSON.stringify(option.value)).join(', ')}`.slice(0, 500),
  'credentials-ref': (value) =>
    (typeof value === 'number' && Number.isSafeInteger(value)) || (typeof value === 'string' && value.length <= 64)
      ? undefined
      : 'must be the id of a credential',
  json: anything,
  expression: anything,
  // Text would be a path whose braces were forgotten.
  list: (value) => (Array.isArray(value) ? undefined : 'must be a list, or an expression in {{ }}'),
};
