import { z } from 'zod';
import { exact } from '#src/infra/exact.ts';

/** An amount as text, or a number as JSON has it. */
const amount = z.union([z.string().regex(/^-?\d{1,18}(\.\d{1,6})?$/), z.number().transform(String)]);

/** What a credit workflow answers. */
const creditAnswer = z.object({
  /** Null: none. */
  limit: amount.nullish(),
  used: amount.nullish(),
  blocked: z.boolean().nullish(),
});

/** Whether the organization may buy for `gross`; null where the answer cannot be read. */
export function hasCredit(answer: unknown, gross: string): boolean | null {
  const read = creditAnswer.safeParse(answer);
  if (!read.success) return null;
  const { limit, used, blocked } = read.data;
  // An answer of nothing that is known is not an answer.
  if (limit == null && used == null && blocked == null) return null;
  if (blocked === true) return false;
  return (
    limit == null ||
    exact(used ?? 0)
      .plus(gross)
      .lte(limit)
  );
}
