import { Budget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { chargeValue } from './json-value.ts';
import type { ExpressionScope } from './scope.ts';

/** A value that must be waited for. They run one after another, so that the expressions of a config share one budget. */
export class Later {
  readonly start: () => Promise<unknown>;

  constructor(start: () => Promise<unknown>) {
    this.start = start;
  }
}

/** How many references to the scope a config may have before each further one counts against the budget. */
const freeReferences = 4;

/** One evaluation of one config. */
export class Evaluation {
  readonly scope: ExpressionScope;
  readonly later: (() => Promise<void>)[] = [];
  private shared: Budget | undefined;
  private secrets: Map<string, string> | undefined;
  private references = 0;

  constructor(scope: ExpressionScope, budget?: Budget) {
    this.scope = scope;
    this.shared = budget;
  }

  get budget(): Budget {
    return (this.shared ??= new Budget());
  }

  /**
   * A config full of `{{ trigger.payload }}` takes little memory until it is serialised, and then very much. The first few references of an
   * ordinary config are not counted, because counting walks the whole value.
   */
  refer(value: unknown): unknown {
    if (typeof value === 'object' && value !== null) {
      this.references += 1;
      if (this.references > freeReferences) chargeValue(value, this.budget);
    }
    return value;
  }

  /** A secret's value, synchronously when it is cached. Fails when there is no secret of that name. */
  secret(key: string): string | Later {
    const known = this.secrets?.get(key);
    if (known !== undefined) return known;
    const found = this.scope.secrets(key);
    return found instanceof Promise ? new Later(async () => this.keep(key, await found)) : this.keep(key, found);
  }

  private keep(key: string, value: string | undefined): string {
    if (value === undefined) {
      throw new ExpressionError('failed', `There is no secret ${key.slice(0, 128)}; create it or correct its name.`);
    }
    (this.secrets ??= new Map()).set(key, value);
    return value;
  }

  /** The scope as jsonata sees it, with only the named secrets, as values. */
  async dataFor(secrets: readonly string[]): Promise<Record<string, unknown>> {
    const { trigger, nodes, run, item, index, event } = this.scope;
    const values: Record<string, string> = {};
    for (const key of secrets) {
      const found = this.secret(key);
      values[key] = found instanceof Later ? String(await found.start()) : found;
    }
    return { trigger, nodes, run, item, index, event, secrets: values };
  }
}
