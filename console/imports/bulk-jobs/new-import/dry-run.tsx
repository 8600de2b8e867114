import { useQuery, useSubscription } from 'urql';
import { BulkJobFollowed, BulkJobPage } from '#console/imports/bulk-jobs/bulk-jobs.documents.ts';
import { JobResult } from '#console/imports/bulk-jobs/job-result.tsx';
import { Rejects } from '#console/imports/bulk-jobs/rejects.tsx';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { State } from '#console/ui/state.tsx';
import { newImportWords as w } from './new-import.words.ts';

/** How a dry run goes, and what it would have changed and rejected. */
export function DryRun({ id }: { id: string }) {
  const [{ data, error }, read] = useQuery({ query: BulkJobPage, variables: { id } });
  useSubscription({ query: BulkJobFollowed, variables: { id } });
  const job = data?.bulkJob;
  if (error && !job) return <LoadFailed error={error} retry={() => read({ requestPolicy: 'network-only' })} />;
  if (!job) return <Skeleton rows={3} />;
  return (
    <section className="section" aria-label={w.dryRunResult}>
      <h3>
        {w.dryRunResult} <State value={job.status} />
      </h3>
      {job.error !== null && <pre className="error-text">{job.error}</pre>}
      <JobResult job={job} />
      {job.rejectsUrl !== null && job.finishedAt !== null && <Rejects url={job.rejectsUrl} />}
    </section>
  );
}
