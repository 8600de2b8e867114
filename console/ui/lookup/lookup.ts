import type { TypedDocumentNode } from 'urql';
import type { AnyDocument } from '#console/ui/screens/screen.ts';

/** One of the values that a field offers. */
export interface Choice {
  /** The value as text, which tells the choices apart. */
  id: string;
  name: string;
  /** A sentence on it. */
  about?: string;
  /** What the input holds; left out: `id`. */
  value?: unknown;
}

/** An object of a noun, as the noun's own list finds and names it. */
export interface NounLookup {
  noun: string;
  /** The member of its row that the input holds, such as `name`; left out: the global id. */
  by?: string;
  /** Leaves the rest of the list out. */
  filter?: Readonly<Record<string, unknown>>;
  /** A value that the list does not have may be typed as well. */
  takesOthers?: true;
}

/** What a query lists, without screens of its own; a document with the variable `search` gets what is typed. */
export interface QueryLookup {
  document: AnyDocument;
  choices: (data: never) => readonly Choice[];
  /** A value that the query does not list may be typed as well. */
  takesOthers?: true;
}

/** Where the values of a member come from; a text is the noun whose global id it holds. */
export type Lookup = string | NounLookup | QueryLookup;

/** Declares that a member is chosen from what the document reads; the types of its data follow from it. */
export const queried = <Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
  choices: (data: Data) => readonly Choice[],
): QueryLookup => ({ document, choices }) as unknown as QueryLookup;

/** True if the lookup only suggests: its field takes any text. */
export const onlySuggests = (lookup: Lookup): boolean => typeof lookup === 'object' && lookup.takesOthers === true;
