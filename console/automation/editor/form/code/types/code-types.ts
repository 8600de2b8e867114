import type { Answers, Kind, TypeFault } from './protocol.ts';

/** Asks about a text. Undefined while the compiler is loading, and where it does not answer. */
export type AskTypes = <K extends Kind>(
  kind: K,
  question: { text: string; at: number; name?: string },
) => Promise<Answers[K] | undefined>;

/** What is known of the types in a text. */
export interface CodeTypes {
  ask: AskTypes;
  /** The faults, and the text that they are in. */
  found: { text: string; faults: readonly TypeFault[] };
}
