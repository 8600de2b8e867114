import { type ComponentType, createContext, type ReactNode } from 'react';
import type { FieldNode } from '#console/automation/editor/form/dynamic-options.ts';
import type { FieldFocus } from '#console/automation/editor/form/focus-field.ts';
import type { Field } from './field.ts';
import type { PlacedProblem } from './places.ts';

/** A field, at the top of a form or within another. */
export interface ConfigFieldProps {
  field: Field;
  /** Replaces the label of the field. */
  label?: string;
  value: unknown;
  set: (value: unknown) => void;
  isDisabled: boolean;
  id: string;
  /** The field's path in the config; for a field at the top, its key. */
  path: string;
  /** The number of fields around it; 0 at the top. */
  depth?: number;
  /** True if a group is open at first. */
  startsOpen?: boolean;
  /** True if the field around it shows the problems. */
  hidesProblem?: boolean;
  /** The node that resolves the choices; undefined within another field, where choices are not resolved. */
  node?: FieldNode | undefined;
  /** True if the items of the field name the node's branches. */
  hasBranches?: boolean;
  /** Buttons for the field, for example one that removes it. */
  acts?: ReactNode;
  /** Content after the field, for example a button that fixes it. */
  children?: ReactNode;
}

/** Data that all levels of a form share. */
export interface FormLevels {
  /** Renders a field within another. */
  Inner: ComponentType<ConfigFieldProps>;
  problems: readonly PlacedProblem[];
  /** The field that the user jumped to. */
  focus: FieldFocus | undefined;
}

export const FormLevelsContext = createContext<FormLevels | undefined>(undefined);

/** The props of a component that shows the inside of one value. */
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
