import { makeDecoy } from '#src/infra/logs/decoys.ts';
import type { KnownSecrets } from '#src/infra/logs/known-secrets.ts';
import { Budget } from './budget.ts';
import { tooMuch } from './expression-error.ts';
import type { JsonataExpression } from './jsonata-expression.ts';

const maxFound = 1_000;

/** The known secrets, and the function that records values derived from them. */
export type Learning = Pick<KnownSecrets, 'withDecoys' | 'learnDerived'>;

/**
 * Does work on secrets and learns the values that it derives from them. It repeats the work with decoys in place of the secrets:
 * derived are the texts and numbers of the result, and the part of the error, that change; if the repetition fails, all of them.
 * Rejects with the work's own error, and when there are too many values to remember.
 */
export async function learnFrom<T>(
  known: Pick<Learning, 'learnDerived'>,
  {
    work,
    again,
    isHarmless,
  }: {
    work: () => T | Promise<T>;
    again: () => unknown;
    isHarmless: (text: string, withDecoys: unknown) => boolean;
  },
): Promise<T> {
  const repeated = async () => again();
  let value: T;
  try {
    value = await work();
  } catch (error) {
    const [text, other] = [errorMessage(error), await repeated().then(() => '', errorMessage)];
    if (!isHarmless(text, other)) known.learnDerived(differingPart(text, other));
    throw error;
  }
  const found = differences(value, await repeated().catch(() => undefined));
  if (found.size > maxFound)
    throw tooMuch(`A step makes at most ${maxFound} texts of secrets; pick what is needed of them.`);
  for (const [text, other] of found) if (!isHarmless(text, other)) known.learnDerived(text);
  return value;
}

/** Evaluates an expression on secrets: those it names, and those in its item. A text that the expression quotes is not a secret. */
export async function evaluateSecretly(
  expression: JsonataExpression,
  source: string,
  data: Record<string, unknown>,
  { budget, known }: { budget: Budget; known: Learning },
): Promise<unknown> {
  const secrets = Object.entries(data['secrets'] as Record<string, string>);
  const item = known.withDecoys(data['item']);
  if (secrets.length === 0 && item === data['item']) return expression.evaluate(data, budget);
  const decoys = Object.fromEntries(secrets.map(([key, secret]) => [key, makeDecoy(secret)]));
  return learnFrom(known, {
    work: () => expression.evaluate(data, budget),
    again: () => expression.evaluate({ ...data, secrets: decoys, item }, new Budget()),
    isHarmless: (text) => source.includes(`"${text}"`) || source.includes(`'${text}'`),
  });
}

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : '');

/** The text without the prefix and the suffix that both share. */
function differingPart(text: string, other: string): string {
  const most = Math.min(text.length, other.length);
  let start = 0;
  while (start < most && text[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  return text.slice(start, text.length - end);
}

/** The texts and numbers that differ, each with its counterpart; incomplete if there are more than `maxFound`. */
function differences(value: unknown, other: unknown, found = new Map<string, unknown>()): Map<string, unknown> {
  if (found.size > maxFound) return found;
  if (typeof value === 'string' || typeof value === 'number') {
    if (value !== other) found.set(String(value), other);
    return found;
  }
  if (typeof value !== 'object' || value === null) return found;
  const members = typeof other === 'object' && other !== null ? (other as Record<string, unknown>) : {};
  for (const [key, member] of Object.entries(value)) {
    const isKnown = Object.hasOwn(members, key);
    if (!isKnown && !Array.isArray(value)) found.set(key, undefined);
    differences(member, isKnown ? members[key] : undefined, found);
  }
  return found;
}
