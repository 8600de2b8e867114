import { ObjectLink } from '#console/ui/object-link.tsx';
import { enumWord } from '#console/words/enums.ts';
import type { Comparison } from './api.ts';
import { connectWords as w } from './connect.words.ts';

/** The most changes that the page shows. The graph has all of them. */
const maxShown = 200;

/** Shows what a newer description changes, and which workflows break. */
export function ComparisonView({
  comparison: { isOtherApi, before, changes, changeCount, breakingCount, broken, workflowCount },
}: {
  comparison: Comparison;
}) {
  return (
    <div className="connect-comparison" role="status">
      {isOtherApi && <p className="refusal">{w.otherApi(before.title)}</p>}
      <p>{changeCount === 0 ? w.noChanges : w.changes(changeCount, breakingCount)}</p>
      {changes.length > 0 && (
        <ul className="connect-changes">
          {changes.slice(0, maxShown).map(({ kind, slug, path, isBreaking, detail }) => (
            <li key={`${kind} ${slug} ${path}`}>
              <b>{enumWord(kind)}</b>
              {isBreaking && <span className="connect-breaking">{w.breaking}</span>}
              <span className="connect-place">{path === null ? slug : `${slug} ${path}`}</span>
              {detail !== '' && <span className="quiet">{detail}</span>}
            </li>
          ))}
        </ul>
      )}
      {broken.length === 0 ? (
        <p>{w.noneBroken(workflowCount)}</p>
      ) : (
        <>
          <p>{w.broken(broken.length)}</p>
          <ul className="connect-changes">
            {broken.slice(0, maxShown).map(({ tenantId, workflowId, workflowName, kind, node, path, reads }) => (
              <li key={`${tenantId} ${workflowId} ${node} ${path} ${reads}`}>
                <ObjectLink noun="workflows" id={String(workflowId)} tenant={tenantId}>
                  {workflowName}
                </ObjectLink>
                <span className="connect-place">{`${node} ${path}`}</span>
                <span className="quiet">
                  {reads === null ? enumWord(kind) : `${enumWord(kind)}, ${w.reads(reads)}`}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
