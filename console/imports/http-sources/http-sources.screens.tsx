import { importWords as w } from '#console/imports/imports.words.ts';
import * as format from '#console/ui/formats.tsx';
import { column, member, valuesOf } from '#console/ui/screens/columns.ts';
import { detail, list, type Screens } from '#console/ui/screens/screen.ts';
import {
  CreateHttpSource,
  DeleteHttpSource,
  HttpSourcePage,
  HttpSources,
  UpdateHttpSource,
} from './http-sources.documents.ts';

const fields = ['name', 'url', 'headers'];

const sourceList = list('httpSources', HttpSources, {
  columns: [
    column(
      'name',
      format.text((source) => source.name),
      'minmax(128px, 1fr)',
    ),
    column(
      'url',
      format.text((source) => source.url),
      'minmax(160px, 3fr)',
    ),
    column(
      'headers',
      format.text((source) => source.headerNames.join(', ')),
    ),
    member('updatedAt', format.time),
    member('createdAt', format.time),
  ],
  orders: { name: 'NAME', createdAt: 'CREATED_AT' },
  actions: [
    {
      key: 'add',
      label: w.newSource,
      creates: true,
      document: CreateHttpSource,
      form: { fields },
      done: w.added,
      opens: (payload) => ({ noun: 'http-sources', id: (payload['httpSource'] as { id: string }).id }),
    },
  ],
  empty: w.sourcesEmpty,
});

const sourcePage = detail('httpSource', HttpSourcePage, {
  title: (source) => source.name,
  facts: [
    member('url', format.handle),
    column(
      'headers',
      format.text((source) => source.headerNames.join(', ')),
    ),
    member('createdAt', format.exactTime),
    member('updatedAt', format.time),
  ],
  actions: [
    {
      key: 'edit',
      saves: true,
      label: w.editSource,
      document: UpdateHttpSource,
      allowed: (source) => source.viewerCan.update,
      form: { fields, initial: valuesOf('name', 'url') },
      done: w.saved,
    },
    {
      key: 'delete',
      label: w.deleteSource,
      document: DeleteHttpSource,
      allowed: (source) => source.viewerCan.delete,
      confirm: (source) => w.deleteSourceConfirm(source.name),
      isDanger: true,
      done: w.deleted,
    },
  ],
});

export const httpSources: Screens = { list: sourceList, detail: sourcePage };
