import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { type CombinedError, useClient } from 'urql';
import { serverNow } from '#console/ui/clock.ts';
import { readConnection } from '#console/ui/connection.ts';
import { subscribeChanges } from './changes.ts';
import { RowList } from './row-list.ts';
import type { Entity, ListUpdate } from './rows.ts';
import type { Connection, ListScreen } from './screen.ts';

const pageSize = 100;
/** A list without a subscription is read again when the reader comes back to it after this long, in milliseconds. */
const staleMs = 30_000;
/** The first read waits this long for the subscription to begin, in milliseconds. */
const followWaitMs = 200;
/** A list that was read before it was followed is read again after this long, in milliseconds, when the first view has been drawn. */
const rereadMs = 2_000;

export interface Rows {
  list: RowList<Entity>;
  /** False until the first page is there. */
  isReady: boolean;
  error: CombinedError | undefined;
  /** Whether a subscription reports its changes. False if the list has none, or the server refused it. */
  isFollowed: boolean;
  /** When the first page was read, in the server's time; 0 before. */
  readAt: number;
  loadMore: () => void;
  reload: () => void;
  /** Repeats the read that failed. */
  retry: () => void;
}

/** Reads a list page by page, and follows its changes. */
export function useRows(screen: ListScreen, variables: Record<string, unknown>): Rows {
  const client = useClient();
  const key = JSON.stringify(variables);
  const stable = useMemo(() => JSON.parse(key) as Record<string, unknown>, [key]);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- another list, or another filter, begins with no rows
  const list = useMemo(() => new RowList<Entity>((flush) => requestAnimationFrame(flush)), [screen, stable]);
  const [loaded, setLoaded] = useState<{ list?: RowList<Entity>; error?: CombinedError | undefined; readAt: number }>({
    readAt: 0,
  });
  const cursor = useRef<string | null>(null);
  const failedAfter = useRef<string | null>(null);
  const isLoading = useRef(false);
  const newest = useRef(list);
  /** First pages, counted as they were asked for, and the last of them that was shown. */
  const asked = useRef(0);
  const shown = useRef(0);

  const read = useCallback(
    async (after: string | null) => {
      const endRead = after === null ? list.beginRead() : ignore;
      const turn = after === null ? (asked.current += 1) : asked.current;
      const result = await client
        .query(screen.document, { ...stable, first: pageSize, after }, { requestPolicy: 'network-only' })
        .toPromise();
      endRead();
      // The answer to an older filter may come after that to a newer one.
      if (newest.current !== list || turn < shown.current) return;
      shown.current = turn;
      const page = result.data && connectionOf(screen, result.data);
      if (page) {
        cursor.current = page.pageInfo.endCursor;
        const values = page.edges.map(({ node }) => node);
        if (after === null) list.reset(values, page.pageInfo.hasNextPage);
        else list.append(values, page.pageInfo.hasNextPage);
      }
      const { error } = result;
      failedAfter.current = after;
      if (error) setLoaded((before) => ({ list, error, readAt: before.list === list ? before.readAt : 0 }));
      else if (after === null) setLoaded({ list, error, readAt: serverNow() });
      else setLoaded((before) => ({ ...before, error }));
    },
    [client, screen, stable, list],
  );
  const reload = useCallback(() => void read(null), [read]);
  const loadMore = useCallback(() => {
    if (isLoading.current || !list.state().hasMore) return;
    isLoading.current = true;
    void read(cursor.current).finally(() => (isLoading.current = false));
  }, [list, read]);

  const retry = useCallback(() => void read(failedAfter.current), [read]);

  const [isRefused, setRefused] = useState(false);
  const canFollow = screen.follow !== undefined && (!screen.followsUnfiltered || key === '{}');
  const isFollowed = canFollow && !isRefused;
  useEffect(() => {
    newest.current = list;
    let hasRead = false;
    const readOnce = () => {
      if (!hasRead) reload();
      hasRead = true;
    };
    // A read that begins once changes are reported misses none. Where that takes long, the list is read before, and again after.
    const waits = canFollow && readConnection().state === 'live';
    const waiting = waits ? setTimeout(readOnce, followWaitMs) : undefined;
    if (!waits) readOnce();
    const unfollow = canFollow
      ? follow(client, screen, stable, list, { setRefused, readOnce, hasRead: () => hasRead })
      : ignore;
    return () => {
      clearTimeout(waiting);
      unfollow();
    };
  }, [canFollow, client, screen, stable, list, reload]);
  useEffect(() => (isFollowed ? undefined : subscribeChanges(reload, staleMs)), [isFollowed, reload]);
  const isStale = useSyncExternalStore(list.subscribe, () => list.state().isStale);
  useEffect(() => {
    if (isStale && list.showsNew) reload();
  }, [isStale, list, reload]);
  const isReady = loaded.list === list;
  return {
    list,
    isReady,
    isFollowed,
    error: isReady ? loaded.error : undefined,
    readAt: isReady ? loaded.readAt : 0,
    loadMore,
    reload,
    retry,
  };
}

const ignore = (): void => undefined;

const connectionOf = (screen: ListScreen, data: Record<string, unknown>): Connection<Entity> | undefined =>
  (screen.page ? screen.page(data as never) : (data[screen.query] as Connection<Entity>)) ?? undefined;

interface FirstRead {
  hasRead: () => boolean;
  readOnce: () => void;
  setRefused: (isRefused: boolean) => void;
}

function follow(
  client: ReturnType<typeof useClient>,
  screen: ListScreen,
  variables: Record<string, unknown>,
  list: RowList<Entity>,
  { hasRead, readOnce, setRefused }: FirstRead,
) {
  if (!screen.follow) return ignore;
  const { filter } = variables;
  let isFirst = true;
  let rereading: ReturnType<typeof setTimeout> | undefined;
  const followed = client
    .subscription(screen.follow, filter === undefined ? {} : { filter })
    .subscribe(({ data, error }) => {
      setRefused(error !== undefined);
      const update = data && (Object.values(data)[0] as ListUpdate<Entity> | null);
      if (!update || !hasRead()) readOnce();
      else if (isFirst && update.change === 'RELOAD') rereading = setTimeout(() => list.apply(update), rereadMs);
      else list.apply(update);
      isFirst = false;
    });
  return () => {
    clearTimeout(rereading);
    followed.unsubscribe();
  };
}
