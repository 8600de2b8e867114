import { useCallback, useEffect, useId, useRef } from 'react';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { DataPanel } from '#console/automation/editor/expressions/data-panel.tsx';
import { expressionWords } from '#console/automation/editor/expressions/expressions.words.ts';
import { outputsNode, pinOf } from '#console/automation/editor/expressions/pinned-entries.ts';
import { useNodeData } from '#console/automation/editor/expressions/use-node-data.ts';
import { canRename, remove, rename } from '#console/automation/editor/model/commands.ts';
import {
  edgesOf,
  failNode,
  idOf,
  isTrigger,
  joinPath,
  loopNode,
  loopOf,
  nodeAt,
} from '#console/automation/editor/model/graph.ts';
import { FixButton } from '#console/automation/editor/panels/fix-button.tsx';
import { itemSources } from '#console/automation/editor/sample/use-loop-items.ts';
import { NodeStep } from '#console/automation/editor/trial/node-step.tsx';
import type { Part } from '#console/automation/editor/trial/parts.ts';
import { trialWords as t } from '#console/automation/editor/trial/trial.words.ts';
import { UpgradeNotice } from '#console/automation/editor/upgrades/upgrade-notice.tsx';
import { upgradeWords } from '#console/automation/editor/upgrades/upgrades.words.ts';
import { useDefinitionAt } from '#console/automation/editor/upgrades/use-upgrades.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { Button } from '#console/ui/button.tsx';
import { HelpText } from '#console/ui/help-text.tsx';
import { Panel } from '#console/ui/panel.tsx';
import { useMedia } from '#console/ui/use-media.ts';
import { AfterFailure } from './after-failure.tsx';
import { ConfigFields } from './config-fields.tsx';
import { type FieldTarget, FormDataContext, OfferContext } from './field-target.ts';
import { type FieldFocus, focusField } from './focus-field.ts';
import { IdField } from './id-field.tsx';
import { useNestedFields } from './nested/use-nested-fields.ts';

/** Where the canvas keeps half of the window beside a form with its data; as in `editor.css`. */
const dataBesideForm = '(min-width: 1360px)';

/** The settings of one node: the fields of its definition, its name, and what follows a failure. */
export function NodeForm({
  workflowId,
  editing,
  path,
  focus,
  moved,
  tryPart,
  close,
}: {
  workflowId: string;
  editing: Editing;
  path: string;
  focus: FieldFocus | undefined;
  moved: (path: string) => void;
  tryPart: (part: Part, path: string) => void;
  close: () => void;
}) {
  const { graph, definitions, issues, perform, upgrading, canEdit } = editing;
  const id = useId();
  const data = useNodeData(editing, workflowId, path);
  const target = useRef<FieldTarget>(null);
  const offer = useCallback((field: FieldTarget, hasFocus: boolean) => {
    if (hasFocus || !target.current) target.current = field;
  }, []);
  const isWide = useMedia(dataBesideForm);
  const body = useRef<HTMLDivElement>(null);
  const unit = nodeAt(graph, path);
  const upgrade = upgrading.upgrades.get(path);
  const newest = definitions.get(unit?.node ?? '');
  const definition = useDefinitionAt(newest, upgrade);
  const { fields, isRead } = useNestedFields(definition);
  useEffect(() => {
    if (isRead && body.current && focus?.field) focusField(body.current, focus.field);
  }, [focus, isRead]);
  if (!unit) return null;
  const removeNode = () => {
    perform(w.removed(1), remove([path]));
    close();
  };
  const pinned = new Set(
    data.entries.map(outputsNode).filter((node) => node !== undefined && pinOf(graph, path, node) !== undefined),
  ) as ReadonlySet<string>;
  const inputs = edgesOf(graph).flatMap(({ from, to }) => (to === path && !isTrigger(from) ? [idOf(from)] : []));
  const itemSource = itemSources(graph, path).at(-1);
  const item =
    itemSource === undefined
      ? undefined
      : { loop: idOf(itemSource), number: editing.sample.items.itemOf(itemSource) + 1 };
  const dataPanel = (
    <DataPanel {...{ editing, workflowId, path, data }} insert={(read) => target.current?.insert(read)} />
  );
  const own = issues.filter(({ node }) => node === path);
  return (
    <Panel title={idOf(path)} close={close}>
      <FormDataContext value={{ data, item, pinned, node: { config: unit.config, inputs } }}>
        <OfferContext value={offer}>
          <div className="editor-form">
            <div className="panel-body" ref={body}>
              {!isWide && (
                <details className="editor-data-closed">
                  <summary>{expressionWords.data}</summary>
                  {dataPanel}
                </details>
              )}
              <p className="quiet">
                {definition?.name ?? unit.node} · {unit.version}
                {definition?.description && (
                  <>
                    <br />
                    <HelpText text={definition.description} />
                  </>
                )}
              </p>
              {!newest && definitions.size > 0 && (
                <div className="refusal">
                  <p>{w.unknownNode(unit.node)}</p>
                  <Button isDisabled={!canEdit} onPress={removeNode}>
                    {upgradeWords.removeNode}
                  </Button>
                </div>
              )}
              {newest && upgrade && (
                <UpgradeNotice key={unit.version} {...{ upgrade, upgrading, canEdit, removeNode }} />
              )}
              {own
                .filter(({ field }) => field === null || !field.startsWith('config.'))
                .map((issue, index) => (
                  <div
                    key={index}
                    className={issue.severity === 'WARNING' ? 'refusal is-warning' : 'refusal'}
                    data-field={issue.field ?? undefined}
                  >
                    {issue.message} <FixButton issue={issue} editing={editing} />
                  </div>
                ))}
              <NodeStep editing={editing} path={path}>
                <Button onPress={() => tryPart('node', path)}>{t.runNode}</Button>
                <Button onPress={() => tryPart('to', path)}>{t.runTo}</Button>
                <Button onPress={() => tryPart('from', path)}>{t.runFrom}</Button>
              </NodeStep>
              <IdField
                path={path}
                isDisabled={!canEdit}
                isTaken={(next) => !canRename(graph, path, next)}
                set={(next) => {
                  perform(w.renamed, rename(path, next));
                  moved(joinPath(loopOf(path), next));
                }}
              />
              {unit.node === loopNode && <p className="field-help">{w.loopBody}</p>}
              <ConfigFields
                {...{ id, editing, path, unit, definition, fields, focus }}
                showsOthers={definitions.size > 0 && (!newest || definition !== undefined)}
              />
              {unit.node !== failNode && <AfterFailure {...{ path, unit, editing }} />}
            </div>
            {isWide && dataPanel}
          </div>
        </OfferContext>
      </FormDataContext>
    </Panel>
  );
}
