import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { column, valuesOf } from '#console/ui/screens/columns.ts';
import { type Column, detail, list, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import {
  AttributePage,
  Attributes,
  CreateAttribute,
  DeleteAttribute,
  UpdateAttribute,
} from './attributes.documents.ts';

const shared: Column<RowOf<ResultOf<typeof Attributes>, 'attributes'>>[] = [
  column(
    'target',
    format.word((attribute) => attribute.target),
    '112px',
  ),
  column(
    'type',
    format.word((attribute) => attribute.type),
    '112px',
  ),
  column(
    'required',
    format.flag((attribute) => attribute.required),
    '96px',
  ),
  column(
    'options',
    format.text((attribute) => attribute.options.join(', ')),
    'minmax(128px, 2fr)',
  ),
];

const attributeList = list('attributes', Attributes, {
  columns: [
    column(
      'code',
      format.text((attribute) => attribute.code),
      'minmax(112px, 1fr)',
    ),
    column(
      'label',
      format.text((attribute) => attribute.label),
      'minmax(128px, 2fr)',
    ),
    ...shared,
    column(
      'updatedAt',
      format.time((attribute) => attribute.updatedAt),
    ),
  ],
  actions: [
    {
      key: 'create',
      label: w.newAttribute,
      document: CreateAttribute,
      form: { fields: ['target', 'code', 'label', 'type', 'options', 'required'] },
      done: w.attributeCreated,
    },
  ],
  empty: w.attributesEmpty,
});

const attributePage = detail('node', AttributePage, {
  title: (attribute) => attribute.label,
  facts: [
    column(
      'code',
      format.handle((attribute) => attribute.code),
    ),
    ...shared,
    column(
      'createdAt',
      format.exactTime((attribute) => attribute.createdAt),
    ),
    column(
      'updatedAt',
      format.exactTime((attribute) => attribute.updatedAt),
    ),
  ],
  actions: [
    {
      key: 'edit',
      label: w.edit,
      document: UpdateAttribute,
      allowed: (attribute) => attribute.viewerCan.update,
      form: { fields: ['label', 'options', 'required'], initial: valuesOf('label', 'options', 'required') },
      done: w.saved,
    },
    {
      key: 'delete',
      label: w.deleteAttribute,
      document: DeleteAttribute,
      allowed: (attribute) => attribute.viewerCan.delete,
      confirm: (attribute) => w.deleteAttributeConfirm(attribute.code),
      isDanger: true,
      done: w.deleted,
    },
  ],
});

export const attributes: Screens = { list: attributeList, detail: attributePage };
