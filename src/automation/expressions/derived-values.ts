import { Budget } from './budget.ts';
import type { JsonataExpression } from './jsonata-expression.ts';

const maxFound = 1_000;

/** The same text with every character replaced by another of its kind, so that a number stays one. */
const decoyOf = (secret: string): string =>
  Array.from(secret, (char) => String.fromCodePoint(neighbour(char.codePointAt(0) as number))).join('');

const kinds = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x61, 0x7a],
  [0x21, 0x7e],
] as const;

function neighbour(code: number): number {
  const kind = kinds.find(([first, last]) => code >= first && code <= last);
  if (!kind) return code === 0x2a ? 0x2b : 0x2a;
  const [first, last] = kind;
  return code === last ? first : code + 1;
}

/**
 * Evaluates an expression that names secrets, and reports the values it derived from them: the texts and numbers of its
 * result that change when it is evaluated again with other secrets, or all of them if that fails. A literal in the
 * expression is not a secret.
 */
export async function evaluateSecretly(
  expression: JsonataExpression,
  source: string,
  data: Record<string, unknown>,
  { budget, onDerived }: { budget: Budget; onDerived: (text: string) => void },
): Promise<unknown> {
  const secrets = Object.entries(data['secrets'] as Record<string, string>);
  const decoys = Object.fromEntries(secrets.map(([key, secret]) => [key, decoyOf(secret)]));
  const again = () => expression.evaluate({ ...data, secrets: decoys }, new Budget());
  let value: unknown;
  try {
    value = await expression.evaluate(data, budget);
  } catch (error) {
    onDerived(differingPart(messageOf(error), await again().then(() => '', messageOf)));
    throw error;
  }
  const isQuoted = (text: string) => source.includes(`"${text}"`) || source.includes(`'${text}'`);
  for (const text of differences(value, await again().catch(() => undefined))) if (!isQuoted(text)) onDerived(text);
  return value;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');

/** The text without the prefix and the suffix that both share. */
function differingPart(text: string, other: string): string {
  const most = Math.min(text.length, other.length);
  let start = 0;
  while (start < most && text[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  return text.slice(start, text.length - end);
}

function differences(value: unknown, other: unknown, found = new Set<string>()): Set<string> {
  if (found.size >= maxFound) return found;
  if (typeof value === 'string' || typeof value === 'number') {
    if (value !== other) found.add(String(value));
    return found;
  }
  if (typeof value !== 'object' || value === null) return found;
  const members = typeof other === 'object' && other !== null ? (other as Record<string, unknown>) : {};
  for (const [key, member] of Object.entries(value)) {
    const isKnown = Object.hasOwn(members, key);
    if (!isKnown && !Array.isArray(value)) found.add(key);
    differences(member, isKnown ? members[key] : undefined, found);
  }
  return found;
}
