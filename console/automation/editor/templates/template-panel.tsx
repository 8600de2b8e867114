import { useId, useState } from 'react';
import { useQuery } from 'urql';
import { readBlob } from '#console/automation/editor/model/blob.ts';
import { replaceBy } from '#console/automation/editor/model/replace.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { Button } from '#console/ui/button.tsx';
import { notify } from '#console/ui/notices.ts';
import { Panel } from '#console/ui/panel.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { EditorTemplate, TemplateCredentials } from './editor-templates.documents.ts';
import { fillTemplate, placeholderValue } from './fill-template.ts';
import { editorTemplateWords as w } from './templates.words.ts';

type Template = NonNullable<ResultOf<typeof EditorTemplate>['template']>;
type Placeholder = Template['placeholders'][number];

/** Asks for what a template leaves open, and fills the graph with it. */
export function TemplatePanel({ slug, editing, close }: { slug: string; editing: Editing; close: () => void }) {
  const [{ data }] = useQuery({ query: EditorTemplate, variables: { slug } });
  const template = data?.template;
  return (
    <Panel title={w.title(template?.name ?? slug)} close={close}>
      <div className="panel-body">
        {data === undefined && <Skeleton rows={4} />}
        {template === null && <p className="refusal">{w.notFound}</p>}
        {template && <TemplateForm {...{ template, editing, close }} />}
      </div>
    </Panel>
  );
}

function TemplateForm({ template, editing, close }: { template: Template; editing: Editing; close: () => void }) {
  const { name, description, placeholders, blob } = template;
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [isSent, setSent] = useState(false);
  const id = useId();
  const filling = Object.fromEntries(
    placeholders.map((placeholder) => [placeholder.key, valueOf(placeholder, texts[placeholder.key] ?? '')]),
  );
  const isMissing = ({ key, required }: Placeholder) => required && filling[key] === undefined;
  const fill = () => {
    setSent(true);
    if (placeholders.some(isMissing)) return;
    editing.perform(w.filled(name), replaceBy(readBlob(fillTemplate(blob, filling))));
    notify({ kind: 'done', text: w.done(name) });
    close();
  };
  return (
    <form
      className="editor-template"
      onSubmit={(event) => {
        event.preventDefault();
        fill();
      }}
    >
      <p>{description}</p>
      {placeholders.map((placeholder) => (
        <Field
          key={placeholder.key}
          id={`${id}-${placeholder.key}`}
          placeholder={placeholder}
          text={texts[placeholder.key] ?? ''}
          set={(text) => setTexts({ ...texts, [placeholder.key]: text })}
          isMissing={isSent && isMissing(placeholder)}
        />
      ))}
      <div className="panel-actions">
        <Button kind="main" type="submit">
          {w.fill}
        </Button>
      </div>
    </form>
  );
}

function valueOf({ kind, default: otherwise }: Placeholder, text: string): unknown {
  if (kind === 'CREDENTIAL') return text === '' ? undefined : Number(text);
  return placeholderValue(text, otherwise) ?? otherwise ?? undefined;
}

interface FieldProps {
  id: string;
  placeholder: Placeholder;
  text: string;
  set: (text: string) => void;
  isMissing: boolean;
}

function Field({ id, placeholder, text, set, isMissing }: FieldProps) {
  const { kind, label, help, default: otherwise } = placeholder;
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {kind === 'CREDENTIAL' ? (
        <CredentialChoice {...{ id, placeholder, text, set }} />
      ) : (
        <input
          id={id}
          className="input"
          value={text}
          placeholder={typeof otherwise === 'string' ? otherwise : otherwise === null ? '' : JSON.stringify(otherwise)}
          aria-invalid={isMissing}
          aria-describedby={`${id}-help`}
          onChange={(event) => set(event.target.value)}
        />
      )}
      <p className="field-help" id={`${id}-help`}>
        {isMissing ? <span className="field-error">{w.missing}</span> : help}
      </p>
    </div>
  );
}

function CredentialChoice({ id, placeholder, text, set }: Omit<FieldProps, 'isMissing'>) {
  const [{ data }] = useQuery({ query: TemplateCredentials });
  const fitting = (data?.credentials.edges ?? []).filter(({ node }) =>
    placeholder.credentialTypes.includes(node.credentialTypeSlug),
  );
  return (
    <select id={id} className="input" value={text} onChange={(event) => set(event.target.value)}>
      <option value="">{w.noCredential}</option>
      {fitting.map(({ node }) => (
        <option key={node.id} value={String(node.databaseId)}>
          {node.name}
        </option>
      ))}
    </select>
  );
}
