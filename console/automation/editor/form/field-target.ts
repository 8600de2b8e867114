import { createContext } from 'react';
import type { NodeData } from '#console/automation/editor/expressions/use-node-data.ts';

/** A field into which the path of a value can be put. */
export interface FieldTarget {
  /** At the cursor, or at a place of the window where it was dropped. */
  insert: (path: string, dropped?: { x: number; y: number }) => void;
}

/** What the fields of a form share. */
export interface FormData {
  data: NodeData;
  /** The item of the loop or filter that the expressions of the node read, counted from 1; undefined where they see none. */
  item: { loop: string; number: number } | undefined;
  /** Ids of nodes with pinned outputs. */
  pinned: ReadonlySet<string>;
}

/** Says which field has the focus. The first of a form is told before any has had it, and takes what is inserted until then. */
export type Offer = (target: FieldTarget, hasFocus: boolean) => void;

export const FormDataContext = createContext<FormData | undefined>(undefined);

/** Stays the same while the data changes, so that a field that has no expression is not rendered for it. */
export const OfferContext = createContext<Offer | undefined>(undefined);
