import { lazily } from '#console/ui/lazily.tsx';
import { OnDemand } from '#console/ui/on-demand.tsx';
import type { AddressValues } from './filters.ts';
import { viewWords } from './saved-views.words.ts';
import type { ListScreen } from './screen.ts';

export interface SavedViewsProps {
  noun: string;
  screen: ListScreen;
  address: AddressValues;
  setAddress: (changes: AddressValues, replace?: boolean) => void;
  filter: Record<string, unknown> | undefined;
  orderBy: Record<string, unknown> | undefined;
}

const SavedViewsMenu = lazily(() => import('./saved-views-menu.tsx').then(({ SavedViewsMenu }) => SavedViewsMenu));

/** The views of a list that the user or others have saved: their filters and order by name. */
export function SavedViews(props: SavedViewsProps) {
  return (
    <OnDemand className="choices" content={viewWords.views}>
      {(button) => <SavedViewsMenu meanwhile={button} {...props} />}
    </OnDemand>
  );
}
