import { useCallback, useDeferredValue, useEffect, useState } from 'react';
import { useClient } from 'urql';
import { Button } from '#console/ui/button.tsx';
import { common } from '#console/words/common.words.ts';
import { LogFilter, type LogLine, LogLines } from './log-lines.tsx';
import { runWords as w } from './runs.words.ts';
import { RunLog as RunLogDocument } from './steps.documents.ts';

const pageSize = 200;

/** What all steps of a run logged, page by page; the server filters. Read again when `status` changes. */
export function RunLog({ run }: { run: { id: string; status: string } }) {
  const client = useClient();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim());
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [hasMore, setMore] = useState(false);
  const levels = chosen.join(',');
  const read = useCallback(
    async (after: number | null) => {
      const filter = {
        ...(levels !== '' && { level: levels.split(',') as never[] }),
        ...(wanted !== '' && { search: wanted }),
      };
      const { data } = await client
        .query(RunLogDocument, { id: run.id, after, filter }, { requestPolicy: 'network-only' })
        .toPromise();
      const page = data?.run?.logs ?? [];
      return { page, hasMore: page.length === pageSize };
    },
    [client, run.id, levels, wanted],
  );
  useEffect(() => {
    let isCurrent = true;
    void read(null).then(({ page, hasMore }) => {
      if (!isCurrent) return;
      setLines(page);
      setMore(hasMore);
    });
    return () => void (isCurrent = false);
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- lines come with each change of the status
  }, [read, run.status]);
  const more = () =>
    void read(lines.at(-1)?.databaseId ?? null).then(({ page, hasMore }) => {
      setLines((before) => [...before, ...page]);
      setMore(hasMore);
    });
  const isFiltered = levels !== '' || wanted !== '';
  return (
    <>
      <LogFilter
        {...{ chosen, search }}
        change={(levels, text) => {
          setChosen(levels);
          setSearch(text);
        }}
      />
      {lines.length === 0 ? (
        <p className="quiet">{isFiltered ? common.nothingMatches : w.noLog}</p>
      ) : (
        <LogLines lines={lines} />
      )}
      {hasMore && <Button onPress={more}>{common.more}</Button>}
    </>
  );
}
