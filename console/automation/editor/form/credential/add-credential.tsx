import { useState } from 'react';
import { useQuery } from 'urql';
import { addCredential } from '#console/automation/credential-forms/credential-actions.ts';
import { CredentialTypes } from '#console/automation/credential-forms/credentials.documents.ts';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { ActionPanel } from '#console/ui/screens/action-panel.tsx';
import type { Action } from '#console/ui/screens/action.ts';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { fieldCredentialWords as w } from './field-credential.words.ts';

interface Props {
  types: readonly string[];
  /** Called with the id that configs name it by. */
  added: (databaseId: number) => void;
  close: () => void;
}

/** Asks for the fields of a new credential of one of the types, within the form of the node. */
export function AddCredential({ types, added, close }: Props) {
  const [chosen, choose] = useState(types[0]);
  const [{ data, error }, read] = useQuery({ query: CredentialTypes, variables: { first: 100 } });
  if (error && !data) return <LoadFailed error={error} retry={() => read({ requestPolicy: 'network-only' })} />;
  if (!data) return <Skeleton rows={3} />;
  const fitting = data.credentialTypes.edges.map(({ node }) => node).filter(({ slug }) => types.includes(slug));
  const type = fitting.find(({ slug }) => slug === chosen) ?? fitting[0];
  if (!type) return <p className="field-error">{w.empty}</p>;
  const { opens: _, ...add } = addCredential(type);
  const action: Action<null> = {
    ...add,
    done: ({ credential }) => {
      added((credential as { databaseId: number }).databaseId);
      return w.added;
    },
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- Escape closes this form and not the one around it
    <div
      className="editor-add-credential"
      onKeyDown={(event) => (event.key === 'Escape' ? event.stopPropagation() : undefined)}
    >
      {fitting.length > 1 && (
        <label className="field">
          <span className="field-label">{w.chooseType}</span>
          <select className="input" value={type.slug} onChange={(event) => choose(event.target.value)}>
            {fitting.map(({ slug, name }) => (
              <option key={slug} value={slug}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <ActionPanel key={type.slug} action={action} object={null} close={close} />
    </div>
  );
}
