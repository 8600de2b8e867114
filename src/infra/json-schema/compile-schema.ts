import formats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';

/** A fault in a document: its location (JSON pointer, '' for the root) and a message. */
export interface SchemaIssue {
  pointer: string;
  message: string;
  /** The member, of the object at the pointer, that is missing, unknown or badly named. */
  member?: string;
  isMissing?: true;
}

export type SchemaCheck<T> = { ok: true; value: T } | { ok: false; issues: SchemaIssue[] };

const maxIssues = 50;

/**
 * Patterns may come from packages, and with a backtracking engine one could hang the process; RE2 is linear in the input. ajv
 * needs `code` for standalone modules, which are not generated here.
 */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // ajv identifies compiled patterns by their text.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: 'undefined' },
);

/** A validator with the options that every schema of the product is checked with. It caches compiled schemas by `$id`. */
export function createValidator(): Ajv2020 {
  const validator = new Ajv2020({
    allErrors: true,
    // Required for the examples in messages.
    verbose: true,
    strict: true,
    // `toString` is a member only of an object that has it.
    ownProperties: true,
    allowUnionTypes: true,
    // A conditional may refer to members that its sibling keywords define.
    strictRequired: false,
    strictTypes: false,
    code: { regExp: linearRegExp },
  });
  formats.default(validator, ['date', 'date-time', 'email', 'uri', 'uuid']);
  return validator;
}

const ajv = createValidator();

const quoted = (names: readonly unknown[]): string => names.map((name) => JSON.stringify(name)).join(', ');

/** An example says more than a regular expression. Every pattern of the published schemas has one. */
const patternFault = ({ params, parentSchema }: ErrorObject): string => {
  const examples = ((parentSchema?.['examples'] as unknown[] | undefined) ?? []).filter(
    (example) => typeof example === 'string',
  );
  if (examples.length === 0) return `must match the pattern ${params['pattern']}`;
  return `must have the form of ${examples
    .slice(0, 2)
    .map((example) => quoted([example]))
    .join(' or ')}`;
};

const findMember = ({ params, propertyName }: ErrorObject): string | undefined =>
  (params['missingProperty'] ?? params['additionalProperty'] ?? propertyName) as string | undefined;

const withArticle = (type: string): string => (type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`);

function describe(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
      return `needs the member "${error.params.missingProperty}"`;
    case 'additionalProperties':
      return `has no member "${String(error.params.additionalProperty).slice(0, 100)}"; remove it or correct its name`;
    case 'false schema':
      return 'is not allowed here';
    case 'type':
      return `must be ${[error.params.type].flat().map(withArticle).join(' or ')}`;
    case 'enum':
      return `must be one of ${quoted(error.params.allowedValues)}`;
    case 'const':
      return `must be ${JSON.stringify(error.params.allowedValue)}`;
    case 'uniqueItems':
      return `repeats item ${error.params.j} as item ${error.params.i}`;
    case 'pattern':
      return patternFault(error);
    default:
      return error.message ?? 'is invalid';
  }
}

/** ajv also reports the conditional around a failure, which does not help an author. */
const isNoise = (error: ErrorObject): boolean => error.keyword === 'if' || error.keyword === 'propertyNames';

/**
 * Returns a function that checks documents against a JSON Schema 2020-12, compiled on its first call, because most processes never
 * need it. Only for the product's own schemas, because ajv keeps what it compiles. The first call throws when the schema is
 * invalid, for example with a `pattern` that RE2 cannot run.
 */
export function compileSchema<T>(schema: object): (document: unknown) => SchemaCheck<T> {
  let compiled: ValidateFunction<T> | undefined;
  return (document) => {
    const validate = (compiled ??= ajv.compile<T>(schema));
    if (validate(document)) return { ok: true, value: document };
    const issues = (validate.errors ?? [])
      .filter((error) => !isNoise(error))
      .slice(0, maxIssues)
      .map((error) => {
        const member = findMember(error);
        return {
          pointer: error.instancePath,
          message: describe(error),
          ...(member !== undefined && { member }),
          ...(error.keyword === 'required' && { isMissing: true as const }),
        };
      });
    return { ok: false, issues };
  };
}

/** Counts the instructions of a package's `pattern`, which RE2 runs in linear time; undefined if RE2 does not support it. */
export function patternSize(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern).re2().numberOfInstructions();
  } catch {
    return undefined;
  }
}

export const isLinearPattern = (pattern: string): boolean => patternSize(pattern) !== undefined;
