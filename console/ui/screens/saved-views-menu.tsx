import { useState } from 'react';
import { Button as Trigger, Menu, MenuItem, MenuTrigger } from 'react-aria-components';
import { useClient, useQuery } from 'urql';
import { mutate, type MutationDocument } from '#console/graph/mutate.ts';
import { notify } from '#console/ui/notices.ts';
import { Popover } from '#console/ui/popover.tsx';
import { CreateView, DeleteView, Views } from './saved-views.documents.ts';
import type { SavedViewsProps } from './saved-views.tsx';
import { viewWords } from './saved-views.words.ts';

/** The member of `columns` that keeps the address of a view, such as `?status=FAILED`. */
const addressOf = (columns: readonly string[]): string | undefined => columns.find((text) => text.startsWith('?'));

/** The views of a list that the user or others have saved: their filters and order by name. */
export function SavedViewsMenu({ screen, address, setAddress, filter, orderBy }: SavedViewsProps) {
  const client = useClient();
  const [isOpen, setOpen] = useState(true);
  const [{ data }, reload] = useQuery({ query: Views, variables: { list: screen.query }, pause: !isOpen });
  const views = data?.savedViews.edges.map(({ node }) => node) ?? [];
  const current = new URLSearchParams(
    Object.entries(address).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== 'do',
    ),
  );
  const show = (columns: readonly string[]) => {
    const cleared = Object.fromEntries(Object.keys(address).map((key) => [key, undefined]));
    setAddress({ ...cleared, ...Object.fromEntries(new URLSearchParams(addressOf(columns) ?? '')) }, false);
  };
  const run = async (document: MutationDocument, input: Record<string, unknown>, done: string) => {
    const { refusal } = await mutate(client, document, input);
    notify(refusal ? { kind: 'failed', text: refusal.message } : { kind: 'done', text: done });
    reload({ requestPolicy: 'network-only' });
  };
  const save = () => {
    // oxlint-disable-next-line eslint/no-alert -- one short text, asked for where the reader is
    const name = prompt(viewWords.askName);
    if (name)
      void run(
        CreateView,
        { list: screen.query, name, filter: filter ?? {}, orderBy, columns: [`?${current}`], shared: false },
        viewWords.saved,
      );
  };
  return (
    <MenuTrigger defaultOpen onOpenChange={setOpen}>
      <Trigger className="choices">{viewWords.views}</Trigger>
      <Popover placement="bottom start">
        <Menu
          className="menu"
          aria-label={viewWords.views}
          renderEmptyState={() => <p className="menu-header">{data ? viewWords.none : viewWords.loading}</p>}
        >
          {views.map(({ id, name, owner, isOwn, columns }) => (
            <MenuItem key={id} id={id} className="menu-item" textValue={name} onAction={() => show(columns)}>
              {name}
              {!isOwn && <span className="quiet"> {owner}</span>}
            </MenuItem>
          ))}
          {current.size > 0 ? (
            <MenuItem id="save" className="menu-item menu-do" onAction={save}>
              {viewWords.save}
            </MenuItem>
          ) : null}
          {views
            .filter(({ isOwn, columns }) => isOwn && addressOf(columns) === `?${current}`)
            .map(({ id, name }) => (
              <MenuItem
                key={`delete-${id}`}
                className="menu-item menu-do"
                onAction={() => void run(DeleteView, { id }, viewWords.deleted)}
              >
                {viewWords.remove(name)}
              </MenuItem>
            ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
