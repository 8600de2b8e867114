import { RE2JS } from 're2js';
import { isFileReference } from './file-reference.ts';
import type { ConfigField } from './manifest.ts';

/** A fault in a value, with the members and indexes that lead to it. */
export interface ValueFault {
  path: (string | number)[];
  /** The end of a sentence that begins with the field's name: `must be a number`. Never repeats the value, which may be a secret. */
  fault: string;
}

export interface FieldWork {
  work: number;
  /** Compiled patterns, shared by all values, because a list may have many. */
  patterns: Map<string, RE2JS>;
}

/** The fault of a missing required member. */
export const missing = 'is required';

interface Context {
  /** True if text with `{{ }}` passes as any type, because its result is not known yet. */
  expressions: boolean;
  budget: FieldWork;
  /** True while the value is compared with one of several shapes, which may read its items several times. */
  isCompared?: boolean;
}

export const maxTextLength = 65_536;
/** The most faults that are reported for one value. Nobody would read more. */
const maxFaults = 20;
/** The cost of comparing a value with one shape. Nested shapes multiply it. */
const shapeWork = 256;
/** The cost of comparing one item with a shape. */
const itemWork = 16;
/** The cost of compiling one instruction of a pattern: 3.5 µs, which match as many characters. */
const compileWork = 256;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isExpression = (value: unknown): boolean => typeof value === 'string' && value.includes('{{');

/** Lists the faults of a value that is present. */
export function checkValue(value: unknown, field: ConfigField, context: Context): ValueFault[] {
  if (context.expressions && isExpression(value)) return [];
  if (value === null && field.nullable === true) return [];
  if (field.type === 'object') return checkObject(value, field, context);
  if (field.type === 'list') return checkList(value, field, context);
  if (field.type === 'variant') return checkVariant(value, field, context);
  const fault = checks[field.type](value, field, context.budget);
  return fault === undefined ? [] : [{ path: [], fault }];
}

function checkObject(value: unknown, { fields = [] }: ConfigField, context: Context): ValueFault[] {
  if (!isObject(value)) return [{ path: [], fault: 'must be an object' }];
  const faults: ValueFault[] = [];
  for (const field of fields) {
    const member = Object.hasOwn(value, field.key) ? value[field.key] : undefined;
    if (member !== undefined) faults.push(...under(field.key, checkValue(member, field, context)));
    else if (field.required === true) faults.push({ path: [field.key], fault: missing });
    if (faults.length >= maxFaults) break;
  }
  return faults.slice(0, maxFaults);
}

function checkList(value: unknown, { items }: ConfigField, context: Context): ValueFault[] {
  // Text is not taken for a list: it is probably an expression without its braces.
  if (!Array.isArray(value)) return [{ path: [], fault: 'must be a list, or an expression in {{ }}' }];
  if (!items) return [];
  const faults: ValueFault[] = [];
  for (const [index, item] of value.entries()) {
    if (context.isCompared === true && (context.budget.work -= itemWork) < 0) return [tooLarge];
    faults.push(...under(index, checkValue(item, items, context)));
    if (faults.length >= maxFaults) break;
  }
  return faults.slice(0, maxFaults);
}

const tooLarge: ValueFault = { path: [], fault: 'is too large to be compared with all of its shapes' };

function checkVariant(value: unknown, field: ConfigField, context: Context): ValueFault[] {
  const { variants = [], discriminator } = field;
  if (discriminator !== undefined) {
    if (!isObject(value)) return [{ path: [], fault: 'must be an object' }];
    const name = Object.hasOwn(value, discriminator) ? value[discriminator] : undefined;
    if (context.expressions && isExpression(name)) return [];
    const shape = variants.find((variant) => variant.name === name);
    if (shape) return checkValue(value, shape.field, context);
    return [{ path: [discriminator], fault: `must be one of ${listNames(variants.map((variant) => variant.name))}` }];
  }
  for (const variant of variants) {
    context.budget.work -= shapeWork;
    if (context.budget.work >= 0 && checkValue(value, variant.field, { ...context, isCompared: true }).length === 0)
      return [];
    if (context.budget.work < 0) return [tooLarge];
  }
  const names = listNames(variants.map(({ label, name }) => label ?? name));
  return [{ path: [], fault: `must be one of these: ${names}` }];
}

const under = (step: string | number, faults: ValueFault[]): ValueFault[] =>
  faults.map(({ path, fault }) => ({ path: [step, ...path], fault }));

const listNames = (names: readonly unknown[]): string =>
  names
    .map((name) => JSON.stringify(name))
    .join(', ')
    .slice(0, 500);

type ValueCheck = (value: unknown, field: ConfigField, budget: FieldWork) => string | undefined;

/** The text formats that are checked, as patterns that JSON Schema also supports. */
export const textFormats: Readonly<Record<string, { pattern: string; fault: string }>> = {
  date: { pattern: '^\\d{4}-\\d{2}-\\d{2}$', fault: 'must be a date such as 2026-03-01' },
  'date-time': {
    pattern: '^\\d{4}-\\d{2}-\\d{2}[Tt ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?([Zz]|[+-]\\d{2}:?\\d{2})?$',
    fault: 'must be a date and time such as 2026-03-01T12:00:00Z',
  },
  uuid: { pattern: '^[\\dA-Fa-f]{8}-?([\\dA-Fa-f]{4}-?){3}[\\dA-Fa-f]{12}$', fault: 'must be a UUID' },
  email: { pattern: '^[^@\\s]+@[^@\\s]+$', fault: 'must be an e-mail address' },
};

const formatTests = new Map(
  Object.entries(textFormats).map(([name, { pattern, fault }]) => [
    name,
    { expected: new RegExp(pattern, 'u'), fault },
  ]),
);

/** Formats of whole numbers. Numbers that a double cannot hold are text that matches `largeInteger`. */
export const integerFormats: readonly string[] = ['integer', 'int32', 'int64'];
export const largeInteger = '^-?\\d{16,64}$';

const text: ValueCheck = (value, { pattern, format }, budget) => {
  // Forms describe bytes as text. The value is a file reference or base64.
  if (pattern === undefined && !formatTests.has(format ?? '') && isFileReference(value)) return undefined;
  if (typeof value !== 'string') return 'must be text';
  if (value.length > maxTextLength) return `must not be longer than ${maxTextLength} characters`;
  const known = formatTests.get(format ?? '');
  if (known && !known.expected.test(value)) return known.fault;
  if (pattern === undefined) return undefined;
  const compiled = compile(pattern, budget);
  // Matching time is linear in the length of the text, but a pattern of a few characters can multiply it by two thousand.
  const work = (value.length + 1) * compiled.re2().numberOfInstructions();
  if (work > budget.work) return `is too long to be matched against ${pattern}`;
  budget.work -= work;
  return compiled.matcher(value).find() ? undefined : `must match ${pattern}`;
};

function compile(pattern: string, budget: FieldWork): RE2JS {
  const known = budget.patterns.get(pattern);
  if (known) return known;
  const compiled = RE2JS.compile(pattern);
  budget.work -= compileWork * compiled.re2().numberOfInstructions();
  budget.patterns.set(pattern, compiled);
  return compiled;
}

const isLargeInteger = new RegExp(largeInteger, 'u');

const anything: ValueCheck = () => undefined;

const checks: Readonly<Record<Exclude<ConfigField['type'], 'object' | 'list' | 'variant'>, ValueCheck>> = {
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
  number: (value, { format = '' }) => {
    const isWhole = integerFormats.includes(format);
    if (isWhole && typeof value === 'string' && isLargeInteger.test(value)) return undefined;
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
    return isWhole && !Number.isInteger(value) ? 'must be a whole number' : undefined;
  },
  boolean: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  select: (value, { options = [], dynamic }) =>
    dynamic === true || options.some((option) => option.value === value)
      ? undefined
      : `must be one of ${listNames(options.map((option) => option.value))}`,
  'credentials-ref': (value) =>
    (typeof value === 'number' && Number.isSafeInteger(value)) || (typeof value === 'string' && value.length <= 64)
      ? undefined
      : 'must be the id of a credential',
  json: anything,
  expression: anything,
};
