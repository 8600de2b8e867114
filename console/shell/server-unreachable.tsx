import { PageHeading } from '#console/ui/page-heading.tsx';
import { shellWords } from './shell.words.ts';

/** The page when the server does not say where to sign in. */
export function ServerUnreachable({ error }: { error: unknown }) {
  return (
    <main className="failed-box" role="alert">
      <PageHeading text={shellWords.unreachable} />
      <p>{shellWords.unreachableHelp}</p>
      <pre className="error-text">{error instanceof Error ? error.message : String(error)}</pre>
      <button type="button" className="button button-main" onClick={() => location.reload()}>
        {shellWords.reload}
      </button>
    </main>
  );
}
