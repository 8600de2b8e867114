import { AppError } from '#src/infra/errors.ts';
import { describe } from './describe-api.ts';
import type { DescribeOrder, DescribeReport } from './describe-order.ts';

process.once('message', (order: DescribeOrder) => {
  void describe(order)
    .then((described): DescribeReport => ({ ok: true, described }))
    .catch((error: unknown): DescribeReport => {
      if (error instanceof AppError) return { ok: false, message: error.message };
      return { ok: false, bug: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    })
    .then((report) => process.send?.(report, () => process.disconnect()));
});
