import formats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';

/** One thing wrong with a document: where (JSON pointer, '' for the root) and what. */
export interface SchemaIssue {
  pointer: string;
  message: string;
}

export type SchemaCheck<T> = { ok: true; value: T } | { ok: false; issues: SchemaIssue[] };

const maxIssues = 50;

/**
 * Patterns may come from packages, and a backtracking engine lets one hang the process; RE2 is linear in the input.
 * `code` is what ajv would write into standalone modules, which are not made here.
 */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // ajv shares compiled patterns by what they print as.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: 'undefined' },
);

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  allowUnionTypes: true,
  // A conditional may name members that its sibling keywords define.
  strictRequired: false,
  strictTypes: false,
  code: { regExp: linearRegExp },
});
formats.default(ajv, ['date', 'date-time', 'email', 'uri', 'uuid']);

const quoted = (names: readonly unknown[]): string => names.map((name) => JSON.stringify(name)).join(', ');

function describe(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
      return `needs the member "${error.params.missingProperty}"`;
    case 'additionalProperties':
      return `has no member "${String(error.params.additionalProperty).slice(0, 100)}"; remove it or correct its name`;
    case 'false schema':
      return 'is not allowed here';
    case 'enum':
      return `must be one of ${quoted(error.params.allowedValues)}`;
    case 'const':
      return `must be ${JSON.stringify(error.params.allowedValue)}`;
    case 'uniqueItems':
      return `repeats item ${error.params.j} as item ${error.params.i}`;
    default:
      return error.message ?? 'is invalid';
  }
}

/** ajv reports the conditional itself beside what failed within it, which tells an author nothing. */
const isNoise = (error: ErrorObject): boolean => error.keyword === 'if' || error.keyword === 'propertyNames';

/**
 * Compiles a JSON Schema 2020-12 once, for good: ajv keeps what it compiles, so this is for the product's own schemas; the answer checks documents against it.
 * Throws when the schema itself is invalid, which includes a `pattern` that RE2 cannot run.
 */
export function compileSchema<T>(schema: object): (document: unknown) => SchemaCheck<T> {
  const validate = ajv.compile<T>(schema);
  return (document) => {
    if (validate(document)) return { ok: true, value: document };
    const issues = (validate.errors ?? [])
      .filter((error) => !isNoise(error))
      .slice(0, maxIssues)
      .map((error) => ({ pointer: error.instancePath, message: describe(error) }));
    return { ok: false, issues };
  };
}

/** Whether a package's `pattern` can be run in linear time, as every pattern here is. */
export function isLinearPattern(pattern: string): boolean {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}
