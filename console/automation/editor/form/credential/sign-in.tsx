import { useState } from 'react';
import { useClient } from 'urql';
import {
  CreateAuthorizeUrl,
  type CredentialFacts,
} from '#console/automation/credential-forms/credentials.documents.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { mutate } from '#console/graph/mutate.ts';
import { Button } from '#console/ui/button.tsx';
import { usePolled } from '#console/ui/use-polled.ts';
import { fieldCredentialWords as w } from './field-credential.words.ts';

/** Opens the provider in another tab, so that the form keeps what is typed, and waits until the credential is connected. */
export function SignIn({ credential, read }: { credential: ResultOf<typeof CredentialFacts>; read: () => void }) {
  const { id, status, updatedAt } = credential;
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const [going, setGoing] = useState<{ url: string; since: unknown; isBlocked: boolean }>();
  const isConnected = going !== undefined && status === 'ACTIVE' && updatedAt !== going.since;
  const start = async () => {
    // Opened with the press itself, because browsers block a window that opens later.
    const tab = window.open('', '_blank');
    setBusy(true);
    const result = await mutate(client, CreateAuthorizeUrl, { credentialId: id, returnToConsole: true });
    setBusy(false);
    setRefusal(result.refusal?.message);
    if (result.refusal) return tab?.close();
    const url = result.payload['authorizeUrl'] as string;
    if (tab) {
      // The provider gets no handle of this window.
      tab.opener = null;
      tab.location.href = url;
    }
    setGoing({ url, since: updatedAt, isBlocked: !tab });
  };
  return (
    <div className="editor-credential">
      <Button isBusy={isBusy} onPress={() => void start()}>
        {w.signIn}
      </Button>
      <p className="quiet" role="status">
        {isConnected ? w.connected : going ? w.waiting : w.signInHint}
      </p>
      {going && !isConnected && <Waiting read={read} />}
      {going?.isBlocked && !isConnected && (
        <a href={going.url} target="_blank" rel="noreferrer">
          {w.openProvider}
        </a>
      )}
      {refusal !== undefined && (
        <p className="refusal" role="alert">
          {refusal}
        </p>
      )}
    </div>
  );
}

/** Reads the credential until the other tab has connected it. */
function Waiting({ read }: { read: () => void }) {
  usePolled(read, 2_000);
  return null;
}
