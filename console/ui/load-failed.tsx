import type { CombinedError } from 'urql';
import { common } from '#console/words/common.words.ts';

const forbidden = new Set(['FORBIDDEN', 'UNAUTHENTICATED']);

/** Why something could not be read, and what to do. */
export function LoadFailed({ error, retry }: { error: CombinedError; retry: () => void }) {
  const { message } = readableError(error);
  return (
    <div className="failed-box" role="alert">
      <h2>{common.failedTitle}</h2>
      <p>{message}</p>
      <button type="button" className="button" onClick={retry}>
        {common.tryAgain}
      </button>
    </div>
  );
}

/** The message of an error for people, and its code. */
export function readableError(error: CombinedError): { message: string; code: string } {
  const first = error.graphQLErrors[0];
  const code = typeof first?.extensions['code'] === 'string' ? first.extensions['code'] : 'UNAVAILABLE';
  if (forbidden.has(code)) return { code, message: common.forbidden };
  return { code, message: first?.message ?? common.offlineError };
}
