/** The longest text that the server accepts as code; a longer one is not checked. */
export const maxCodeLength = 65_536;

/** A fault in the types of code, between two places of the text. */
export interface TypeFault {
  from: number;
  to: number;
  /** The message of the compiler; for a member that the sample does not have, the names instead. */
  text: string | { missing: string; meant: string };
}

export interface Offered {
  name: string;
  /** The range of the text that `insert` replaces, if it is not just the name that is being typed. */
  replaces?: { from: number; to: number; insert: string };
}

export interface Offers {
  /** True for the members of a value, false for the names in scope. */
  areMembers: boolean;
  offered: Offered[];
}

/** The type of what is at a place. */
export interface TypeAt {
  from: number;
  to: number;
  text: string;
}

/** The questions, with their answers. `at` is a place in the text. */
export interface Answers {
  faults: TypeFault[];
  offers: Offers;
  type: TypeAt | undefined;
  /** The type of an offered name. */
  offeredType: string;
}

export type Kind = keyof Answers;

export interface Code {
  text: string;
  /** The declarations of the names whose types depend on the sample. */
  scope: string;
}

export interface Question extends Code {
  kind: Kind;
  at: number;
  /** An offered name. */
  name: string;
}

export interface Asked extends Question {
  id: number;
}

/** Sent to the worker first. */
export interface Start {
  language: string;
}

/** Sent by the worker when it can answer, and then with each answer. */
export type Told = 'ready' | { id: number; answer: unknown };
