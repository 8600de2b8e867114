import type { NodeUnit } from '#console/automation/editor/model/graph.ts';
import { findEnd } from '#console/automation/editor/model/references.ts';
import type { Definitions } from '#console/automation/editor/node-shape.ts';

/**
 * The members of a config that are not copied or exported: those that name a credential, and secrets that are written out. Beside those of
 * the definition, they are members that an older version may have had.
 */
export const privateFields =
  (definitions: Definitions) =>
  ({ node, config }: NodeUnit): string[] => {
    const types = new Map((definitions.get(node)?.fields ?? []).map(({ key, type }) => [key, type]));
    return Object.entries(config)
      .filter(([key, value]) => {
        const type = types.get(key);
        const isCredential = type === 'CREDENTIALS_REF' || /credential/i.test(key);
        const isSecret = type === 'SECRET' || (type === undefined && /secret|password|token|api_?key/i.test(key));
        return isCredential || (isSecret && !isOnlyRead(value));
      })
      .map(([key]) => key);
  };

/** Secrets that would be left out, by the node that has them: `send.api_key`. */
export const writtenSecrets = (units: Iterable<[path: string, unit: NodeUnit]>, definitions: Definitions): string[] =>
  [...units].flatMap(([path, unit]) => {
    const types = new Map((definitions.get(unit.node)?.fields ?? []).map(({ key, type }) => [key, type]));
    return privateFields(definitions)(unit)
      .filter((key) => types.get(key) !== 'CREDENTIALS_REF' && !/credential/i.test(key))
      .map((key) => `${path}.${key}`);
  });

/** Whether a value is one expression without texts of its own, such as `{{ secrets.ERP_KEY }}`: it says where the secret is, and not what it is. */
function isOnlyRead(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const text = value.trim();
  if (text === '') return true;
  return text.startsWith('{{') && findEnd(text, 2) === text.length - 2 && !/["'0-9]/.test(text);
}
