import { describeMachine } from './machine.ts';
import { significant } from './stats.ts';

/** The bound that a figure should keep: for its ratio to the peer (printed with an `x`) or for its own value. */
interface Reach {
  readonly of: 'ratio' | 'value';
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Measurement {
  /** Kebab-case name, stable across runs: it is the key in docs/benchmarks.md. */
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  /** The peer measured in the same run, in the same unit. */
  readonly against?: { readonly name: string; readonly value: number };
  readonly reach?: Reach;
  /** Other observations of the run: latencies, settings, counts. Never secrets or paths. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface FigureLine {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly against: { readonly name: string; readonly value: number } | null;
  readonly ratio: number | null;
  readonly reach: string | null;
  readonly holds: boolean | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Judges a measurement. `holds` is null when nothing was promised, false when what was promised cannot be measured. */
export function judge(measurement: Measurement): FigureLine {
  const { figure, value, unit, against, reach, detail } = measurement;
  const ratio = against === undefined ? null : value / against.value;
  return {
    figure,
    value: significant(value),
    unit,
    against: against === undefined ? null : { name: against.name, value: significant(against.value) },
    ratio: ratio === null ? null : significant(ratio, 3),
    reach: reach === undefined ? null : describeReach(reach),
    holds: reach === undefined ? null : keeps(reach, reach.of === 'ratio' ? ratio : value),
    detail: detail ?? {},
  };
}

/** Prints one JSON line on standard output, with the machine, so that a line can be kept and compared. */
export function printFigure(measurement: Measurement): FigureLine {
  const line = judge(measurement);
  process.stdout.write(`${JSON.stringify({ ...line, machine: describeMachine() })}\n`);
  return line;
}

/** Progress for the terminal; standard output carries figures only. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

function keeps(reach: Reach, measured: number | null): boolean {
  if (measured === null || !Number.isFinite(measured)) return false;
  return measured >= (reach.atLeast ?? -Infinity) && measured <= (reach.atMost ?? Infinity);
}

function describeReach(reach: Reach): string {
  const suffix = reach.of === 'ratio' ? 'x' : '';
  const bounds = [
    reach.atLeast === undefined ? [] : [`>= ${reach.atLeast}${suffix}`],
    reach.atMost === undefined ? [] : [`<= ${reach.atMost}${suffix}`],
  ];
  return bounds.flat().join(' and ');
}
