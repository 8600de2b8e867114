import { isObject, nodeAt } from '#console/automation/editor/model/graph.ts';
import type { Issue } from '#console/automation/editor/panels/problems.tsx';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { Button } from '#console/ui/button.tsx';
import { problemWords as w } from './problems.words.ts';

/** What the fix of an issue does, as a verb. */
function fixText({ operation, path, value }: NonNullable<Issue['fix']>, namespace: unknown): string {
  if (operation === 'REMOVE' && /\.edges\.\d+$/.test(path)) return w.removeEdge;
  const state = path === 'blob.state' && isObject(value) ? value['namespaces'] : value;
  if (path.startsWith('blob.state') && isObject(state) && typeof namespace === 'string')
    return w.declare(namespace, state[namespace]);
  const member = path.slice(path.lastIndexOf('.') + 1);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return operation === 'SET' ? w.set(member, text) : w.remove(member);
}

/** Applies the fix of an issue; nothing where it has none. */
export function FixButton({ issue, editing }: { issue: Issue; editing: Editing }) {
  if (!issue.fix) return null;
  const namespace = nodeAt(editing.graph, issue.node ?? '')?.config['namespace'];
  return (
    <Button isDisabled={!editing.canEdit} onPress={() => editing.applyFix(issue)}>
      {fixText(issue.fix, namespace)}
    </Button>
  );
}
