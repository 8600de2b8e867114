import type { InputCatalogue, InputField } from '#console/graph/input-types.ts';
import type { Option } from '#console/ui/option.ts';

/** One member of an input and its value. */
export interface FieldProps {
  catalogue: InputCatalogue;
  field: InputField;
  path: string;
  value: unknown;
  errors: Readonly<Record<string, string>>;
  lookups: Readonly<Record<string, string>>;
  /** The values to choose from, of members that have no enum. */
  choices: Readonly<Record<string, readonly Option[]>>;
  set: (value: unknown) => void;
}
