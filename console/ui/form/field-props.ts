import type { ReactNode } from 'react';
import type { InputCatalogue, InputField } from '#console/graph/input-types.ts';
import type { Lookup } from '#console/ui/lookup/lookup.ts';
import type { Option } from '#console/ui/option.ts';

/** A member of an input as a form asks for it, with what its type in the graph does not say. */
export interface FormMember extends InputField {
  /** Left out: the words of its name. */
  label?: string;
  /** The members of a JSON object whose layout something else decides, such as the type of a credential. */
  members?: readonly FormMember[];
  /** The values to choose from. */
  options?: readonly Option[];
  /** Where its values are looked up; left out: in the `lookups` of the form, by its name. */
  lookup?: Lookup;
  isSecret?: boolean;
  /** A text of several lines. */
  isLong?: boolean;
  /** Rendered below the field: for example the next times of a schedule that is being typed. */
  below?: ReactNode;
}

/** One member of an input and its value. */
export interface FieldProps {
  catalogue: InputCatalogue;
  field: FormMember;
  /** How the form calls this member and those beside it, by name. */
  labels: Readonly<Record<string, string>>;
  marksOptional: boolean;
  path: string;
  value: unknown;
  errors: Readonly<Record<string, string>>;
  lookups: Readonly<Record<string, Lookup>>;
  /** The values to choose from, of members that have no enum. */
  choices: Readonly<Record<string, readonly Option[]>>;
  set: (value: unknown) => void;
}
