import { type Field, isPlainList } from './field.ts';

/** A problem of a value within a config. */
export interface PlacedProblem {
  /** Its path, such as `order.lines.0.sku`. */
  path: string;
  message: string;
}

/** Whether a path is that of a field, or leads into it. */
export const isWithin = (path: string, field: string): boolean => path === field || path.startsWith(`${field}.`);

const configPath = 'config.';

/** The path in the config of a path in the node; undefined for what is outside of the config. */
export const inConfig = (path: string | null): string | undefined =>
  path?.startsWith(configPath) === true ? path.slice(configPath.length) : undefined;

/** The problem that a field shows: of one whose fields are shown, its own; else any within. */
export function problemAt(problems: readonly PlacedProblem[], path: string, shown?: Field): string | undefined {
  const isOwn = (problem: PlacedProblem) =>
    problem.path === path || problem.path === `${path}.${shown?.nested?.discriminator}`;
  const hasCells = shown !== undefined && isPlainList(shown);
  return problems.find((problem) => (shown && !hasCells ? isOwn(problem) : isWithin(problem.path, path)))?.message;
}
