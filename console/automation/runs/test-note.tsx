import { toAddressId } from '#console/ui/address-id.ts';
import { ObjectLink } from '#console/ui/object-link.tsx';
import type { RunOfPage } from './run-steps.tsx';
import { runWords as w } from './runs.words.ts';

/** Says that a run is a test, of what, and leads back to the editor with the run on its canvas. */
export function TestNote({ run }: { run: RunOfPage }) {
  return (
    <p>
      {run.parent ? w.testPart : w.testHelp(run.revision)}{' '}
      {run.workflow && (
        <ObjectLink noun="editor" id={run.workflow.id} search={{ run: toAddressId(run.id) }}>
          {w.repair}
        </ObjectLink>
      )}
    </p>
  );
}
