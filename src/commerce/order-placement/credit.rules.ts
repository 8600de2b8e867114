import { z } from 'zod';
import { exact } from '#src/infra/exact.ts';

/** An amount as text, or as a JSON number. */
const amount = z.union([z.string().regex(/^-?\d{1,18}(\.\d{1,6})?$/), z.number().transform(String)]);

/** The result of a credit workflow. */
const creditAnswer = z.object({
  /** Null: no limit. */
  limit: amount.nullish(),
  used: amount.nullish(),
  blocked: z.boolean().nullish(),
});

/** True if the organization may buy for `gross`; null if the result cannot be read. */
export function hasCredit(answer: unknown, gross: string): boolean | null {
  const read = creditAnswer.safeParse(answer);
  if (!read.success) return null;
  const { limit, used, blocked } = read.data;
  // A result without any known member is not an answer.
  if (limit == null && used == null && blocked == null) return null;
  if (blocked === true) return false;
  return (
    limit == null ||
    exact(used ?? 0)
      .plus(gross)
      .lte(limit)
  );
}
