import { useQuery } from 'urql';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { ListLink } from '#console/ui/object-link.tsx';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { FileDrop } from './file-drop.tsx';
import { ImportForm } from './import-form.tsx';
import { ImportChoices } from './new-import.documents.ts';
import { newImportWords as w } from './new-import.words.ts';
import { useUpload } from './use-upload.ts';

/** Imports a file: drop it, see what it is, map its columns, try it, run it. */
export function NewImport() {
  const { upload, sent, send } = useUpload();
  const [{ data, error }, read] = useQuery({ query: ImportChoices, requestPolicy: 'cache-and-network' });
  return (
    <div className="new-import">
      <header className="page-head">
        <div className="page-title">
          <PageHeading text={w.title} />
          <span className="page-actions">
            <ListLink noun="imports" className="button">
              {w.leave}
            </ListLink>
          </span>
        </div>
      </header>
      <section className="section" aria-labelledby="import-file">
        <h2 id="import-file">{w.file}</h2>
        <FileDrop upload={upload} choose={(file) => void send(file)} />
      </section>
      {error && !data && <LoadFailed error={error} retry={() => read({ requestPolicy: 'network-only' })} />}
      {sent && data && (
        // What was entered stays for the mended file. Until it is there, nothing is imported from the one before.
        <div className="new-import" hidden={!upload?.isDone}>
          <ImportForm
            sent={sent}
            targets={data.importTargets}
            profiles={data.importProfiles.edges.map(({ node }) => node)}
          />
        </div>
      )}
    </div>
  );
}
