import { useEffect, useState } from 'react';
import * as format from '#console/ui/formats.tsx';
import type { Column } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { numberText } from '#console/words/values.ts';
import { jobWords as w } from './bulk-jobs.words.ts';
import { type FirstRejects, readRejects, type Reject } from './read-rejects.ts';

const columns: readonly Column<Reject>[] = [
  { key: 'line', label: w.line, show: format.number((reject) => reject.line) },
  { key: 'column', label: w.column, show: format.text((reject) => reject.column) },
  { key: 'value', label: w.value, show: format.text((reject) => reject.value) },
  { key: 'reason', label: w.reason, show: format.text((reject) => reject.reason) },
];

/** The rows that a file had rejected: the first as a table, all as a file. */
export function Rejects({ url }: { url: string }) {
  const [found, setFound] = useState<FirstRejects | 'failed'>();
  useEffect(() => {
    const stop = new AbortController();
    readRejects(url, stop.signal).then(setFound, () => {
      if (!stop.signal.aborted) setFound('failed');
    });
    return () => stop.abort();
  }, [url]);
  if (found === undefined) return <Skeleton rows={4} />;
  return (
    <>
      {found === 'failed' ? (
        <p role="alert">{w.rejectsFailed}</p>
      ) : (
        <>
          {!found.isAll && <p className="quiet">{w.rejectsFirst(numberText(found.rows.length))}</p>}
          <Table rows={found.rows} columns={columns} label={w.rejects} />
        </>
      )}
      <a className="button button-plain" href={url} download>
        {w.rejectsFile}
      </a>
    </>
  );
}
