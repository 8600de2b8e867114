import { useSyncExternalStore } from 'react';
import { common } from '#console/words/common.words.ts';
import { Age } from './age.tsx';
import { readConnection, subscribeConnection } from './connection.ts';

/** Whether what is shown follows the server now; for what does not, when it was read. */
export function LiveMark({ readAt, reload }: { readAt?: number; reload?: () => void }) {
  const { state, since } = useSyncExternalStore(subscribeConnection, readConnection);
  if (readAt === undefined || state === 'offline') {
    return (
      <span className={`live live-${state}`}>
        {common[state]} {state === 'offline' && since !== undefined && <Age at={new Date(since).toISOString()} />}
      </span>
    );
  }
  return readAt === 0 ? null : (
    <button type="button" className="live bare" title={common.reload} onClick={reload}>
      {common.asOf} <Age at={new Date(readAt).toISOString()} />
    </button>
  );
}
