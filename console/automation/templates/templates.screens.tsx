import type { ResultOf } from '#console/graph/graphql.ts';
import type { FormMember } from '#console/ui/form/field-props.ts';
import * as format from '#console/ui/formats.tsx';
import { type Column, detail, list, type Screens } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { TemplateContents } from './template-contents.tsx';
import { InstantiateTemplate, TemplatePage, Templates } from './templates.documents.ts';
import { templateWords as w } from './templates.words.ts';

type Template = NonNullable<ResultOf<typeof TemplatePage>['template']>;

const templateList = list('templates', Templates, {
  columns: [
    { key: 'name', label: w.name, show: format.text((template) => template.name), width: 'minmax(160px, 2fr)' },
    {
      key: 'description',
      label: w.description,
      show: format.text((template) => template.description),
      width: 'minmax(160px, 4fr)',
    },
    {
      key: 'package',
      label: w.package,
      show: format.text((template) => template.package.label),
      width: 'minmax(112px, 1fr)',
    },
    { key: 'version', label: w.version, show: format.text((template) => template.version), width: '88px' },
  ],
  filters: [{ kind: 'text', key: 'q', member: 'search', label: w.search }],
  open: ({ slug }) => ({ noun: 'templates', id: slug }),
  empty: w.empty,
});

const placeholderColumns: readonly Column<Template['placeholders'][number]>[] = [
  { key: 'key', label: w.key, show: format.handle((placeholder) => placeholder.key) },
  { key: 'label', label: w.label, show: format.text((placeholder) => placeholder.label) },
  { key: 'kind', label: w.kind, show: format.word((placeholder) => placeholder.kind) },
  { key: 'required', label: w.required, show: format.flag((placeholder) => placeholder.required) },
  {
    key: 'default',
    label: w.default,
    show: format.text(({ default: value }) => (value === null ? '' : JSON.stringify(value))),
  },
  {
    key: 'types',
    label: w.credentialTypes,
    show: format.text((placeholder) => placeholder.credentialTypes.join(', ')),
  },
  { key: 'help', label: w.help, show: format.text((placeholder) => placeholder.help) },
];

/** The members to fill in: defaults, and empty texts for those that are required. */
const valuesOf = ({ placeholders }: Template) =>
  Object.fromEntries(
    placeholders
      .filter(({ kind, required, default: value }) => kind !== 'CREDENTIAL' && (required || value !== null))
      .map(({ key, default: value }) => [key, value ?? '']),
  );

/** A credential is chosen from those of the types that fit. */
const credentialMembers = ({ placeholders }: Template): readonly FormMember[] =>
  placeholders
    .filter(({ kind }) => kind === 'CREDENTIAL')
    .map(({ key, label, required, credentialTypes: [type, ...others] }) => ({
      name: key,
      label,
      type: 'ID',
      ...(required && { isRequired: true }),
      lookup: { noun: 'credentials', ...(type !== undefined && others.length === 0 && { filter: { type } }) },
    }));

const templatePage = detail('template', TemplatePage, {
  variables: (id) => ({ slug: id.replaceAll('=', '') }),
  title: (template) => template.name,
  facts: [
    { key: 'description', label: w.description, show: format.text((template) => template.description) },
    {
      key: 'package',
      label: w.package,
      show: format.text(({ package: { label, version } }) => `${label} ${version}`),
    },
    { key: 'slug', label: w.slug, show: format.handle((template) => template.slug) },
    { key: 'version', label: w.version, show: format.text((template) => template.version) },
  ],
  sections: [
    {
      key: 'placeholders',
      title: w.placeholders,
      draw: ({ placeholders }) => <Table rows={placeholders} columns={placeholderColumns} label={w.placeholders} />,
    },
    { key: 'blob', title: w.blob, draw: (template) => <TemplateContents {...template} /> },
  ],
  actions: [
    {
      key: 'instantiate',
      label: w.instantiate,
      document: InstantiateTemplate,
      allowed: (template) => template.viewerCan.instantiate,
      input: ({ slug }) => ({ slug }),
      form: {
        fields: ['name', 'values', 'credentials'],
        initial: (template) => ({
          name: template.name,
          values: valuesOf(template),
        }),
        asked: (template) => ({ credentials: { members: credentialMembers(template) } }),
      },
      done: w.instantiated,
      opens: (payload) => ({ noun: 'workflows', id: (payload['workflow'] as { id: string }).id }),
    },
  ],
});

export const templates: Screens = { list: templateList, detail: templatePage };
