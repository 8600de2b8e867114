import { isObject, type NodeUnit } from '#console/automation/editor/model/graph.ts';
import { findEnd } from '#console/automation/editor/model/references.ts';
import type { Definitions } from '#console/automation/editor/node-shape.ts';

/**
 * The members of a config, by path, that are not copied or exported: those that name a credential, and secrets that are written out. Beside
 * those of the definition, they are members that an older version may have had, and what is called a secret within a value, such as a header.
 */
export const privateFields =
  (definitions: Definitions) =>
  (unit: NodeUnit): string[] => [...credentialFields(unit, definitions), ...secretFields(unit, definitions)];

/** Secrets that would be left out, by the node that has them: `send.api_key`. */
export const writtenSecrets = (units: Iterable<[path: string, unit: NodeUnit]>, definitions: Definitions): string[] =>
  [...units].flatMap(([path, unit]) => secretFields(unit, definitions).map((key) => `${path}.${key}`));

const credentialFields = (unit: NodeUnit, definitions: Definitions): string[] =>
  Object.keys(unit.config).filter((key) => namesCredential(key, fieldType(unit, key, definitions)));

const secretFields = (unit: NodeUnit, definitions: Definitions): string[] =>
  Object.entries(unit.config).flatMap(([key, value]) => {
    const type = fieldType(unit, key, definitions);
    if (namesCredential(key, type)) return [];
    const isSecret = type === 'SECRET' || (type === undefined && /secret|password|token|api_?key/i.test(key));
    if (!isSecret) return secretMembers(value, key);
    return isOnlyRead(value) ? [] : [key];
  });

const secretName = /secret|password|passwd|token|api[-_]?key|private[-_]?key|authorization|cookie/i;
/** The scheme that precedes the secret in the value of a header, such as `Bearer`. */
const scheme = /^\s*(?:bearer|basic|token|api-?key)\s+/i;

/** Texts within a value that are secrets by their name: headers as members of an object, or each as an object with its name. */
function secretMembers(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => secretMembers(item, `${path}.${index}`));
  if (!isObject(value)) return [];
  const { name: called = value['key'] } = value;
  return Object.entries(value).flatMap(([name, member]) => {
    const isSecret = secretName.test(name) || (name === 'value' && secretName.test(String(called)));
    if (!isSecret || typeof member !== 'string') return secretMembers(member, `${path}.${name}`);
    return isOnlyRead(member.replace(scheme, '')) ? [] : [`${path}.${name}`];
  });
}

const fieldType = ({ node }: NodeUnit, name: string, definitions: Definitions) =>
  definitions.get(node)?.fields.find(({ key }) => key === name)?.type;

const namesCredential = (key: string, type: string | undefined): boolean =>
  type === 'CREDENTIALS_REF' || /credential/i.test(key);

/** Whether a value is one expression without texts of its own, such as `{{ secrets.ERP_KEY }}`: it says where the secret is, and not what it is. */
function isOnlyRead(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const text = value.trim();
  if (text === '') return true;
  return text.startsWith('{{') && findEnd(text, 2) === text.length - 2 && !/["']|\b\d/.test(text);
}
