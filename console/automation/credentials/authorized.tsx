import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { CompleteAuthorization } from '#console/automation/credential-forms/credentials.documents.ts';
import { credentialWords as w } from '#console/automation/credential-forms/credentials.words.ts';
import { type MutationRefusal, mutate } from '#console/graph/mutate.ts';
import { toAddressId } from '#console/ui/address-id.ts';
import { notify } from '#console/ui/notices.ts';
import { ListLink } from '#console/ui/object-link.tsx';
import { PageHeading } from '#console/ui/page-heading.tsx';
import type { AddressValues } from '#console/ui/screens/filters.ts';
import { Skeleton } from '#console/ui/skeleton.tsx';

/** Where a provider sends the browser back to: completes the authorisation, then opens the credential or says why it is not connected. */
export function Authorized() {
  const address: AddressValues = useSearch({ strict: false });
  const { tenant = '' } = useParams({ strict: false });
  const client = useClient();
  const navigate = useNavigate();
  const [refusal, setRefusal] = useState<MutationRefusal>();
  const isSent = useRef(false);
  const { oauth_state: state, oauth_iss: iss, oauth_code: code, oauth_error: error } = address;
  useEffect(() => {
    // A state is good once.
    if (isSent.current) return;
    isSent.current = true;
    const outcome = code !== undefined && error === undefined ? { code } : { error: error ?? 'invalid_request' };
    void mutate(client, CompleteAuthorization, { state, iss, outcome }).then(({ payload, refusal: refused }) => {
      if (refused) return setRefusal(refused);
      notify({ kind: 'done', text: w.connected });
      const id = toAddressId(payload['credentialId'] as string);
      void navigate({ to: '/t/$tenant/$noun/$id', params: { tenant, noun: 'credentials', id }, replace: true });
    });
  }, [client, navigate, tenant, state, iss, code, error]);
  if (!refusal) return <Skeleton rows={6} />;
  return (
    <div className="failed-box" role="alert">
      <PageHeading text={w.notConnected} />
      <p>
        {error === undefined ? (refusal.code === 'BAD_REQUEST' ? w.linkOver : refusal.message) : w.refusedWith(error)}
      </p>
      <ListLink noun="credentials">{w.toCredentials}</ListLink>
    </div>
  );
}
