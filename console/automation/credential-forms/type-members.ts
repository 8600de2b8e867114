import type { FormMember } from '#console/ui/form/field-props.ts';
import { credentialWords as w } from './credentials.words.ts';

/** A field of a credential type, as the schema credential-type/v1 describes it. */
export interface TypeField {
  key: string;
  type: 'string' | 'secret' | 'number' | 'boolean' | 'select' | 'url' | 'text' | 'json';
  label?: string;
  help?: string;
  required?: boolean;
  default?: unknown;
  options?: { value: string | number | boolean; label?: string }[];
}

const inputTypes: Partial<Record<TypeField['type'], string>> = { number: 'Float', boolean: 'Boolean', json: 'JSON' };

/** The fields of a credential type as members of a form. A secret has to be entered for a new credential alone. */
export const membersOf = (fields: unknown, isNew: boolean): FormMember[] =>
  (fields as TypeField[]).map(({ key, type, label, help, required, default: byDefault, options }) => {
    const isKept = type === 'secret' && !isNew;
    const said = [help, isKept ? w.keptSecret : undefined].filter(Boolean).join(' ');
    return {
      name: key,
      type: inputTypes[type] ?? 'String',
      label: label ?? key,
      isSecret: type === 'secret',
      isLong: type === 'text',
      ...(said && { help: said }),
      ...(required && !isKept && { isRequired: true as const }),
      ...(typeof byDefault === 'boolean' && { default: String(byDefault) }),
      ...(options && {
        options: options.map(({ value, label: name }) => ({ value: String(value), label: name ?? String(value) })),
      }),
    };
  });
