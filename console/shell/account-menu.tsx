import { lazily } from '#console/ui/lazily.tsx';
import { OnDemand } from '#console/ui/on-demand.tsx';
import { type AccountProps, userName } from './account.ts';
import { shellWords } from './shell.words.ts';

const AccountList = lazily(() => import('./account-list.tsx').then(({ AccountList }) => AccountList));

/** Who is signed in, and what belongs to them. */
export function AccountMenu(props: AccountProps) {
  const name = userName(props.me);
  return (
    <OnDemand className="choices" label={`${shellWords.account}: ${name}`} content={name}>
      {(button) => <AccountList meanwhile={button} {...props} />}
    </OnDemand>
  );
}
