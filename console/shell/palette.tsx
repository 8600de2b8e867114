import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components';
import { useQuery } from 'urql';
import { Viewer } from '#console/graph/viewer.documents.ts';
import { toAddressId } from '#console/ui/address-id.ts';
import { readCommands } from '#console/ui/commands.ts';
import { enumWord } from '#console/words/enums.ts';
import { nouns } from './nouns.ts';
import { nounTitle } from './nouns.words.ts';
import { Search } from './palette.documents.ts';
import { paletteWords } from './palette.words.ts';
import { isOffered } from './readers.ts';
import { shellWords } from './shell.words.ts';
import { useReader } from './use-reader.ts';
import { isNewWorkflow, readWanted } from './workflow-commands.ts';

/** Where objects that the search finds are shown. */
const nounOfKind: Readonly<Record<string, string>> = {
  RUN: 'runs',
  ORDER: 'orders',
  WORKFLOW: 'workflows',
  TRIGGER: 'triggers',
  PRODUCT: 'products',
  CUSTOMER: 'customers',
  API_KEY: 'api-keys',
};

const typingPauseMs = 120;

/** Opens pages and objects, and does what the open page can do, by a few letters. */
export function Palette({
  tenant,
  typed,
  setTyped,
  close,
}: {
  tenant: string;
  typed: string;
  setTyped: (typed: string) => void;
  close: () => void;
}) {
  const navigate = useNavigate();
  const reader = useReader();
  const [text, setText] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setText(readWanted(typed).text), typingPauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const [{ data: viewer }] = useQuery({ query: Viewer });
  const [{ data }] = useQuery({ query: Search, variables: { text }, pause: text.length < 2 });
  const found = text.length < 2 ? [] : (data?.search.results ?? []);
  const { isEditor } = readWanted(typed);
  const editable = found.flatMap(({ kind, title }, index) => (kind === 'WORKFLOW' ? [{ title, index }] : []));
  const shown = isEditor ? [] : found;
  const mayCreate = viewer?.me.context.mutations.includes('createWorkflow') ?? false;
  const wanted = typed.trim().toLowerCase();
  const pages = nouns
    .filter((noun) => !noun.partOf && isOffered(noun, reader) && nounTitle(noun.noun).toLowerCase().includes(wanted))
    .slice(0, wanted === '' ? 50 : 8);
  const [commands] = useState(readCommands);
  const doable = wanted === '' ? commands : commands.filter(({ label }) => label.toLowerCase().includes(wanted));
  const openNoun = (noun: string) => void navigate({ to: '/t/$tenant/$noun', params: { tenant, noun } });
  const openFound = (index: number, as?: string) => {
    const result = found[index];
    const noun = result && (as ?? nounOfKind[result.kind]);
    if (noun) void navigate({ to: '/t/$tenant/$noun/$id', params: { tenant, noun, id: toAddressId(result.nodeId) } });
  };
  const act = (key: string) => {
    close();
    const [kind, value = ''] = key.split(':');
    if (kind === 'page') openNoun(value);
    else if (kind === 'do') commands.find((command) => command.key === value)?.run();
    else if (kind === 'edit') openFound(Number(value), 'editor');
    else if (kind === 'new')
      void navigate({ to: '/t/$tenant/$noun', params: { tenant, noun: 'workflows' }, search: { do: 'add' } });
    else openFound(Number(value));
  };
  const isNew = mayCreate && isNewWorkflow(typed) && !doable.some(({ label }) => label === paletteWords.newWorkflow);
  const [first] = [
    ...shown.map((_, index) => `found:${index}`),
    ...(isEditor ? editable.map(({ index }) => `edit:${index}`) : []),
    ...doable.map(({ key }) => `do:${key}`),
    ...pages.map(({ noun }) => `page:${noun}`),
    ...(isNew ? ['new:workflow'] : []),
  ];
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={(isOpen) => !isOpen && close()}>
      <Modal className="palette">
        <Dialog aria-label={shellWords.palette}>
          <Autocomplete inputValue={typed} onInputChange={setTyped}>
            <SearchField
              aria-label={shellWords.palette}
              autoFocus
              onKeyDown={(event) => {
                // No item is chosen for what was typed before the menu was there.
                const isChosen = (event.target as Element).hasAttribute('aria-activedescendant');
                if (event.key === 'Enter' && !isChosen && first !== undefined) act(first);
                else event.continuePropagation();
              }}
            >
              <Input className="input palette-input" placeholder={shellWords.paletteHint} maxLength={191} />
            </SearchField>
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard, and the focus of its items is the input's */}
            <div className="palette-results" tabIndex={0} role="group" aria-label={paletteWords.results}>
              <Menu
                className="palette-menu"
                onAction={(key) => act(String(key))}
                renderEmptyState={() => <p className="menu-header">{paletteWords.nothingFound}</p>}
              >
                {shown.length > 0 && (
                  <MenuSection>
                    <Header className="menu-header">{paletteWords.found}</Header>
                    {shown.map(({ nodeId, kind, title, subtitle }, index) => (
                      <MenuItem key={nodeId} id={`found:${index}`} className="menu-item" textValue={title}>
                        <span className="palette-kind">{enumWord(kind)}</span>
                        <span dir="auto">{title}</span>
                        <span className="quiet" dir="auto">
                          {subtitle}
                        </span>
                      </MenuItem>
                    ))}
                  </MenuSection>
                )}
                {editable.length + Number(isNew) > 0 && (
                  <MenuSection>
                    <Header className="menu-header">{nounTitle('workflows')}</Header>
                    {editable.map(({ title, index }) => (
                      <MenuItem key={index} id={`edit:${index}`} className="menu-item">
                        {paletteWords.openEditor(title)}
                      </MenuItem>
                    ))}
                    {isNew && (
                      <MenuItem id="new:workflow" className="menu-item">
                        {paletteWords.newWorkflow}
                      </MenuItem>
                    )}
                  </MenuSection>
                )}
                {doable.length > 0 && (
                  <MenuSection>
                    <Header className="menu-header">{paletteWords.onThisPage}</Header>
                    {doable.map(({ key, label }) => (
                      <MenuItem key={key} id={`do:${key}`} className="menu-item">
                        {label}
                      </MenuItem>
                    ))}
                  </MenuSection>
                )}
                {pages.length > 0 && (
                  <MenuSection>
                    <Header className="menu-header">{paletteWords.goTo}</Header>
                    {pages.map(({ noun }) => (
                      <MenuItem key={noun} id={`page:${noun}`} className="menu-item">
                        {nounTitle(noun)}
                      </MenuItem>
                    ))}
                  </MenuSection>
                )}
              </Menu>
            </div>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
