import { useState } from 'react';
import { useClient, useQuery } from 'urql';
import { describeTest } from '#console/automation/credential-forms/credential-actions.ts';
import {
  type CredentialFacts,
  CredentialPage,
  TestCredential,
} from '#console/automation/credential-forms/credentials.documents.ts';
import { credentialWords } from '#console/automation/credential-forms/credentials.words.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { mutate } from '#console/graph/mutate.ts';
import { Button } from '#console/ui/button.tsx';
import { enumWord } from '#console/words/enums.ts';
import { fieldCredentialWords as w } from './field-credential.words.ts';
import { SignIn } from './sign-in.tsx';

/** The state of the credential that a node uses: it is tested and connected here. */
export function ChosenCredential({ id, isDisabled }: { id: string; isDisabled: boolean }) {
  const [{ data }, read] = useQuery({ query: CredentialPage, variables: { id }, requestPolicy: 'network-only' });
  const credential = data?.credential;
  if (!credential) return null;
  const { status, viewerCan } = credential;
  return (
    <div className="editor-credential">
      {status !== 'ACTIVE' && <p>{w.state(enumWord(status))}</p>}
      {!isDisabled && credential.isAuthorizedByUser && viewerCan.authorize && (
        <SignIn credential={credential} read={() => read({ requestPolicy: 'network-only' })} />
      )}
      {!isDisabled && viewerCan.test && <Test credential={credential} />}
    </div>
  );
}

/** Tests a credential, and says what came of it beside the button. */
function Test({ credential: { id } }: { credential: ResultOf<typeof CredentialFacts> }) {
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState<{ isFailed: boolean; text: string }>();
  const test = async () => {
    setBusy(true);
    const { payload, refusal } = await mutate(client, TestCredential, { id });
    setBusy(false);
    const tested = payload ?? { outcome: 'FAILED', message: refusal?.message };
    setSaid({ isFailed: tested['outcome'] === 'FAILED', text: describeTest(tested) });
  };
  return (
    <>
      <Button isBusy={isBusy} onPress={() => void test()}>
        {credentialWords.test}
      </Button>
      <p className={said?.isFailed ? 'field-error' : 'quiet'} role="status">
        {said?.text}
      </p>
    </>
  );
}
