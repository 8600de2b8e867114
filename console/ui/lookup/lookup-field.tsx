import { useContext, useEffect, useState } from 'react';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { useClient } from 'urql';
import { common } from '#console/words/common.words.ts';
import type { Entity } from './screens/rows.ts';
import type { Connection, Screens } from './screens/screen.ts';
import { ScreensContext } from './screens/screens-context.ts';

interface Props {
  label: string;
  noun: string;
  /** The global id. */
  value: string | null;
  set: (id: string | null) => void;
  autoFocus?: boolean;
  /** Shown while it is empty; left out: its label, for where that is not shown. */
  placeholder?: string;
}

interface Choice {
  id: string;
  name: string;
}

const shownChoices = 50;

/** A field that looks up an object of a noun by its name, as the noun's own list finds and names it. */
export function LookupField({ label, noun, value, set, autoFocus = false, placeholder = label }: Props) {
  const client = useClient();
  const { load } = useContext(ScreensContext);
  const [screens, setScreens] = useState<Screens>({});
  const { list: screen } = screens;
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const [typed, setTyped] = useState('');
  const [opened, setOpened] = useState<Choice>();
  useEffect(() => void load(noun).then((screens) => setScreens(screens ?? {})), [load, noun]);
  const found = choices.find(({ id }) => id === value);
  const chosen = found ?? (opened?.id === value ? opened : undefined);
  useEffect(() => {
    if (!screen) return undefined;
    let isCurrent = true;
    const searches = screen.filters?.some(({ kind, member, key }) => kind === 'text' && (member ?? key) === 'search');
    const filter = searches && typed !== '' && typed !== chosen?.name ? { filter: { search: typed } } : {};
    void client
      .query(screen.document, { first: shownChoices, ...filter })
      .toPromise()
      .then(({ data }) => {
        const page = data && ((screen.page?.(data as never) ?? data[screen.query]) as Connection<Entity>);
        const name = screen.columns.find(({ key }) => key === 'name') ?? screen.columns[0];
        if (isCurrent && page && name)
          setChoices(page.edges.map(({ node }) => ({ id: node.id, name: name.show.text(node) })));
      });
    return () => {
      isCurrent = false;
    };
  }, [client, screen, typed, chosen?.name]);
  // An address may name an object that is not among the first of the list.
  const isUnknown = value !== null && chosen === undefined;
  useEffect(() => {
    if (!isUnknown) return undefined;
    let isCurrent = true;
    const open = async () => {
      const detail = screens.detail ?? (await screens.loadDetail?.());
      if (!detail) return;
      const variables = detail.variables?.(value) ?? { id: value };
      const { data } = await client.query(detail.document, variables).toPromise();
      const object = data?.[detail.query] as Entity | null | undefined;
      if (isCurrent && object) setOpened({ id: value, name: detail.title(object) });
    };
    // Without its code the field shows no name, as before it has loaded.
    void open().catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [client, screens, value, isUnknown]);
  return (
    <ComboBox
      className="lookup"
      selectedKey={value}
      onSelectionChange={(key) => set(key === null ? null : String(key))}
      inputValue={typed || (chosen?.name ?? '')}
      onInputChange={(text) => {
        setTyped(text);
        if (text === '') set(null);
      }}
      items={chosen && !found ? [chosen, ...choices] : choices}
      menuTrigger="focus"
      allowsEmptyCollection
    >
      <Label>{label}</Label>
      <Input className="input" placeholder={placeholder} autoFocus={autoFocus} />
      <Popover className="popover">
        <ListBox className="menu" renderEmptyState={() => <p className="quiet">{common.noMatch}</p>}>
          {(choice: Choice) => (
            <ListBoxItem id={choice.id} className="menu-item" textValue={choice.name}>
              {choice.name}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
