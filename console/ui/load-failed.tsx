import { Link } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import type { CombinedError } from 'urql';
import { pause } from '#console/graph/pause.ts';
import { readGraphError } from '#console/graph/read-error.ts';
import { common } from '#console/words/common.words.ts';

const passing = new Set(['UNAVAILABLE', 'TOO_MANY_ATTEMPTS']);
const refusals = new Set(['BAD_REQUEST', 'NOT_FOUND', 'VALIDATION_FAILED']);
const againMs = 15_000;

interface Props {
  error: CombinedError;
  retry: () => void;
  /** Shown where the server refuses what the page asks for. */
  refused?: string | false;
}

/** Why something could not be read, and what to do. What passes by itself is tried again by itself. */
export function LoadFailed({ error, retry, refused }: Props) {
  useRetry(error, retry);
  const { code, message } = readableError(error);
  if (code === 'FORBIDDEN') return <Forbidden message={message} />;
  return (
    <div className="failed-box" role="alert">
      <h2>{common.failedTitle}</h2>
      <p>{(refusals.has(code) && refused) || message}</p>
      <button type="button" className="button" onClick={retry}>
        {common.tryAgain}
      </button>
    </div>
  );
}

/** The role decides, so that another try would be refused as well. */
const Forbidden = ({ message }: { message: string }) => (
  <div className="failed-box" role="alert">
    <h2>{common.forbiddenTitle}</h2>
    <p>{message}</p>
    <Link to="/" className="button">
      {common.toStart}
    </Link>
  </div>
);

/** The same in a line, above what was read before. */
export function RereadFailed({ error, retry }: Props) {
  useRetry(error, retry);
  const { code, message } = readableError(error);
  return (
    <p className="refusal" role="alert">
      {common.stale} {message}{' '}
      {code !== 'FORBIDDEN' && (
        <button type="button" className="bare" onClick={retry}>
          {common.tryAgain}
        </button>
      )}
    </p>
  );
}

function useRetry(error: CombinedError, retry: () => void): void {
  const again = useEffectEvent(retry);
  useEffect(() => {
    if (!passing.has(readableError(error).code)) return undefined;
    const stop = new AbortController();
    pause(againMs, stop.signal).then(again, () => undefined);
    return () => stop.abort();
  }, [error]);
}

/** The message of an error for people, and its code. */
export function readableError({ graphQLErrors: [first] }: CombinedError): { message: string; code: string } {
  if (!first) return { code: 'UNAVAILABLE', message: common.offlineError };
  return readGraphError(first);
}
