import { setImmediate as nextTurn } from 'node:timers/promises';
import { tooMuch } from './expression-error.ts';

export const expressionLimits = {
  /** Characters of one expression. */
  source: 16 * 1024,
  /** Characters of one string of a config that holds expressions. */
  template: 1024 * 1024,
  /** Expressions in one config. */
  expressions: 2000,
  /** Levels of a config, and of what an expression yields. */
  depth: 100,
  /** Characters of any string that an expression makes. */
  string: 1024 * 1024,
  /** Members of any array that an expression makes. */
  array: 10_000,
  /** Nested evaluations; each level of a recursive function takes about five. */
  nesting: 20_000,
  /** Evaluations in all, about a microsecond each. */
  steps: 500_000,
  /** Milliseconds of computing, waiting excluded. */
  time: 1000,
  /** The same measure for one value that an expression makes. */
  value: 8 * 1024 * 1024,
  /** Characters made, plus eight for each member of an array: about the bytes of memory taken. */
  memory: 64 * 1024 * 1024,
} as const;

/** Computing on without a pause would starve the other runs of this process. */
const turnMs = 10;

/** What one evaluation of one config may still use; all expressions of the config share it. */
export class Budget {
  private steps = 0;
  private memory = 0;
  private spentMs = 0;
  private turnStarted = performance.now();

  /** Called for each evaluation. Answers a promise when it is time to let others run. Throws once a limit is met. */
  step(): Promise<void> | undefined {
    this.steps += 1;
    if (this.steps > expressionLimits.steps) {
      throw tooMuch(`The expression takes more than ${expressionLimits.steps} steps; work on fewer items.`);
    }
    return this.steps % 8 === 0 ? this.checkTime() : undefined;
  }

  /** The same for time alone, after a step that may have taken long. */
  checkTime(): Promise<void> | undefined {
    const elapsed = performance.now() - this.turnStarted;
    if (this.spentMs + elapsed > expressionLimits.time) {
      throw tooMuch(`The expression computes longer than ${expressionLimits.time} ms; work on fewer items.`);
    }
    return elapsed > turnMs ? this.pause(elapsed) : undefined;
  }

  private async pause(elapsed: number): Promise<void> {
    this.spentMs += elapsed;
    await nextTurn();
    this.turnStarted = performance.now();
  }

  /** Starts the clock again after a wait that is not the expression's doing. */
  resume(): void {
    this.turnStarted = performance.now();
  }

  /** Takes `units` of memory (see `expressionLimits.memory`). Throws when none is left. */
  charge(units: number): void {
    this.memory += units;
    if (this.memory > expressionLimits.memory) {
      throw tooMuch('The expression makes too much data; pick the members that are needed before combining them.');
    }
  }

  /** Takes what joining two strings into one of this length needs: an eighth, since the parts are shared. */
  chargeConcatenation(length: number): void {
    if (length > expressionLimits.string) this.chargeString(length);
    else this.charge(length > 1024 ? length / 8 : 0);
  }

  /** Takes what a string of this length needs. Throws when it is longer than a string may be. */
  chargeString(length: number): void {
    if (length > expressionLimits.string) {
      throw tooMuch(`The expression makes a string longer than ${expressionLimits.string} characters.`);
    }
    this.charge(length);
  }

  /** Takes what an array of this length needs. Throws when it is longer than an array may be. */
  chargeArray(length: number): void {
    if (length > expressionLimits.array) {
      throw tooMuch(`The expression makes an array of more than ${expressionLimits.array} members.`);
    }
    this.charge(8 * length);
  }
}
