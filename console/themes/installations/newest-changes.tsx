import { useQuery } from 'urql';
import { VersionChanges } from '#console/themes/version-changes.tsx';
import { VersionToCompare } from '#console/themes/versions.documents.ts';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';

/** What a newer version changes of the pinned one. */
export function NewestChanges({ id, pinned }: { id: string; pinned: string }) {
  const [{ data, error }, read] = useQuery({ query: VersionToCompare, variables: { id } });
  if (error) return <LoadFailed error={error} retry={() => read({ requestPolicy: 'network-only' })} />;
  if (!data?.extension) return <Skeleton rows={6} />;
  return <VersionChanges version={data.extension} against={pinned} />;
}
