import { useState } from 'react';
import { useSubscription } from 'urql';
import { Button } from '#console/ui/button.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { timeText } from '#console/words/values.ts';
import { NextFiring } from './firings.documents.ts';
import { Became } from './firings.tsx';
import { triggerWords as w } from './triggers.words.ts';

/** Shows the next real firing of a trigger with its payload, so that the developer of the sender sees what arrives. */
export function Listen({ triggerId }: { triggerId: string }) {
  const [isOn, setOn] = useState(false);
  const [{ data }] = useSubscription({ query: NextFiring, variables: { id: triggerId }, pause: !isOn });
  const firing = isOn ? data?.triggerCaptured : undefined;
  return (
    <>
      <p>
        <Button onPress={() => setOn(!isOn)}>{isOn && !firing ? w.stopListening : w.listen}</Button>
      </p>
      {isOn && !firing && <p role="status">{w.listening}</p>}
      {firing && (
        <>
          <p role="status">
            {timeText(firing.firedAt)} · <Became run={firing.run} deadLetter={firing.deadLetter} />
          </p>
          <JsonTree value={firing.payload} />
        </>
      )}
    </>
  );
}
