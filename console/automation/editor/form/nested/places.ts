import { type Field, isPlainList } from './field.ts';

/** A problem with a value in a config. */
export interface PlacedProblem {
  /** The value's path, for example `order.lines.0.sku`. */
  path: string;
  message: string;
  /** The place in the text of the value, counted from 1. */
  place?: { line: number; column: number };
}

/** True if a path is the field's own or leads into the field. */
export const isWithin = (path: string, field: string): boolean => path === field || path.startsWith(`${field}.`);

const configPath = 'config.';

/** Turns a path in the node into a path in the config; undefined if it is outside the config. */
export const inConfig = (path: string | null): string | undefined =>
  path?.startsWith(configPath) === true ? path.slice(configPath.length) : undefined;

/**
 * The problem that a field shows. A field whose inner fields are visible shows only its own problem; any other field also shows a problem
 * within it.
 */
export function problemAt(problems: readonly PlacedProblem[], path: string, shown?: Field): string | undefined {
  const isOwn = (problem: PlacedProblem) =>
    problem.path === path || problem.path === `${path}.${shown?.nested?.discriminator}`;
  const hasCells = shown !== undefined && isPlainList(shown);
  return problems.find((problem) => (shown && !hasCells ? isOwn(problem) : isWithin(problem.path, path)))?.message;
}
