import { CustomerFigures } from '#console/commerce/buyers.documents.ts';
import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import { figures } from '#console/commerce/figures.ts';
import * as format from '#console/ui/formats.tsx';
import { column } from '#console/ui/screens/columns.ts';
import { list, type Screens } from '#console/ui/screens/screen.ts';

export const customerFigures: Screens = {
  list: list('organizationMetrics', CustomerFigures, {
    columns: [
      column(
        'name',
        format.text((row) => row.organization.name),
        'minmax(128px, 2fr)',
      ),
      ...figures,
      column(
        'customerNumber',
        format.text((row) => row.customerNumber),
        'minmax(96px, 1fr)',
      ),
    ],
    filters: [{ kind: 'lookup', key: 'customer', member: 'organizationId', noun: 'customers', label: w.customer }],
    open: ({ organization: { id } }) => ({ noun: 'customers', id }),
    empty: w.figuresEmpty,
  }),
};
