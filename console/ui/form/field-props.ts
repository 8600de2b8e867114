import type { InputCatalogue, InputField } from '#console/graph/input-types.ts';

/** One member of an input and its value. */
export interface FieldProps {
  catalogue: InputCatalogue;
  field: InputField;
  path: string;
  value: unknown;
  errors: Readonly<Record<string, string>>;
  lookups: Readonly<Record<string, string>>;
  set: (value: unknown) => void;
}
