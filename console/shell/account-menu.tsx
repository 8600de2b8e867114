import { lazy } from 'react';
import type { DocsPageName } from '#console/docs/pages.ts';
import { OnDemand } from '#console/ui/on-demand.tsx';
import { shellWords } from './shell.words.ts';
import type { Me } from './viewer.documents.ts';

const AccountList = lazy(() => import('./account-list.tsx').then(({ AccountList }) => ({ default: AccountList })));

export interface AccountProps {
  me: Me;
  /** The page of the documentation about what is shown. */
  docs: DocsPageName | undefined;
}

/** How the user is called: by name, else by address, else as the identity provider does. */
export const userName = ({ user }: Me): string => user.name ?? user.email ?? user.idpId;

/** Who is signed in, and what belongs to them. */
export function AccountMenu(props: AccountProps) {
  const name = userName(props.me);
  return (
    <OnDemand className="choices" label={`${shellWords.account}: ${name}`} content={name}>
      {() => <AccountList {...props} />}
    </OnDemand>
  );
}
