import { setImmediate as nextTurn } from 'node:timers/promises';
import { tooMuch } from './expression-error.ts';

export const expressionLimits = {
  /** Characters of one expression. */
  source: 16 * 1024,
  /** Characters of one config string that holds expressions. */
  template: 1024 * 1024,
  /** Expressions in one config. */
  expressions: 2000,
  /** Levels of a config, and of an expression's result. */
  depth: 100,
  /** Characters of any string that an expression creates. */
  string: 1024 * 1024,
  /** Members of any array that an expression creates. */
  array: 10_000,
  /** Nested evaluations; each level of a recursive function takes about five. */
  nesting: 20_000,
  /** Evaluations in total, about a microsecond each. */
  steps: 500_000,
  /** Milliseconds of processor time: what waits, also for a processor that others use, takes none of it. */
  time: 1000,
  /** The memory of one value that an expression creates. */
  value: 8 * 1024 * 1024,
  /** Characters created, plus eight per member of an array: roughly the bytes of memory used. */
  memory: 64 * 1024 * 1024,
} as const;

/** Computing without a pause would starve the other runs of this process. */
const turnMs = 10;

/** The processor time of this thread. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The remaining budget of one evaluation of one config, shared by all its expressions. */
export class Budget {
  private steps = 0;
  private memory = 0;
  private spentMs = 0;
  private turnStarted = performance.now();
  private turnCpuMs = threadCpuMs();

  /** Call for each evaluation. Returns a promise when it is time to let others run. Throws when a limit is exceeded. */
  step(): Promise<void> | undefined {
    this.steps += 1;
    if (this.steps > expressionLimits.steps) {
      throw tooMuch(`The expression takes more than ${expressionLimits.steps} steps; work on fewer items.`);
    }
    return this.steps % 8 === 0 ? this.checkTime() : undefined;
  }

  /** The same for time only, after a step that may have taken long. */
  checkTime(): Promise<void> | undefined {
    // The clock is read every eight steps. Reading processor time takes four times as long, so it is read only when a turn ends.
    if (performance.now() - this.turnStarted <= turnMs) return undefined;
    this.spentMs += threadCpuMs() - this.turnCpuMs;
    if (this.spentMs > expressionLimits.time) {
      throw tooMuch(`The expression runs longer than ${expressionLimits.time} ms; work on fewer items.`);
    }
    return nextTurn().then(() => this.resume());
  }

  /**
   * Lets others run once a turn has ended, and charges nothing: for work that is bounded by its input, such as compiling all expressions of a
   * workflow.
   */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.turnStarted <= turnMs) return undefined;
    return nextTurn().then(() => this.resume());
  }

  /** Begins a turn, after a wait that the expression did not cause. */
  resume(): void {
    this.turnStarted = performance.now();
    this.turnCpuMs = threadCpuMs();
  }

  /** Charges `units` of memory (see `expressionLimits.memory`). Throws when none is left. */
  charge(units: number): void {
    this.memory += units;
    if (this.memory > expressionLimits.memory) {
      throw tooMuch('The expression makes too much data; pick the members that are needed before combining them.');
    }
  }

  /** Charges the concatenation of two strings to this length: an eighth, since the parts are shared. */
  chargeConcatenation(length: number): void {
    if (length > expressionLimits.string) this.chargeString(length);
    else this.charge(length > 1024 ? length / 8 : 0);
  }

  /** Charges a string of this length. Throws when it is too long. */
  chargeString(length: number): void {
    if (length > expressionLimits.string) {
      throw tooMuch(`The expression makes a string longer than ${expressionLimits.string} characters.`);
    }
    this.charge(length);
  }

  /** Charges an array of this length. Throws when it is too long. */
  chargeArray(length: number): void {
    if (length > expressionLimits.array) {
      throw tooMuch(`The expression makes an array of more than ${expressionLimits.array} members.`);
    }
    this.charge(8 * length);
  }
}
