/**
 * The callback of a query that settles a promise, which has nothing of the query in its scope. With the promises that pg makes, whose
 * callback shares its scope with the query, V8's young collections free neither queries nor their results: 48 KB of 54 were left to
 * full collections, in a loop of queries that wait for each other (docs/decisions/results-are-freed-young.md).
 */
export const settling =
  <Result>(resolve: (result: Result) => void, reject: (error: unknown) => void, explain = asItIs) =>
  (error: unknown, result: Result): void => {
    if (error) reject(explain(error));
    else resolve(result);
  };

const asItIs = (error: unknown): unknown => error;
