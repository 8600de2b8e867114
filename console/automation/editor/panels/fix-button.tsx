import type { Issue } from '#console/automation/editor/panels/problems.tsx';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { Button } from '#console/ui/button.tsx';
import { problemWords as w } from './problems.words.ts';

/** What a fix does, as a verb. */
function fixText({ operation, path, value }: NonNullable<Issue['fix']>): string {
  if (operation === 'REMOVE' && /\.edges\.\d+$/.test(path)) return w.removeEdge;
  const member = path.slice(path.lastIndexOf('.') + 1);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return operation === 'SET' ? w.set(member, text) : w.remove(member);
}

/** Applies the fix of an issue; nothing where it has none. */
export function FixButton({ issue, editing }: { issue: Issue; editing: Editing }) {
  if (!issue.fix) return null;
  return (
    <Button isDisabled={!editing.canEdit} onPress={() => editing.applyFix(issue)}>
      {fixText(issue.fix)}
    </Button>
  );
}
