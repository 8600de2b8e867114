import { UpsertCostCentre } from '#console/commerce/buyers.documents.ts';
import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import * as format from '#console/ui/formats.tsx';
import { column, member } from '#console/ui/screens/columns.ts';
import { list, type Screens } from '#console/ui/screens/screen.ts';
import { CostCentres } from './cost-centres.documents.ts';

/** A cost centre is a line of its customer's page, which its row opens; the code of one that is there changes it. */
export const costCentres: Screens = {
  list: list('costCentres', CostCentres, {
    columns: [
      column(
        'code',
        format.text((centre) => centre.code),
        'minmax(96px, 1fr)',
      ),
      column(
        'name',
        format.text((centre) => centre.name),
        'minmax(128px, 2fr)',
      ),
      {
        key: 'customer',
        label: w.customer,
        show: format.text((centre) => centre.organization.name),
        width: 'minmax(128px, 2fr)',
      },
      member('budget', format.number, '128px'),
      member('updatedAt', format.time),
    ],
    orders: { code: 'CODE' },
    filters: [{ kind: 'lookup', key: 'customer', member: 'organizationId', noun: 'customers', label: w.customer }],
    actions: [
      {
        key: 'set',
        label: w.setCostCentre,
        document: UpsertCostCentre,
        form: {
          fields: ['organizationId', 'code', 'name', 'budget'],
          lookups: { organizationId: 'customers' },
        },
        done: w.saved,
      },
    ],
    open: ({ organization: { id } }) => ({ noun: 'customers', id }),
    empty: w.costCentresEmpty,
  }),
};
