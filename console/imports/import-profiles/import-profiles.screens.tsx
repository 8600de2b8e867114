import { encodings } from '#console/imports/encodings.ts';
import {
  CreateImportProfile,
  DeleteImportProfile,
  ImportProfilePage,
  ImportProfiles,
  UpdateImportProfile,
} from '#console/imports/import-profiles.documents.ts';
import { importWords as w } from '#console/imports/imports.words.ts';
import { signName } from '#console/imports/signs.words.ts';
import { importTargets, targetName } from '#console/imports/targets.words.ts';
import * as format from '#console/ui/formats.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { column, member, valuesOf } from '#console/ui/screens/columns.ts';
import { detail, list, type Screens } from '#console/ui/screens/screen.ts';

const members = [
  'name',
  'target',
  'format',
  'delimiter',
  'encoding',
  'decimalSeparator',
  'header',
  'skipLines',
  'quote',
  'sheet',
  'recordPath',
  'namespaces',
  'mapping',
  'mode',
  'absent',
  'quantityBasis',
  'maxRejected',
  'asOf',
] as const;

const options =
  (values: readonly string[], nameOf = (value: string) => value) =>
  () =>
    values.map((value) => ({ value, label: nameOf(value) }));
const choices = {
  target: () => importTargets,
  encoding: options(encodings),
  decimalSeparator: options(['.', ','], signName),
};

const profileList = list('importProfiles', ImportProfiles, {
  columns: [
    column(
      'name',
      format.text((profile) => profile.name),
      'minmax(160px, 3fr)',
    ),
    column(
      'target',
      format.text((profile) => targetName(profile.target)),
    ),
    member('format', format.word, '96px'),
    member('encoding', format.text),
    member('mode', format.word, '112px'),
    member('createdAt', format.time),
    member('updatedAt', format.time),
  ],
  orders: { name: 'NAME', createdAt: 'CREATED_AT' },
  actions: [
    {
      key: 'add',
      label: w.newProfile,
      creates: true,
      document: CreateImportProfile,
      form: { fields: members, choices, initial: () => ({ header: true }) },
      done: w.added,
      opens: (payload) => ({ noun: 'import-profiles', id: (payload['importProfile'] as { id: string }).id }),
    },
  ],
  empty: w.profilesEmpty,
});

const profilePage = detail('importProfile', ImportProfilePage, {
  title: (profile) => profile.name,
  facts: [
    column(
      'target',
      format.text((profile) => targetName(profile.target)),
    ),
    member('format', format.word),
    column(
      'delimiter',
      format.text(({ delimiter }) => delimiter && signName(delimiter)),
    ),
    member('encoding', format.text),
    column(
      'decimalSeparator',
      format.text(({ decimalSeparator }) => decimalSeparator && signName(decimalSeparator)),
    ),
    member('header', format.flag),
    member('skipLines', format.number),
    column(
      'quote',
      format.text(({ quote }) => quote && signName(quote)),
    ),
    member('sheet', format.text),
    member('recordPath', format.text),
    member('mode', format.word),
    member('absent', format.word),
    member('quantityBasis', format.word),
    member('maxRejected', format.text),
    member('asOf', format.exactTime),
    member('updatedAt', format.time),
  ],
  sections: [
    {
      key: 'mapping',
      title: w.mapping,
      when: (profile) => profile.mapping !== null,
      draw: (profile) => <JsonTree value={profile.mapping} />,
    },
  ],
  actions: [
    {
      key: 'edit',
      saves: true,
      label: w.editProfile,
      document: UpdateImportProfile,
      allowed: (profile) => profile.viewerCan.update,
      form: { fields: members, choices, initial: valuesOf(...members) },
      done: w.saved,
    },
    {
      key: 'delete',
      label: w.deleteProfile,
      document: DeleteImportProfile,
      allowed: (profile) => profile.viewerCan.delete,
      confirm: (profile) => w.deleteProfileConfirm(profile.name),
      isDanger: true,
      done: w.deleted,
    },
  ],
});

export const importProfiles: Screens = { list: profileList, detail: profilePage };
