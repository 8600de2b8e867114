import { useNavigate } from '@tanstack/react-router';
import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger } from 'react-aria-components';
import { notify } from '#console/ui/notices.ts';
import { Popover } from '#console/ui/popover.tsx';
import { languages, language, type Language, setLanguage } from '#console/words/language.ts';
import { type AccountProps, userName } from './account.ts';
import { paletteWords } from './palette.words.ts';
import { useSession } from './session-context.ts';
import { shellWords } from './shell.words.ts';

/** Who is signed in, the documentation of this page, the language, and the way out. */
export function AccountList({ me, docs }: AccountProps) {
  const navigate = useNavigate();
  const session = useSession();
  const name = userName(me);
  const act = (key: string) => {
    if (key === 'sign-out') void session.signOut();
    else if (key === 'docs') void navigate({ to: '/docs/$page', params: { page: docs ?? 'console' } });
    else if (key !== language && !setLanguage(key as Language))
      notify({ kind: 'failed', text: paletteWords.languageNotKept });
  };
  return (
    <MenuTrigger defaultOpen>
      <Button className="choices" aria-label={`${shellWords.account}: ${name}`}>
        {name}
      </Button>
      <Popover placement="bottom end">
        <Menu className="menu" aria-label={shellWords.account} onAction={(key) => act(String(key))}>
          <MenuSection>
            <Header className="menu-header">{shellWords.roles(me.context.roles.join(', '))}</Header>
            <MenuItem id="docs" className="menu-item">
              {shellWords.docs}
            </MenuItem>
          </MenuSection>
          <MenuSection>
            <Header className="menu-header">{shellWords.language}</Header>
            {Object.entries(languages).map(([key, label]) => (
              <MenuItem key={key} id={key} className="menu-item">
                <span lang={key}>{label}</span>
                {key === language && ' ✓'}
              </MenuItem>
            ))}
          </MenuSection>
          <MenuItem id="sign-out" className="menu-item menu-do">
            {shellWords.signOut}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
