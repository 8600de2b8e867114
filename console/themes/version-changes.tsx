import { useQuery } from 'urql';
import type { ResultOf } from '#console/graph/graphql.ts';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { DifferenceList } from './difference-list.tsx';
import { themeWords as w } from './themes.words.ts';
import { versionDifference } from './version-difference.ts';
import { type ComparedVersion, VersionToCompare } from './versions.documents.ts';

type Version = ResultOf<typeof ComparedVersion>;

/** What a version changes of the one with the id `against`; of null, everything is new. */
export function VersionChanges({ version, against }: { version: Version; against: string | null }) {
  const [{ data, error }, read] = useQuery({
    query: VersionToCompare,
    variables: { id: against ?? '' },
    pause: against === null,
  });
  if (against === null) return <Difference before={null} after={version} />;
  if (error) return <LoadFailed error={error} retry={() => read({ requestPolicy: 'network-only' })} />;
  if (!data?.extension) return <Skeleton rows={6} />;
  return <Difference before={data.extension} after={version} />;
}

function Difference({ before, after }: { before: Version | null; after: Version }) {
  return (
    <>
      <p>{before ? w.comparedTo(before.version) : w.firstVersion}</p>
      <DifferenceList groups={versionDifference(before, after)} />
    </>
  );
}
