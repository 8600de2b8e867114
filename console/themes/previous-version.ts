interface Numbered {
  id: string;
  databaseId: number;
  status: string;
}

/** The version that tenants had before a version: the newest older one that was published. `versions` are newest first. */
export const previousVersion = <V extends Numbered>(version: Numbered, versions: readonly V[]): V | undefined =>
  versions.find(
    ({ databaseId, status }) => databaseId < version.databaseId && (status === 'PUBLISHED' || status === 'WITHDRAWN'),
  );
