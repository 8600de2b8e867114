import type { Client } from 'urql';
import type { Entity } from '#console/ui/screens/rows.ts';
import type { AnyDocument, Connection, ListScreen, Screens } from '#console/ui/screens/screen.ts';
import type { ScreensAccess } from '#console/ui/screens/screens-context.ts';
import type { Choice, NounLookup, QueryLookup } from './lookup.ts';

/** How a field finds what it offers. */
export interface Source {
  /** The first choices that contain the text; all where it is empty. */
  search: (text: string) => Promise<readonly Choice[]>;
  /** The choice of a value that is not among those found. */
  open: (value: string) => Promise<Choice | undefined>;
}

const shownChoices = 50;
/** How many rows are read of a list that the server cannot search; the browser filters them. */
const readChoices = 100;

/** True if its name has the text in it, or its id where a reader sees the id. */
export const containsText = ({ id, name, about }: Choice, text: string): boolean =>
  `${name} ${about === id ? id : ''}`.toLowerCase().includes(text.toLowerCase());

const takesSearch = ({ filters }: ListScreen): boolean =>
  filters?.some(({ kind, member, key }) => kind === 'text' && (member ?? key) === 'search') ?? false;

const takesVariable = (document: AnyDocument, name: string): boolean =>
  document.definitions.some(
    (each) =>
      'variableDefinitions' in each && each.variableDefinitions?.some(({ variable }) => variable.name.value === name),
  );

export function querySource(client: Client, { document, choices }: QueryLookup): Source {
  const isSearched = takesVariable(document, 'search');
  const search = async (text: string) => {
    const { data, error } = await client.query(document, isSearched && text !== '' ? { search: text } : {}).toPromise();
    if (error) throw error;
    const found = choices(data as never);
    return isSearched ? found : found.filter((choice) => containsText(choice, text)).slice(0, readChoices);
  };
  return { search, open: async (value) => (await search('')).find(({ id }) => id === value) };
}

export function nounSource(
  client: Client,
  load: ScreensAccess['load'],
  { noun, by, filter: fixed }: NounLookup,
): Source {
  const search = async (text: string) => {
    const screen = (await load(noun))?.list;
    if (!screen) return [];
    const isSearched = takesSearch(screen);
    const filter = { ...fixed, ...(isSearched && text !== '' && { search: text }) };
    const variables = {
      first: isSearched ? shownChoices : readChoices,
      ...(Object.keys(filter).length > 0 && { filter }),
    };
    const { data, error } = await client.query(screen.document, variables).toPromise();
    if (error) throw error;
    const page = (screen.page?.(data as never) ?? data?.[screen.query]) as Connection<Entity> | undefined;
    const found = page?.edges.map(({ node }) => toChoice(screen, node, by)) ?? [];
    return isSearched ? found : found.filter((choice) => containsText(choice, text)).slice(0, shownChoices);
  };
  const open = async (value: string) =>
    by === undefined
      ? openObject(client, (await load(noun)) ?? {}, value)
      : ((await search(value)).find(({ id }) => id === value) ?? { id: value, name: value });
  return { search, open };
}

function toChoice({ columns }: ListScreen, row: Entity, by: string | undefined): Choice {
  const column = columns.find(({ key }) => key === 'name') ?? columns[0];
  const id = by === undefined ? row.id : String((row as unknown as Record<string, unknown>)[by]);
  const name = column?.show.text(row) || id;
  return { id, name, ...(by !== undefined && name !== id && { about: id }) };
}

/** An address may name an object that is not among the first of its list. */
async function openObject(client: Client, screens: Screens, id: string): Promise<Choice | undefined> {
  const detail = screens.detail ?? (await screens.loadDetail?.());
  if (!detail) return undefined;
  const { data } = await client.query(detail.document, detail.variables?.(id) ?? { id }).toPromise();
  const object = data?.[detail.query] as Entity | null | undefined;
  return object ? { id, name: detail.title(object) } : undefined;
}
