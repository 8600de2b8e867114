import { useEffect, useRef, useSyncExternalStore } from 'react';
import { readConnection, subscribeConnection } from './connection.ts';

/** Calls `read` when the server is there again, because changes were missed meanwhile. */
export function useReconnected(read: () => void): void {
  const { state } = useSyncExternalStore(subscribeConnection, readConnection);
  const wasOffline = useRef(false);
  useEffect(() => {
    if (state === 'live' && wasOffline.current) read();
    if (state !== 'connecting') wasOffline.current = state === 'offline';
  }, [state, read]);
}
