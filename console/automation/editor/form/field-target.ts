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
  /** The node of the form: its config, and the ids of the nodes whose edges lead to it. */
  node: { config: Readonly<Record<string, unknown>>; inputs: readonly string[] };
  /** Ids of nodes with pinned outputs. */
  pinned: ReadonlySet<string>;
}

/**
 * Reports the field that has the focus. The first field of a form is reported before any field has had the focus, and receives insertions
 * until then.
 */
export type Offer = (target: FieldTarget, hasFocus: boolean) => void;

export const FormDataContext = createContext<FormData | undefined>(undefined);

/**
 * A context of its own, which does not change with the data: fields without an expression are then not rendered again when the data
 * changes.
 */
export const OfferContext = createContext<Offer | undefined>(undefined);
