import { useMemo } from 'react';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { configure } from '#console/automation/editor/model/commands.ts';
import { idOf, loopNode, type NodeUnit } from '#console/automation/editor/model/graph.ts';
import type { Definition } from '#console/automation/editor/node-shape.ts';
import { FixButton } from '#console/automation/editor/panels/fix-button.tsx';
import { issueText } from '#console/automation/editor/panels/issue-text.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { codeLanguage } from './code/code-format.ts';
import { ConfigField } from './config-field.tsx';
import type { FieldFocus } from './focus-field.ts';
import type { Field } from './nested/field.ts';
import { FormLevelsContext } from './nested/form-levels.ts';
import { inConfig, isWithin } from './nested/places.ts';
import { useStable } from './nested/use-stable.ts';
import { TopField } from './top-field.tsx';

interface Props {
  id: string;
  editing: Editing;
  path: string;
  unit: NodeUnit;
  /** Undefined while the definition of an older version is loading, and for a node that is not registered. */
  definition: Definition | undefined;
  fields: readonly Field[];
  /** True once it is known which members of the config have no field. */
  showsOthers: boolean;
  focus: FieldFocus | undefined;
}

/** The fields of a node's config. */
export function ConfigFields({ id, editing, path, unit, definition, fields, showsOthers, focus }: Props) {
  const { issues, perform, canEdit } = editing;
  const own = useMemo(() => issues.filter(({ node }) => node === path), [issues, path]);
  const levels = useMemo(() => {
    const problems = own.flatMap((issue) => {
      const place = inConfig(issue.field);
      if (place === undefined) return [];
      const { line, column } = issue;
      const message = issueText(issue, definition);
      return [{ path: place, message, ...(line !== null && column !== null && { place: { line, column } }) }];
    });
    return { Inner: ConfigField, problems, focus };
  }, [own, definition, focus]);
  // The body of a loop is the graph inside it, not a setting.
  const shown = fields.filter(({ key }) => unit.node !== loopNode || key !== 'body');
  const known = new Set(definition?.fields.map(({ key }) => key));
  const others = showsOthers ? Object.keys(unit.config).filter((key) => !known.has(key)) : [];
  const othersKey = JSON.stringify(others);
  const unknown = useMemo(() => (JSON.parse(othersKey) as string[]).map(unknownField), [othersKey]);
  const put = useStable((key: string, value: unknown) =>
    perform(w.changed(idOf(path)), configure(path, key, value), `${path}.${key}`),
  );
  return (
    <FormLevelsContext value={levels}>
      {[...shown, ...unknown].map((field) => {
        const issue = own.find((each) => isWithin(inConfig(each.field) ?? '', field.key));
        return (
          <TopField
            // The inner fields may be loaded after the field is shown.
            key={`${field.key} ${field.nested !== null}`}
            formId={id}
            value={unit.config[field.key]}
            isDisabled={!canEdit}
            node={
              field.dynamic
                ? { slug: unit.node, version: definition?.version ?? unit.version, config: unit.config }
                : undefined
            }
            hasBranches={definition?.branchesFrom === field.key}
            language={codeLanguage(field, unit.node)}
            {...{ field, put }}
          >
            {issue?.fix && <FixButton issue={issue} editing={editing} />}
          </TopField>
        );
      })}
    </FormLevelsContext>
  );
}

/** Returns a field for a config member that the definition does not have. */
const unknownField = (key: string): Field => ({
  key,
  label: key,
  type: 'JSON',
  required: false,
  nullable: false,
  default: null,
  format: null,
  nested: null,
  help: null,
  dynamic: false,
  pattern: null,
  credentialTypes: [],
  options: [],
});
