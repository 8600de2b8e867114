import { useState } from 'react';
import { useClient } from 'urql';
import { mutate } from '#console/graph/mutate.ts';
import { Button } from '#console/ui/button.tsx';
import { notify } from '#console/ui/notices.ts';
import { AssignErrorGroup, ViewerId } from './error-groups.documents.ts';
import { groupWords as w } from './error-groups.words.ts';

/** Makes the viewer look after a group. */
export function AssignMe({ id }: { id: string }) {
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const assign = async () => {
    setBusy(true);
    const { data } = await client.query(ViewerId, {}).toPromise();
    const { refusal } = await mutate(client, AssignErrorGroup, { id, userId: data?.me.user.id });
    setBusy(false);
    notify(refusal ? { kind: 'failed', text: refusal.message } : { kind: 'done', text: w.assigned });
  };
  return (
    <Button isBusy={isBusy} onPress={() => void assign()}>
      {w.assignMe}
    </Button>
  );
}
