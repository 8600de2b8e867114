import { useState } from 'react';
import { useQuery } from 'urql';
import { CredentialPage } from '#console/automation/credential-forms/credentials.documents.ts';
import { Button } from '#console/ui/button.tsx';
import { common } from '#console/words/common.words.ts';
import { AddCredential } from './add-credential.tsx';
import { ChosenCredential } from './chosen-credential.tsx';
import { fieldCredentialWords as w } from './field-credential.words.ts';
import { useCredentials } from './use-credentials.ts';

interface Props {
  id: string;
  types: readonly string[];
  value: unknown;
  set: (value: unknown) => void;
  isDisabled: boolean;
}

/** The tenant's credentials of the types that the field takes; one can be added, tested and connected here. */
export function CredentialControl({ id, types, value, set, isDisabled }: Props) {
  const { answer, read } = useCredentials(types);
  const [isAdding, setAdding] = useState(false);
  const { credentials = [], refusal } = answer ?? {};
  const held = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  const chosen = credentials.find(({ databaseId }) => String(databaseId) === held);
  const isMissing = answer !== undefined && refusal === undefined && held !== '' && !chosen;
  return (
    <>
      <select
        id={id}
        className="input"
        disabled={isDisabled}
        value={held}
        onChange={(event) => set(event.target.value === '' ? undefined : Number(event.target.value))}
      >
        <option value="">{answer && credentials.length === 0 ? w.empty : w.none}</option>
        {!chosen && held !== '' && <option value={held}>{w.numbered(held)}</option>}
        {credentials.map(({ databaseId, name }) => (
          <option key={String(databaseId)} value={String(databaseId)}>
            {name}
          </option>
        ))}
      </select>
      {refusal !== undefined && (
        <p className="field-error">
          {w.notRead(refusal)} <Button onPress={read}>{common.tryAgain}</Button>
        </p>
      )}
      {isMissing && <MissingCredential id={held} />}
      {chosen && <ChosenCredential key={chosen.id} id={chosen.id} isDisabled={isDisabled} />}
      {!isAdding && (
        <Button isDisabled={isDisabled} onPress={() => setAdding(true)}>
          {w.add}
        </Button>
      )}
      {isAdding && (
        <AddCredential
          types={types}
          added={(databaseId) => {
            set(databaseId);
            read();
          }}
          close={() => setAdding(false)}
        />
      )}
    </>
  );
}

/** Says why a credential is not among those that fit. */
function MissingCredential({ id }: { id: string }) {
  const [{ data, fetching }] = useQuery({ query: CredentialPage, variables: { id }, requestPolicy: 'network-only' });
  if (fetching) return null;
  const credential = data?.credential;
  return (
    <p className="field-error">
      {credential ? w.otherType(credential.name, credential.type?.name ?? credential.credentialTypeSlug) : w.gone}
    </p>
  );
}
