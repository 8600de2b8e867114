import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { column, member, valuesOf } from '#console/ui/screens/columns.ts';
import { type Column, detail, list, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import {
  AttributePage,
  Attributes,
  CreateAttribute,
  DeleteAttribute,
  UpdateAttribute,
} from './attributes.documents.ts';

const shared: Column<RowOf<ResultOf<typeof Attributes>, 'attributes'>>[] = [
  { ...member('target', format.word, '112px'), label: w.attributeTarget },
  member('type', format.word, '112px'),
  member('required', format.flag, '96px'),
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
    member('updatedAt', format.time),
  ],
  actions: [
    {
      key: 'create',
      label: w.newAttribute,
      creates: true,
      document: CreateAttribute,
      form: {
        fields: ['target', 'code', 'label', 'type', 'options', 'required'],
        asked: () => ({ target: { label: w.attributeTarget } }),
      },
      done: w.attributeCreated,
    },
  ],
  empty: w.attributesEmpty,
});

const attributePage = detail('node', AttributePage, {
  title: (attribute) => attribute.label,
  facts: [
    member('code', format.handle),
    ...shared,
    member('createdAt', format.exactTime),
    member('updatedAt', format.exactTime),
  ],
  actions: [
    {
      key: 'edit',
      saves: true,
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
