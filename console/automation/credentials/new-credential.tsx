import { useNavigate, useSearch } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { addCredential } from '#console/automation/credential-forms/credential-actions.ts';
import {
  type CredentialTypeFacts,
  CredentialTypes,
} from '#console/automation/credential-forms/credentials.documents.ts';
import { credentialWords as w } from '#console/automation/credential-forms/credentials.words.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { HelpText } from '#console/ui/help-text.tsx';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { ActionPanel } from '#console/ui/screens/action-panel.tsx';
import type { AddressValues } from '#console/ui/screens/filters.ts';
import { Skeleton } from '#console/ui/skeleton.tsx';

/** Chooses the type of a new credential, then asks for its fields. The address holds the type. */
export function NewCredential() {
  const { type: chosen }: AddressValues = useSearch({ strict: false });
  const navigate = useNavigate();
  const [{ data, error }, read] = useQuery({ query: CredentialTypes, variables: { first: 100 } });
  if (error && !data) return <LoadFailed error={error} retry={() => read({ requestPolicy: 'network-only' })} />;
  if (!data) return <Skeleton rows={6} />;
  const types = data.credentialTypes.edges.map(({ node }) => node);
  const type = types.find(({ slug }) => slug === chosen);
  const choose = (slug: string | undefined) => void navigate({ to: '.', search: () => ({ type: slug }) });
  return (
    <div className="detail-page">
      <header className="page-head">
        <div className="page-title">
          <PageHeading text={w.chooseType} />
        </div>
      </header>
      <div className="with-panel">
        <ul className="choice-list">
          {types.map((choice) => (
            <TypeChoice key={choice.id} type={choice} isChosen={choice === type} />
          ))}
        </ul>
        {type && (
          <ActionPanel key={type.slug} action={addCredential(type)} object={null} close={() => choose(undefined)} />
        )}
      </div>
    </div>
  );
}

function TypeChoice({ type, isChosen }: { type: ResultOf<typeof CredentialTypeFacts>; isChosen: boolean }) {
  return (
    <li aria-current={isChosen || undefined}>
      <ObjectLink noun="credentials" id="new" search={{ type: type.slug }}>
        {type.name}
      </ObjectLink>{' '}
      <span className="quiet">{type.slug}</span>
      <p className="quiet">
        <HelpText text={type.description ?? ''} />
      </p>
    </li>
  );
}
