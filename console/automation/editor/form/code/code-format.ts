import type { Field } from '#console/automation/editor/form/nested/field.ts';

export type CodeLanguage = 'typescript' | 'sql';

/** The language of a field of a core node whose text is code, and so holds no expressions; undefined for any other field. */
export const codeLanguage = ({ type, format }: Field, slug: string): CodeLanguage | undefined =>
  type === 'TEXT' && slug.startsWith('core:') && (format === 'typescript' || format === 'sql') ? format : undefined;
