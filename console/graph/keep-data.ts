import { mapExchange } from 'urql';

/**
 * Keeps what a query has answered when a later read of it fails, beside the error. A page then goes on showing it, and a form on that page
 * keeps what was entered.
 */
export function keepData() {
  const answers = new Map<number, unknown>();
  return mapExchange({
    onOperation({ kind, key }) {
      if (kind === 'teardown') answers.delete(key);
    },
    onResult(result) {
      const { key, kind } = result.operation;
      if (kind !== 'query') return result;
      if (result.data != null) answers.set(key, result.data);
      return result.error && answers.has(key) ? { ...result, data: answers.get(key) } : result;
    },
  });
}
