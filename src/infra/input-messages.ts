import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

/**
 * The fault of a value, as the end of a sentence: `is required.`, `must be a string.`. Used as zod's error map; a message
 * that a schema sets itself is kept.
 */
export const inputFault = (issue: Issue): string => {
  if (issue.input === undefined && issue.code !== 'unrecognized_keys' && issue.code !== 'custom') return 'is required.';
  return describeIssue(issue) ?? 'is not valid.';
};

/** The same as a whole sentence, which names the field by its dotted path under `prefix`: `The field name is required.` */
export const inputSentence = (prefix = '') => {
  const place = prefix === '' ? [] : [prefix];
  return (issue: Issue): string => {
    const path = [...place, ...(issue.path ?? [])].map(String).join('.');
    return `${path === '' ? 'The body' : `The field ${path}`} ${inputFault(issue)}`;
  };
};

function describeIssue(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${describeType(issue.expected)}.`;
    case 'invalid_value':
      return describeChoices(issue.values);
    case 'too_small': {
      const { origin, minimum, inclusive, exact } = issue;
      if (!sized.has(origin)) return `must be ${inclusive === false ? 'more than' : 'at least'} ${minimum}.`;
      if (exact) return `must have exactly ${count(minimum, origin)}.`;
      return Number(minimum) === 1 ? 'must not be empty.' : `must have at least ${count(minimum, origin)}.`;
    }
    case 'too_big': {
      const { origin, maximum, inclusive, exact } = issue;
      if (!sized.has(origin)) return `must be ${inclusive === false ? 'less than' : 'at most'} ${maximum}.`;
      return `must have ${exact ? 'exactly' : 'at most'} ${count(maximum, origin)}.`;
    }
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}.`;
    case 'invalid_format':
      return formats[issue.format] ? `must be ${formats[issue.format]}.` : 'does not have the required format.';
    case 'unrecognized_keys': {
      const named = issue.keys.slice(0, 10).map((key) => literal(key.slice(0, 64)));
      return `has ${issue.keys.length === 1 ? 'an unknown member' : 'unknown members'}: ${named.join(', ')}.`;
    }
    case 'invalid_union':
      return unionFault(issue);
    case 'invalid_key':
      return 'has a member whose name is not valid.';
    default:
      return undefined;
  }
}

/** Names the values of a union's discriminator, or the types of its members if only the type is wrong. */
function unionFault(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string | undefined {
  if (Array.isArray(issue['options']) && issue['options'].length > 0) return describeChoices(issue['options']);
  const wrong = issue.errors.map(([first]) => first);
  const isByType = wrong.every((each) => each?.code === 'invalid_type' && each.path.length === 0);
  if (!isByType || wrong.length === 0) return undefined;
  const expected = wrong.map((each) => describeType(each?.code === 'invalid_type' ? each.expected : ''));
  return `must be ${[...new Set(expected)].join(' or ')}.`;
}

const describeChoices = (values: readonly unknown[]): string =>
  `must be ${values.length === 1 ? '' : 'one of '}${values.map(literal).join(', ')}.`;

const describeType = (expected: string): string => types[expected] ?? expected;

/** Kinds with a length; a minimum of any other kind refers to its value. */
const sized: ReadonlySet<string> = new Set(['string', 'array', 'set', 'map', 'file']);

const count = (most: number | bigint, origin: string): string => {
  const unit = { string: 'character', file: 'byte' }[origin] ?? 'item';
  return `${Number(most).toLocaleString('en')} ${unit}${Number(most) === 1 ? '' : 's'}`;
};

const literal = (value: unknown): string => (typeof value === 'string' ? `"${value}"` : String(value));

const types: Partial<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  set: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  date: 'a date',
  null: 'null',
  nan: 'NaN',
};

const formats: Partial<Record<string, string>> = {
  email: 'an email address',
  url: 'a URL',
  uuid: 'a UUID',
  guid: 'a UUID',
  datetime: 'an ISO 8601 date and time',
  date: 'an ISO 8601 date',
  time: 'an ISO 8601 time',
  duration: 'an ISO 8601 duration',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  base64: 'base64',
  base64url: 'base64url',
  jwt: 'a JWT',
};
