import type { Definition } from '#console/automation/editor/node-shape.ts';

type ListedField = Definition['fields'][number];

/** A field of a form, at any level. */
export interface Field extends ListedField {
  nullable: boolean;
  /** The meaning of the value, for example `date`. */
  format: string | null;
  nested: Nested | null;
}

/** The inner structure of a value, as the node's manifest describes it. */
export interface Nested {
  fields?: readonly ManifestField[];
  items?: ManifestField;
  variants?: readonly { name: string; label?: string; field: ManifestField }[];
  discriminator?: string;
}

export interface ManifestField extends Nested {
  key: string;
  type: string;
  label?: string;
  help?: string;
  required?: boolean;
  nullable?: boolean;
  default?: unknown;
  format?: string;
  pattern?: string;
  options?: readonly { value: unknown; label?: string }[];
  credential_types?: readonly string[];
}

/** One shape of a variant. */
export interface Shape {
  name: string;
  label: string;
  field: Field;
}

const read = new WeakMap<ManifestField, Field>();

/** Returns the same object for the same manifest, so that a form renders only what has changed. */
function readField(given: ManifestField): Field {
  const known = read.get(given);
  if (known) return known;
  const { fields, items, variants, discriminator } = given;
  const field: Field = {
    key: given.key,
    type: given.type.toUpperCase().replaceAll('-', '_') as Field['type'],
    label: given.label ?? given.key,
    help: given.help ?? null,
    required: given.required === true,
    nullable: given.nullable === true,
    default: given.default ?? null,
    format: given.format ?? null,
    pattern: given.pattern ?? null,
    // A node resolves choices only for its own fields, not for fields within them.
    dynamic: false,
    credentialTypes: [...(given.credential_types ?? [])],
    options: (given.options ?? []).map(({ value, label }) => ({ value, label: label ?? String(value) })),
    nested:
      fields || items || variants
        ? {
            ...(fields && { fields }),
            ...(items && { items }),
            ...(variants && { variants }),
            ...(discriminator !== undefined && { discriminator }),
          }
        : null,
  };
  read.set(given, field);
  return field;
}

/** The members of an object that the manifest names. */
export const memberFields = ({ nested }: Field): readonly Field[] => (nested?.fields ?? []).map(readField);

/** The field that describes each item of a list. */
export const itemField = ({ nested }: Field): Field | undefined => nested?.items && readField(nested.items);

/** The shapes of a variant. */
export const listShapes = ({ nested }: Field): readonly Shape[] =>
  (nested?.variants ?? []).map(({ name, label, field }) => ({ name, label: label ?? name, field: readField(field) }));

/** True if a form has controls for the inner structure of the field. */
export const hasInner = ({ type, nested }: Field): boolean =>
  (type === 'OBJECT' && nested?.fields !== undefined) ||
  (type === 'LIST' && nested?.items !== undefined) ||
  (type === 'VARIANT' && nested?.variants !== undefined);

const inTable: ReadonlySet<Field['type']> = new Set(['STRING', 'TEXT', 'URL', 'NUMBER']);

/** True if the list is shown as a table with one cell for each item. */
export const isPlainList = (field: Field): boolean => {
  const item = field.type === 'LIST' ? itemField(field) : undefined;
  return item !== undefined && inTable.has(item.type) && item.format === null && item.options.length === 0;
};
