import { extensionColumns, extensionFilters } from '#console/themes/extension-columns.ts';
import { list, type Screens } from '#console/ui/screens/screen.ts';
import { AllExtensions } from './extension-reviews.documents.ts';
import { reviewWords as w } from './extension-reviews.words.ts';
import { Waiting } from './waiting.tsx';

/** The versions of every tenant, for operators, who publish them. */
const reviewList = list('allExtensions', AllExtensions, {
  columns: extensionColumns,
  filters: extensionFilters,
  summary: () => <Waiting />,
  open: ({ id }) => ({ noun: 'extensions', id }),
  empty: w.empty,
});

export const extensionReviews: Screens = { list: reviewList };
