import { type ComponentType, createContext, type ReactNode } from 'react';
import type { FieldNode } from '#console/automation/editor/form/dynamic-options.ts';
import type { FieldFocus } from '#console/automation/editor/form/focus-field.ts';
import type { Field } from './field.ts';
import type { PlacedProblem } from './places.ts';

/** A field, at the top of a form or within another. */
export interface ConfigFieldProps {
  field: Field;
  /** Stands in place of the label of the field. */
  label?: string;
  value: unknown;
  set: (value: unknown) => void;
  isDisabled: boolean;
  id: string;
  /** Its path in the config; the key of a field at the top. */
  path: string;
  /** How many fields it is within. */
  depth?: number;
  /** Whether a group is unfolded at first. */
  startsOpen?: boolean;
  /** Set where the field around it shows the problems. */
  hidesProblem?: boolean;
  /** The node whose choices are asked for; undefined within another field, where there are none. */
  node?: FieldNode | undefined;
  /** Whether the items of the field name the node's branches. */
  hasBranches?: boolean;
  /** Buttons about the field, such as one that removes it. */
  acts?: ReactNode;
  /** What follows the field, such as a button that mends it. */
  children?: ReactNode;
}

/** What the levels of a form share. */
export interface FormLevels {
  /** How a field within another is rendered. */
  Inner: ComponentType<ConfigFieldProps>;
  problems: readonly PlacedProblem[];
  /** What somebody jumped to. */
  focus: FieldFocus | undefined;
}

export const FormLevelsContext = createContext<FormLevels | undefined>(undefined);

/** What is within one value. */
export interface BodyProps {
  field: Field;
  label: string;
  value: unknown;
  set: (value: unknown) => void;
  isDisabled: boolean;
  id: string;
  path: string;
  depth: number;
}
