import type { Budget } from './budget.ts';
import { compilePart } from './compile-config.ts';
import type { Compilation, Evaluate } from './compile-config.ts';
import { Evaluation, Later } from './evaluation.ts';
import type { ExpressionError } from './expression-error.ts';
import type { ExpressionScope } from './scope.ts';

/** A config whose expressions are compiled; made once and evaluated for every step. */
export interface CompiledTemplate {
  /** True when there are no expressions; `evaluate` then returns the config itself. */
  readonly isStatic: boolean;
  /** Keys of the secrets that an evaluation may read, for redaction. Without those of deferred members. */
  readonly secrets: readonly string[];
  /**
   * The config with each expression replaced by its value: synchronously when only properties are read, else as a promise.
   * The result shares parts with the config and the scope, so neither may be changed. A member whose expression yields nothing
   * disappears; in an array it becomes null. Throws or rejects with an ExpressionError that names the config path.
   * Evaluations that share a budget must follow one another.
   */
  evaluate(scope: ExpressionScope, budget?: Budget): unknown;
  /**
   * A deferred member, evaluated separately and as often as needed. Text without braces is an expression there:
   * `item.quantity > 0`. Throws an ExpressionError when it is not valid.
   */
  deferred(member: string): CompiledTemplate;
}

export interface TemplateOptions {
  /** Members of the config that `evaluate` leaves as they are. */
  deferred?: readonly string[];
  /** The path of the config itself, which begins the paths in errors. */
  path?: string;
}

function finish(evaluate: Evaluate, config: unknown, made: Compilation, options: TemplateOptions): CompiledTemplate {
  const [error] = made.errors;
  if (error) throw error;
  return {
    isStatic: evaluate === undefined,
    secrets: [...made.secrets],
    evaluate(scope, budget) {
      if (!evaluate) return config;
      const run = new Evaluation(scope, budget);
      const value = evaluate(run);
      if (value instanceof Later) return value.start();
      if (run.later.length === 0) return value;
      return (async () => {
        for (const later of run.later) await later();
        return value;
      })();
    },
    deferred: (member) => compileDeferred(config, member, options.path ?? ''),
  };
}

const emptyCompilation = (): Compilation => ({ secrets: new Set(), expressions: 0, errors: [] });

const deferredTemplates = new WeakMap<object, Map<string, CompiledTemplate>>();

function compileDeferred(config: unknown, member: string, path: string): CompiledTemplate {
  const holder = (typeof config === 'object' && config !== null ? config : {}) as Record<string, unknown>;
  const known = deferredTemplates.get(holder)?.get(member);
  if (known) return known;
  const value = Object.hasOwn(holder, member) ? holder[member] : undefined;
  const isBare = typeof value === 'string' && value.trim() !== '' && !value.includes('{{');
  const made = emptyCompilation();
  const evaluate = compilePart(isBare ? `{{${value}}}` : value, path === '' ? member : `${path}.${member}`, made);
  const template = finish(evaluate, value, made, { path });
  const templates = deferredTemplates.get(holder) ?? new Map<string, CompiledTemplate>();
  deferredTemplates.set(holder, templates.set(member, template));
  return template;
}

const templates = new WeakMap<object, Map<string, CompiledTemplate>>();

/**
 * Compiles every `{{ expression }}` in a config of any JSON. A string that is a single expression yields its value
 * unchanged; otherwise the values are inserted into the text. Each config object is compiled once and must not change.
 * Throws an ExpressionError at the first fault.
 */
export function compileTemplate(config: unknown, options: TemplateOptions = {}): CompiledTemplate {
  const key = JSON.stringify([options.path ?? '', ...(options.deferred ?? [])]);
  const isObject = typeof config === 'object' && config !== null;
  const known = isObject ? templates.get(config)?.get(key) : undefined;
  if (known) return known;
  const made = emptyCompilation();
  const evaluate = compilePart(config, options.path ?? '', made, 0, options.deferred ?? []);
  const template = finish(evaluate, config, made, options);
  if (isObject)
    templates.set(config, (templates.get(config) ?? new Map<string, CompiledTemplate>()).set(key, template));
  return template;
}

/** Every fault in a config's expressions, to be shown in a form; skips `options.deferred` members. */
export function checkTemplate(config: unknown, options: TemplateOptions = {}): readonly ExpressionError[] {
  const made = emptyCompilation();
  compilePart(config, options.path ?? '', made, 0, options.deferred ?? []);
  return made.errors.slice(0, 100);
}
