import { useEffect, useState } from 'react';
import { useSubscription } from 'urql';
import type { Trigger } from '#console/automation/editor/canvas/canvas-elements.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { hasEnded } from '#console/graph/told-end.ts';
import { Button } from '#console/ui/button.tsx';
import { NextFiring } from './trial.documents.ts';
import { trialWords as w } from './trial.words.ts';

export type Firing = ResultOf<typeof NextFiring>['triggerCaptured'];

/** Waits for the next real firing of a trigger. */
export function Capture({ trigger, take }: { trigger: Trigger; take: (firing: Firing) => void }) {
  const [isWaiting, setWaiting] = useState(false);
  return isWaiting ? (
    <Waiting trigger={trigger} take={take} stop={() => setWaiting(false)} />
  ) : (
    <div className="panel-actions">
      <Button onPress={() => setWaiting(true)}>{w.wait}</Button>
    </div>
  );
}

function Waiting({ trigger, take, stop }: { trigger: Trigger; take: (firing: Firing) => void; stop: () => void }) {
  const [{ data, error, extensions }] = useSubscription({ query: NextFiring, variables: { triggerId: trigger.id } });
  const firing = data?.triggerCaptured;
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, when it arrives
  useEffect(() => (firing ? take(firing) : undefined), [firing]);
  return (
    <div className="editor-waiting">
      <p role="status">
        {error
          ? error.message
          : hasEnded(extensions)
            ? w.missed
            : trigger.url === null
              ? w.waitingFor(trigger.name)
              : w.waitingAt(trigger.url)}
      </p>
      <Button onPress={stop}>{w.stop}</Button>
    </div>
  );
}
