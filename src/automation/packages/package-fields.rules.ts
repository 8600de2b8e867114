import type { ConfigField } from '#src/automation/node-api/manifest.ts';
import { patternSize } from '#src/infra/json-schema/compile-schema.ts';
import type { PackageProblems } from './package-problems.rules.ts';

/** The most levels of fields within fields. */
export const maxFieldDepth = 6;
/** The most fields of one form, counting those within others. */
export const maxFields = 500;

/** The most instructions in all patterns of a package. Compiling that many takes a few seconds. */
const maxPatternSize = 1_000_000;

/** Compiles each pattern of a package once. */
export class PackagePatterns {
  readonly #sizes = new Map<string, number | undefined>();
  #left = maxPatternSize;

  /** Returns the fault of a pattern, if it has one. */
  fault(pattern: string): string | undefined {
    const isKnown = this.#sizes.has(pattern);
    if (!isKnown && this.#left < 0)
      return `is one pattern too many: those of a package have at most ${maxPatternSize} instructions; use fewer or shorter ones`;
    const size = isKnown ? this.#sizes.get(pattern) : patternSize(pattern);
    this.#sizes.set(pattern, size);
    if (size === undefined) return 'is not an RE2 regular expression (backreferences and look-around are not in RE2)';
    if (!isKnown) this.#left -= size;
    return undefined;
  }
}

/** Data that the checks of all forms of a package share. */
export interface FormChecks {
  problems: PackageProblems;
  patterns: PackagePatterns;
}

/** Checks the fields of a form, and those within them. */
export function checkFields(
  fields: readonly ConfigField[],
  path: string,
  at: string,
  { problems, patterns }: FormChecks,
): void {
  const count = { left: maxFields };
  checkLevel(fields, {
    at,
    depth: 0,
    count,
    patterns,
    add: (pointer, message) => problems.add(path, pointer, message),
  });
  if (count.left < 0) problems.add(path, at, `has more than ${maxFields} fields, with those within others`);
}

interface Place {
  at: string;
  depth: number;
  count: { left: number };
  patterns: PackagePatterns;
  add: (pointer: string, message: string) => void;
}

function checkLevel(fields: readonly ConfigField[], place: Place): void {
  const seen = new Set<string>();
  for (const [index, field] of fields.entries()) {
    const pointer = `${place.at}/${index}`;
    if (seen.has(field.key)) place.add(`${pointer}/key`, `"${field.key}" is the key of an earlier field`);
    seen.add(field.key);
    checkField(field, { ...place, at: pointer });
  }
}

function checkField(field: ConfigField, { at, add, count, patterns, depth }: Place): void {
  count.left -= 1;
  // One message suffices.
  if (count.left < 0) return;
  if (depth > maxFieldDepth) return add(at, `is deeper than ${maxFieldDepth} levels; make it a field of type json`);
  if (field.key === '__proto__') add(`${at}/key`, 'cannot be the name of a field');
  const fault = field.pattern === undefined ? undefined : patterns.fault(field.pattern);
  if (fault !== undefined) add(`${at}/pattern`, fault);
  const { options, default: byDefault, fields, items, variants = [] } = field;
  if (options !== undefined && byDefault !== undefined && !options.some((option) => option.value === byDefault)) {
    add(`${at}/default`, 'is not one of the options');
  }
  const inner = { at, add, count, patterns, depth: depth + 1 };
  if (fields) checkLevel(fields, { ...inner, at: `${at}/fields` });
  if (items) checkField(items, { ...inner, at: `${at}/items` });
  const names = new Set<string>();
  for (const [index, { name, field: shape }] of variants.entries()) {
    if (names.has(name)) add(`${at}/variants/${index}/name`, `"${name}" is the name of an earlier shape`);
    names.add(name);
    // A shape does not count as a level, because it describes the value itself.
    checkField(shape, { ...inner, depth, at: `${at}/variants/${index}/field` });
  }
}
