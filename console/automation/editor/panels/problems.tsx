import type { EditorIssue } from '#console/automation/editor/editor.documents.ts';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { idOf } from '#console/automation/editor/model/graph.ts';
import type { ResultOf } from '#console/graph/graphql.ts';

export type Issue = ResultOf<typeof EditorIssue>;

/** The problems of the draft; each line leads to its node. */
export function Problems({ issues, jump }: { issues: readonly Issue[]; jump: (path: string) => void }) {
  if (issues.length === 0) return null;
  return (
    <section className="editor-problems" aria-label={w.problems}>
      <h2>{w.problemCount(issues.length)}</h2>
      <ul>
        {issues.map(({ severity, message, node, path }, index) => (
          <li key={index} className={severity === 'ERROR' ? 'is-error' : ''}>
            {node === null ? (
              <code>{path}</code>
            ) : (
              <button type="button" className="bare editor-jump" onClick={() => jump(node)}>
                {idOf(node)}
              </button>
            )}{' '}
            {message}
          </li>
        ))}
      </ul>
    </section>
  );
}
