import type { EditorIssue } from '#console/automation/editor/editor.documents.ts';
import { idOf, nodeAt } from '#console/automation/editor/model/graph.ts';
import { UpgradeList } from '#console/automation/editor/upgrades/upgrade-list.tsx';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { ToneShape } from '#console/ui/state.tsx';
import { enumWord } from '#console/words/enums.ts';
import { FixButton } from './fix-button.tsx';
import { issueText } from './issue-text.ts';
import { problemWords as w } from './problems.words.ts';

export type Issue = ResultOf<typeof EditorIssue>;

interface Props {
  editing: Editing;
  /** The problem that was visited last. */
  at: number | undefined;
  jump: (index: number) => void;
  /** Opens a node. */
  open: (path: string) => void;
}

/** The problems of the draft; each line leads to its field, and mends it where the server says how. */
export function Problems({ editing, at, jump, open }: Props) {
  const { graph, definitions, issues, upgrading, canEdit } = editing;
  const visited = at === undefined ? undefined : issues[at];
  const definitionAt = (path: string | null) =>
    path === null ? undefined : definitions.get(nodeAt(graph, path)?.node ?? '');
  const { size: outdated } = upgrading.upgrades;
  const count = issues.length > 0 ? w.count(issues.length) : outdated > 0 ? w.outdated(outdated) : w.none;
  return (
    <>
      <p className="sr-only" role="status">
        {at === undefined || !visited ? count : w.at(at + 1, issues.length, visited.message)}
      </p>
      {issues.length + outdated > 0 && (
        <section className="editor-problems" aria-label={w.title}>
          <h2>
            {count} {issues.length > 0 && <span className="editor-problems-keys">{w.keys}</span>}
          </h2>
          <ul className="editor-problem-list">
            {issues.map((issue, index) => (
              <li key={index} aria-current={index === at || undefined}>
                <Severity of={issue.severity} />
                {issue.node === null ? (
                  <p className="editor-problem">
                    <code>{issue.path}</code> {issueText(issue, undefined)}
                  </p>
                ) : (
                  <button type="button" className="bare editor-jump editor-problem" onClick={() => jump(index)}>
                    <strong>{idOf(issue.node)}</strong> {issueText(issue, definitionAt(issue.node))}
                  </button>
                )}
                <FixButton issue={issue} editing={editing} />
              </li>
            ))}
          </ul>
          {outdated > 0 && <UpgradeList {...{ upgrading, canEdit, open }} />}
        </section>
      )}
    </>
  );
}

/** How bad a problem is, by a shape and a word: an error keeps the draft from being published, a warning does not. */
const Severity = ({ of }: { of: Issue['severity'] }) => (
  <span className={`editor-severity is-${of.toLowerCase()}`}>
    <ToneShape tone={of === 'ERROR' ? 'failed' : 'waiting'} />
    {enumWord(of)}
  </span>
);
