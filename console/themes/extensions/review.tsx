import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ResultOf } from '#console/graph/graphql.ts';
import { previousVersion } from '#console/themes/previous-version.ts';
import { themeWords as w } from '#console/themes/themes.words.ts';
import { VersionChanges } from '#console/themes/version-changes.tsx';
import { fromAddressId, toAddressId } from '#console/ui/address-id.ts';
import { enumWord } from '#console/words/enums.ts';
import type { ExtensionDetail } from './extensions.documents.ts';

/** What a version changes of the one before it, or of another one that the address names. */
export function Review({ extension }: { extension: ResultOf<typeof ExtensionDetail> }) {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const others = extension.versions.filter(({ id }) => id !== extension.id);
  const named = address['against'];
  const against =
    named === undefined
      ? previousVersion(extension, others)?.id
      : others.find(({ id }) => id === fromAddressId(named))?.id;
  const choose = (id: string) =>
    void navigate({
      to: '.',
      search: (previous: Record<string, unknown>) => ({ ...previous, against: toAddressId(id) }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      {others.length > 0 && (
        <label className="compare">
          {w.compareWith}
          <select className="input" value={against ?? ''} onChange={(event) => choose(event.target.value)}>
            {against === undefined && <option value="" />}
            {others.map(({ id, version, status }) => (
              <option key={id} value={id}>
                {version} ({enumWord(status)})
              </option>
            ))}
          </select>
        </label>
      )}
      <VersionChanges version={extension} against={against ?? null} />
    </>
  );
}
