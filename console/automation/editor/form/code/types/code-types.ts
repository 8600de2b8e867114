import type { Answers, Kind, TypeFault } from './protocol.ts';

/** Asks about a text. Undefined while the compiler is loading, and where it does not answer. */
export type AskTypes = <K extends Kind>(
  kind: K,
  question: { text: string; at: number; name?: string },
) => Promise<Answers[K] | undefined>;

/** The type faults of a text, and the types that completions and tooltips show. */
export interface CodeTypes {
  ask: AskTypes;
  /** The faults, and the text that they are in. */
  found: { text: string; faults: readonly TypeFault[] };
}
